"""glTF accessors as arrays: byte strides, normalised integers, sparse values, with every size checked before it is used."""

from __future__ import annotations

import numpy as np

from reenact.core.arrays import Float32
from reenact.formats.gltf_document import Document, Json

COMPONENTS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

_FREE_COUNT = 1 << 20  # elements an accessor without a buffer view may have, whatever the size of the file


def read_array(doc: Document, index: int, kinds: tuple[str, ...], what: str) -> np.ndarray:
    """(count, width) values of an accessor in their stored type, read-only where they are a view of the file."""
    where = f"accessors[{index}]"
    accessor = doc.objects("accessors")[index]
    kind = accessor.get("type")
    if kind not in kinds:
        doc.fail(f"{where}: {what} must be {' or '.join(kinds)}, found {kind if isinstance(kind, str) else 'no type'}")
    width = WIDTHS[kind]
    dtype = _component(doc, accessor, where)
    count = doc.integer(accessor, "count", where)
    view = doc.reference(accessor, "bufferView", "bufferViews", where)
    if view is None:
        if count > max(_FREE_COUNT, doc.size):
            doc.fail(f"{where}.count: {count} elements without a buffer view, more than the file could fill")
        values = np.zeros((count, width), dtype)
    else:
        offset = doc.integer(accessor, "byteOffset", where, 0)
        values = _view(doc, view, offset, count, width, dtype, where)
    sparse = doc.object(accessor, "sparse", where)
    if sparse is not None:
        values = _apply_sparse(doc, sparse, values, f"{where}.sparse")
    return values


def read_floats(doc: Document, index: int, kinds: tuple[str, ...], what: str) -> Float32:
    """(count, width) finite float32 values; normalised integers become -1..1 or 0..1."""
    values = read_array(doc, index, kinds, what)
    if values.dtype != np.float32:
        top = np.iinfo(values.dtype).max
        floats = values.astype(np.float32)
        normalized = doc.objects("accessors")[index].get("normalized") is True
        return np.maximum(floats / np.float32(top), np.float32(-1)) if normalized else floats
    if not np.isfinite(values).all():
        bad = int(np.count_nonzero(~np.isfinite(values)))
        doc.damage("not-finite", f"accessors[{index}]", f"{what}: {bad} values are not finite numbers")
        values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return values


def _component(doc: Document, holder: Json, where: str) -> np.dtype:
    code = doc.integer(holder, "componentType", where)
    if code not in COMPONENTS:
        doc.fail(f"{where}.componentType: {code} is not one of {', '.join(map(str, COMPONENTS))}")
    return np.dtype(COMPONENTS[code]).newbyteorder("<")


def _view(doc: Document, view: int, offset: int, count: int, width: int, dtype: np.dtype, where: str) -> np.ndarray:
    """(count, width) values straight from the buffer, without a copy."""
    holder = doc.objects("bufferViews")[view]
    spot = f"bufferViews[{view}]"
    buffer = doc.reference(holder, "buffer", "buffers", spot)
    if buffer is None:
        doc.fail(f"{spot}: no buffer")
    start = doc.integer(holder, "byteOffset", spot, 0)
    length = doc.integer(holder, "byteLength", spot)
    element = width * dtype.itemsize
    stride = doc.integer(holder, "byteStride", spot, element) or element
    if stride < element or stride > max(element, 252):
        doc.fail(f"{spot}.byteStride: {stride} does not fit elements of {element} bytes (at most 252)")
    if count == 0:
        return np.zeros((0, width), dtype)
    need = offset + (count - 1) * stride + element
    if need > length:
        doc.fail(f"{where}: needs {need} bytes of {spot}, which has {length}")
    data = doc.buffer(buffer)
    if start + need > len(data):
        doc.damage("buffer", where, f"needs bytes up to {start + need} of buffers[{buffer}], which has {len(data)}")
        whole = max(0, (len(data) - start - offset - element) // stride + 1)
        values = np.zeros((count, width), dtype) if count <= max(_FREE_COUNT, doc.size) else np.zeros((0, width), dtype)
        whole = min(whole, len(values))
        if whole:
            values[:whole] = np.ndarray((whole, width), dtype, data, start + offset, (stride, dtype.itemsize))
        return values
    return np.ndarray((count, width), dtype, data, start + offset, (stride, dtype.itemsize))


def _apply_sparse(doc: Document, sparse: Json, values: np.ndarray, where: str) -> np.ndarray:
    """A copy of the values with some of them replaced."""
    count = doc.integer(sparse, "count", where)
    places, news = doc.object(sparse, "indices", where), doc.object(sparse, "values", where)
    if places is None or news is None:
        doc.fail(f"{where}: needs indices and values")
    kind = _component(doc, places, f"{where}.indices")
    if kind.kind != "u":
        doc.fail(f"{where}.indices.componentType: expected unsigned integers")
    parts = []
    for part, width, dtype in ((places, 1, kind), (news, values.shape[1], values.dtype)):
        view = doc.reference(part, "bufferView", "bufferViews", where)
        if view is None:
            doc.fail(f"{where}: no bufferView")
        parts.append(_view(doc, view, doc.integer(part, "byteOffset", where, 0), count, width, dtype, where))
    rows = parts[0][:, 0].astype(np.int64)
    if len(rows) and rows.max() >= len(values):
        doc.fail(f"{where}.indices: names element {rows.max()}, there are {len(values)}")
    changed = values.copy()
    filled = min(len(rows), len(parts[1]))  # they differ only where damage was recovered from
    changed[rows[:filled]] = parts[1][:filled]
    return changed
