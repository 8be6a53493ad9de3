"""Tables of steps: a length on each line, and what its lift is multiplied by."""

from __future__ import annotations

from pathlib import Path

from reenact.errors import FormatError

_MOST = 100_000


def read_steps(path: Path) -> tuple[list[float], list[float]]:
    """Lengths in metres and factors of the lift (1 where there is none) from lines "0.62" or "0.62,1.2".

    A first line of words is taken as a heading, empty lines and those that begin with # are passed over.
    """
    lengths, lifts = [], []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), 1):
        words = [word for word in line.replace(";", ",").replace("\t", ",").split(",") if word.strip()]
        if not words or line.lstrip().startswith("#"):
            continue
        try:
            values = [float(word) for word in words]
        except ValueError:
            if not lengths and number == 1:
                continue
            raise FormatError(
                f"expected a length in metres and a factor of the lift, not {line.strip()!r}", path=path, line=number
            ) from None
        if len(values) > 2 or not 0 <= values[0] <= 3 or (len(values) == 2 and not 0.3 <= values[1] <= 5):
            raise FormatError(
                f"a step is 0 to 3 m long and lifted 0.3 to 5 times as high, not {line.strip()!r}",
                path=path,
                line=number,
            )
        lengths.append(values[0])
        lifts.append(values[1] if len(values) == 2 else 1.0)
        if len(lengths) > _MOST:
            raise FormatError(f"more than {_MOST} steps", path=path, line=number)
    if not lengths:
        raise FormatError("no steps", path=path)
    return lengths, lifts
