"""Numbers of an AMC file: frames of named lines to values, the turn of rotations into bone axes, and values to lines."""

from __future__ import annotations

import numpy as np

from reenact.kernels.bvh_text import format_number, parse_number
from reenact.kernels.compiling import kernel

DONE, ODD_FRAME, END_OF_TEXT = 0, 1, 2
"""Why reading stopped: the output is full; a frame is not like the pattern; no more text."""


@kernel
def parse_frames(text, at, end, names, starts, columns, counts, largest, numbers, out):
    """Read frames whose lines follow a pattern: a frame number, then one line a bone, always the same bones in the same order.

    Args:
        text: uint8 bytes of the file; `text[end]` must exist and be 0, and 16 more bytes must follow it.
        at: where the first frame begins.
        end: where the text stops.
        names: uint8 names of the pattern's lines, one after another; line n is `names[starts[n] : starts[n + 1]]`.
        starts: (L + 1,) int64.
        columns: (L,) int64, first column of each line's values.
        counts: (L,) int64, values of each line.
        largest: bound of the values: a frame with a larger one is odd.
        numbers: (F,) int64, takes the frame numbers.
        out: (F, C) float64, takes the values; other columns are left as they are.

    Returns:
        (frames read, where the next frame begins, why it stopped).
    """
    one = np.uint64(1)
    at, end = np.uint64(at), np.uint64(end)
    for f in range(out.shape[0]):
        while at < end and text[at] <= 32:
            at += one
        begin = at
        if at >= end:
            return f, np.int64(begin), END_OF_TEXT
        number = np.int64(0)
        digits = 0
        while digits < 18 and 48 <= text[at] <= 57:
            number = number * 10 + (text[at] - 48)
            digits += 1
            at += one
        if digits == 0 or text[at] > 32:
            return f, np.int64(begin), ODD_FRAME
        numbers[f] = number
        row = out[f]
        for n in range(columns.shape[0]):
            while text[at] == 32 or text[at] == 9 or text[at] == 13:
                at += one
            if text[at] != 10 and text[at - one] != 13:
                return f, np.int64(begin), ODD_FRAME
            while text[at] <= 32 and at < end:
                at += one
            name, stop = np.uint64(starts[n]), np.uint64(starts[n + 1])
            while name < stop and text[at] == names[name]:
                at += one
                name += one
            if name < stop or text[at] > 32:
                return f, np.int64(begin), ODD_FRAME
            first = np.uint64(columns[n])
            for c in range(counts[n]):
                while text[at] == 32 or text[at] == 9:
                    at += one
                value, after, good = parse_number(text, at, end)  # type: ignore[misc]
                if good == 0 or text[after] > 32 or abs(value) > largest:
                    return f, np.int64(begin), ODD_FRAME
                row[first + np.uint64(c)] = value
                at = after
        while text[at] == 32 or text[at] == 9 or text[at] == 13:
            at += one
        if at < end and text[at] != 10 and text[at - one] != 13:
            return f, np.int64(begin), ODD_FRAME
        # a further line of the same frame would begin with a name, not with a number
        while at < end and text[at] <= 32:
            at += one
        if at < end and not 48 <= text[at] <= 57:
            return f, np.int64(begin), ODD_FRAME
    return out.shape[0], np.int64(at), DONE


@kernel
def turn_axes(rotations, joints, matrices):
    """Rotations (F, J, 4) of some joints, given about the axes of a frame, about the parent's axes: C M C^-1, in place.

    Conjugation leaves the angle alone and turns the axis, so only the vector part is multiplied by `matrices` (K, 3, 3).
    """
    for f in range(rotations.shape[0]):
        frame = rotations[f]
        for k in range(joints.shape[0]):
            q, m = frame[joints[k]], matrices[k]
            x, y, z = q[1], q[2], q[3]
            q[1] = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z
            q[2] = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z
            q[3] = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z


@kernel
def format_frames(values, names, starts, counts, decimals, first, text, at):
    """Write frames (F, C) numbered from `first`, one line a bone: its name and its values with a fixed count of decimals (at most 8).

    Lines take the columns in order. Values must be finite and below 1e9 in size: the caller checks. `text` (uint8) must have room
    for 20 bytes a frame, the names, 13 + decimals bytes a number and 16 bytes more. Returns the position after the last byte.
    """
    one = np.uint64(1)
    at = np.uint64(at)
    scale, stretch = np.int64(1), np.int64(1)
    for n in range(8):
        if n < decimals:
            scale *= 10
        else:
            stretch *= 10
    factor = float(scale)
    keep = np.uint64(decimals) if decimals > 0 else np.uint64(0) - one  # without decimals the point goes too
    for f in range(values.shape[0]):
        at = format_number(float(first + f), 1.0, np.int64(1), np.int64(100000000), text, at)
        text[at - one] = 10
        row = values[f]
        column = np.uint64(0)
        for n in range(counts.shape[0]):
            for k in range(starts[n], starts[n + 1]):
                text[at] = names[k]
                at += one
            for _ in range(counts[n]):
                text[at] = 32
                at = format_number(row[column], factor, scale, stretch, text, at + one) + keep
                column += one
            text[at] = 10
            at += one
    return np.int64(at)
