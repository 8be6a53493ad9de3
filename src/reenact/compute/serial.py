"""Work done in this process, one item after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from reenact.compute.answers import named
from reenact.compute.flow import Told
from reenact.compute.shared_arrays import check_shared, read_only


class Serial:
    """The executor that needs nothing; what the others must agree with."""

    workers = 1

    def map(
        self,
        task: Callable[[Any, Mapping[str, np.ndarray]], Any],
        items: Iterable[Any],
        shared: Mapping[str, np.ndarray] | None = None,
        *,
        words: str = "",
        total: int | None = None,
        label: Callable[[Any], str] = str,
        lost: Callable[[Any, Any], Any] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[Any]:
        """See `Executor.map`."""
        arrays = {name: read_only(array) for name, array in check_shared(shared).items()}
        told = Told(items, total, words)

        def results() -> Iterator[Any]:
            for item in items:
                if cancelled is not None and cancelled():
                    return
                try:
                    with told.inside():
                        result = task(item, arrays)
                except Exception as error:
                    named(error, label(item))
                    raise
                told.one_more()
                yield result

        return results()

    def close(self) -> None:
        """Nothing to end."""

    def __enter__(self) -> Serial:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
