"""Checked, read-only arrays: how every core type takes its data in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reenact.errors import ParameterError

Float = NDArray[np.floating]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int = NDArray[np.integer]
Bool = NDArray[np.bool_]


def frozen(values: ArrayLike, dtype: type, shape: tuple[int | None, ...], what: str) -> np.ndarray:
    """A read-only C-contiguous view or copy of `values` with the given dtype and shape (None = any length).

    An array that already fits is not copied; the caller's own array keeps its writeable flag.

    Raises:
        ParameterError: the values are no numbers, or of another shape.
    """
    try:
        array = np.ascontiguousarray(values, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{what} must be numbers: {error}", where=what) from error
    if array.shape != shape and (
        array.ndim != len(shape)
        or any(want is not None and want != got for want, got in zip(shape, array.shape, strict=False))
    ):
        wanted = ", ".join("*" if n is None else str(n) for n in shape)
        raise ParameterError(f"{what} must have shape ({wanted}), not {array.shape}", where=what)
    array = array.view()
    array.setflags(write=False)
    return array
