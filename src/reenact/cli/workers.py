"""Who does the work of a verb on many clips: processes of this machine, or the workers of a scheduler."""

from __future__ import annotations

from dataclasses import dataclass

from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Who works."""

    jobs: int | None = option(
        None, "processes that work on many clips; default: one a processor", short="-j", low=1, high=256
    )
    scheduler: str | None = option(
        None, "tcp://host:port of a Dask scheduler whose workers do it instead (docs/computing.md)"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.scheduler is not None and "://" not in self.scheduler:
            raise ParameterError(f"expected tcp://host:port, not {self.scheduler!r}", where="--scheduler")
        if self.scheduler is not None and self.jobs is not None:
            raise ParameterError("processes of this machine work, or those of a scheduler, not both", where="--jobs")
