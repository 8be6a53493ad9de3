"""The binary part of a glTF file that is being written: arrays are noted first and written straight to the stream afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

ARRAY_TARGET, INDEX_TARGET = 34962, 34963

_CODES = {"u1": 5121, "u2": 5123, "u4": 5125, "f4": 5126}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

Piece = Callable[[], np.ndarray]


class BufferPlan:
    """Buffer views and accessors, and the pieces that fill them.

    A piece is a function that gives its array when its turn to be written comes, so that nothing but one piece is in memory twice.

    Attributes:
        views: the JSON of the buffer views.
        accessors: the JSON of the accessors.
        length: bytes so far.
    """

    def __init__(self) -> None:
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.length = 0
        self._pieces: list[tuple[int, Piece]] = []

    def open_view(self, target: int | None = None) -> None:
        """Begin a buffer view; the arrays added next are part of it."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.length, "byteLength": 0}
        if target is not None:
            view["target"] = target
        self.views.append(view)

    def add(
        self,
        count: int,
        width: int,
        dtype: str,
        piece: Piece,
        *,
        bounds: tuple[list[float], list[float]] | None = None,
    ) -> int:
        """Note an array of `count` rows in the open view; its accessor's index."""
        return self.add_row(1, count, width, dtype, piece, bounds=bounds)[0]

    def add_row(
        self,
        arrays: int,
        count: int,
        width: int,
        dtype: str,
        piece: Piece,
        *,
        bounds: tuple[list[float], list[float]] | None = None,
    ) -> range:
        """Note several arrays of `count` rows each that one piece fills; the indices of their accessors."""
        view, first = self.views[-1], len(self.accessors)
        size = count * width * np.dtype(dtype).itemsize
        kind = {
            "bufferView": len(self.views) - 1,
            "componentType": _CODES[dtype],
            "count": count,
            "type": _TYPES[width],
        }
        if bounds is not None:
            kind |= {"min": bounds[0], "max": bounds[1]}
        start = self.length - view["byteOffset"]
        for number in range(arrays):
            offset = start + number * size
            self.accessors.append({**kind, "byteOffset": offset} if offset else kind)
        total = arrays * size
        self._pieces.append((total, piece))
        self.length += total + (-total % 4)
        view["byteLength"] = start + total
        return range(first, first + arrays)

    def add_bytes(self, data: bytes) -> int:
        """Note bytes that no accessor reads, such as an image; the index of their view."""
        self.open_view()
        self.views[-1]["byteLength"] = len(data)
        self._pieces.append((len(data), lambda: np.frombuffer(data, np.uint8)))
        self.length += len(data) + (-len(data) % 4)
        return len(self.views) - 1

    def add_sparse(self, count: int, places: np.ndarray, values: np.ndarray) -> int:
        """Note an array of `count` rows that are 0 but at the ascending `places`; its accessor's index."""
        kind = "u2" if count < 1 << 16 else "u4"
        views = []
        for dtype, part in ((kind, places), ("f4", values)):
            data = np.ascontiguousarray(part, f"<{dtype}")
            views.append(self.add_bytes(data.tobytes()))
        low, high = values.min(axis=0), values.max(axis=0)
        if len(places) < count:
            low, high = np.minimum(low, 0), np.maximum(high, 0)
        sparse = {
            "count": len(places),
            "indices": {"bufferView": views[0], "componentType": _CODES[kind]},
            "values": {"bufferView": views[1]},
        }
        self.accessors.append(
            {
                "componentType": _CODES["f4"],
                "count": count,
                "type": _TYPES[values.shape[1]],
                "min": low.astype(float).tolist(),
                "max": high.astype(float).tolist(),
                "sparse": sparse,
            }
        )
        return len(self.accessors) - 1

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The bytes of all pieces in order, each padded to 4."""
        for size, piece in self._pieces:
            array = np.ascontiguousarray(piece())
            if array.nbytes != size:
                raise AssertionError(f"a piece has {array.nbytes} bytes, {size} were noted")
            yield array.reshape(-1).view(np.uint8).data
            if size % 4:
                yield bytes(-size % 4)
