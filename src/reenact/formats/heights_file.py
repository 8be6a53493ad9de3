"""Fields of heights: NumPy arrays in metres, or grey pictures from 0 (black) to 1 (white)."""

from __future__ import annotations

import tokenize
from pathlib import Path

import numpy as np

from reenact.core.arrays import Float
from reenact.errors import FormatError

_MOST = 64_000_000

_DAMAGED = (
    ValueError,
    EOFError,
    SyntaxError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
)
"""What NumPy raises for headers that make no sense."""


def read_heights(path: Path) -> Float:
    """(rows, columns) float64; rows go along z, columns along x."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".npy":
        try:
            with path.open("rb") as stream:
                field = np.lib.format.read_array(stream, allow_pickle=False)
        except _DAMAGED as error:
            raise FormatError(f"no NumPy array: {error}", path=path) from None
        if field.ndim != 2 or not np.issubdtype(field.dtype, np.number) or np.iscomplexobj(field):
            raise FormatError(f"expected a table of numbers, not shape {field.shape} of {field.dtype}", path=path)
    elif ending in (".png", ".tif", ".tiff", ".jpg", ".jpeg"):
        field = _read_picture(path)
    else:
        raise FormatError("heights are read from .npy or a picture (.png)", path=path)
    if min(field.shape) < 2 or field.size > _MOST:
        raise FormatError(f"expected 2 x 2 to {_MOST} values, not {field.shape[0]} x {field.shape[1]}", path=path)
    field = field.astype(np.float64)
    if not np.isfinite(field).all():
        raise FormatError("heights with NaN or infinite numbers", path=path)
    return field


def _read_picture(path: Path) -> Float:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > _MOST:
                raise FormatError(f"more than {_MOST} pixels", path=path)
            deep = picture.mode in ("I;16", "I;16B", "I", "F")
            values = np.asarray(picture if deep else picture.convert("L"), dtype=np.float64)
            return values / (65535.0 if picture.mode.startswith("I") else 1.0 if picture.mode == "F" else 255.0)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise FormatError(f"no picture: {error}", path=path) from None
