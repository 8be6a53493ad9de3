"""Numbers of a BVH motion block: text to values and quaternions, and values to text.

Parsing follows float(): a number of at most 19 digits whose power of ten lies within 22 comes out correctly rounded or within one
unit in the last place of a float64; the clip keeps float32.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel
from reenact.kernels.euler import compose, half_angle_sines

DONE, SHORT_ROW, LONG_ROW, BAD_NUMBER, END_OF_TEXT = 0, 1, 2, 3, 4
"""Why parsing stopped: all rows read; a line ended early; a line went on; not a number; no more rows."""

_POWERS = 10.0 ** np.arange(0, 23)


@kernel
def _scale(value, exponent):
    """Value * 10 ** exponent."""
    if -22 <= exponent <= 22:
        return value / _POWERS[-exponent] if exponent < 0 else value * _POWERS[exponent]
    if exponent < -400 or value == 0.0:
        return 0.0
    if exponent > 400:
        return np.inf
    while exponent < -22:
        value /= 1e22
        exponent += 22
    while exponent > 22:
        value *= 1e22
        exponent -= 22
    return value / _POWERS[-exponent] if exponent < 0 else value * _POWERS[exponent]


@kernel
def _parse_long_number(text, at, end):
    """As `parse_number`, for any count of digits and any exponent."""
    negative = False
    if text[at] == 45 or text[at] == 43:
        negative = text[at] == 45
        at += 1
    mantissa = 0
    digits = 0  # significant ones taken
    any_digit = False
    exponent = 0
    while at < end and 48 <= text[at] <= 57:
        any_digit = True
        if digits < 18:
            mantissa = mantissa * 10 + (text[at] - 48)
            digits += 1 if mantissa > 0 else 0
        else:
            exponent += 1
        at += 1
    if at < end and text[at] == 46:
        at += 1
        while at < end and 48 <= text[at] <= 57:
            any_digit = True
            if digits < 18:
                mantissa = mantissa * 10 + (text[at] - 48)
                digits += 1 if mantissa > 0 else 0
                exponent -= 1
            at += 1
    if not any_digit:
        return 0.0, at, 0
    if at < end and (text[at] == 101 or text[at] == 69):  # e, E
        look = at + 1
        minus = False
        if look < end and (text[look] == 45 or text[look] == 43):
            minus = text[look] == 45
            look += 1
        power = 0
        got = False
        while look < end and 48 <= text[look] <= 57:
            got = True
            power = min(power * 10 + (text[look] - 48), 100000)
            look += 1
        if got:
            at = look
            exponent += -power if minus else power
    value = _scale(float(mantissa), exponent)
    if not np.isfinite(value):
        return 0.0, at, 0
    return (-value if negative else value), at, 1


@kernel
def parse_number(text, at, end):
    """One number of `text` (uint8) from position `at`: (value, position after it, 1 if it is a number else 0).

    The longest text that is a number is taken; `nan`, `inf` and overflows are not numbers. `text[end]` must exist and be no part
    of a number: the loops have no other end. Positions are unsigned, which spares Numba's test for negative indices.
    """
    one = np.uint64(1)
    start = at
    sign = text[at]
    if sign == 45 or sign == 43:
        at += one
    begin = at
    mantissa = np.int64(0)
    d = np.int64(text[at]) - 48
    while 0 <= d <= 9:
        mantissa = mantissa * 10 + d
        at += one
        d = np.int64(text[at]) - 48
    dot = np.uint64(0)
    decimals = np.uint64(0)
    if d == -2:
        dot = one
        at += one
        point = at
        d = np.int64(text[at]) - 48
        while 0 <= d <= 9:
            mantissa = mantissa * 10 + d
            at += one
            d = np.int64(text[at]) - 48
        decimals = at - point
    digits = at - begin - dot
    if digits == 0 or digits > 18 or d == 53 or d == 21:  # no digit, too many, or an exponent
        value, after, good = _parse_long_number(text, np.int64(start), np.int64(end))
        return value, np.uint64(after), good
    value = float(mantissa) / _POWERS[decimals]
    return (-value if sign == 45 else value), at, 1


@kernel
def parse_rows(text, at, end, rows, out):
    """Read up to `rows` lines of out.shape[1] numbers each: (rows read, position, why it stopped).

    A line may have blanks anywhere and end in LF, CRLF or CR; blank lines are passed over. The position is after the last whole
    row when all went well, else at the culprit. `text[end]` must exist and be 0.
    """
    one = np.uint64(1)
    at, end = np.uint64(at), np.uint64(end)
    width = out.shape[1]
    for r in range(rows):
        row = out[r]
        while at < end and text[at] <= 32:
            at += one
        if at >= end:
            return r, np.int64(at), END_OF_TEXT
        for c in range(width):
            while text[at] == 32 or text[at] == 9:
                at += one
            if text[at] == 10 or text[at] == 13 or at >= end:
                return r, np.int64(at), SHORT_ROW
            value, after, good = parse_number(text, at, end)
            if good == 0 or (text[after] > 32):
                return r, np.int64(at), BAD_NUMBER
            row[c] = value
            at = after
        while text[at] <= 32 and text[at] != 10 and text[at] != 13 and at < end:
            at += one
        if text[at] != 10 and text[at] != 13 and at < end:
            return r, np.int64(at), LONG_ROW
    return rows, np.int64(at), DONE


@kernel
def parse_wrapped(text, at, end, out):
    """Read numbers into the flat array `out`, taking line ends as blanks: (numbers read, position, why it stopped)."""
    at, end = np.uint64(at), np.uint64(end)
    for n in range(out.shape[0]):
        while at < end and text[at] <= 32:
            at += np.uint64(1)
        if at >= end:
            return n, np.int64(at), END_OF_TEXT
        value, after, good = parse_number(text, at, end)
        if good == 0 or text[after] > 32:
            return n, np.int64(at), BAD_NUMBER
        out[n] = value
        at = after
    return out.shape[0], np.int64(at), DONE


@kernel
def decode(text, at, end, rows, width, columns, axes, parities, placed, rotations, places, first):
    """Read rows straight into quaternions, a tile at a time, so that the channel values never leave the cache.

    Args:
        text: uint8 bytes of the file.
        at: where to begin, and `end` where to stop.
        rows: most rows to read.
        width: numbers per row.
        columns: (J, 3) rotation columns of each joint, -1 for none; with `axes` (J, 3) and `parities` (J,) as in `euler`.
        placed: (P,) columns of position channels.
        rotations: (F, J, 4) to write from row `first` on.
        places: (F, P) to write likewise, in file units.
        first: row to begin writing at.

    Returns:
        (rows read, position, why it stopped), as `parse_rows`.
    """
    tile = max(1, min(rows, 4096 // max(width, 1)))
    values = np.empty((tile, width))
    sines, cosines = np.empty((tile, width)), np.empty((tile, width))
    done = 0
    status = DONE
    while done < rows and status == DONE:
        count, at, status = parse_rows(text, at, end, min(tile, rows - done), values)
        half_angle_sines(values[:count].reshape(-1), 180.0, sines[:count].reshape(-1), cosines[:count].reshape(-1))
        compose(sines[:count], cosines[:count], columns, axes, parities, first + done, rotations)
        for t in range(count):
            for p in range(placed.shape[0]):
                places[first + done + t, p] = values[t, placed[p]]
        done += count
    return done, at, status


_PAIRS = np.frombuffer("".join(f"{n:02d}" for n in range(100)).encode(), np.uint8)


@kernel
def format_number(value, factor, scale, decimals, text, at):
    """Write one number at text[at:]; returns the end."""
    one = np.uint64(1)
    scaled = np.uint64(abs(value) * factor + 0.5)
    if value < 0.0 and scaled > 0:
        text[at] = 45
        at += one
    whole = scaled // scale
    part = np.uint32(scaled - whole * scale)
    if whole < 10:
        text[at] = 48 + whole
        at += one
    elif whole < 100:
        text[at] = _PAIRS[whole + whole]
        text[at + one] = _PAIRS[whole + whole + one]
        at += np.uint64(2)
    else:
        digits = np.uint64(3)
        limit = np.uint64(1000)
        while whole >= limit:
            digits += one
            limit *= np.uint64(10)
        place = at + digits
        while place > at:
            place -= one
            tens = whole // np.uint64(10)
            text[place] = 48 + (whole - tens * np.uint64(10))
            whole = tens
        at += digits
    if decimals > 0:
        text[at] = 46
        place = at + decimals + one
        at += one
        while place > at + one:
            place -= np.uint64(2)
            hundreds = part // np.uint32(100)
            pair = np.uint64(2) * np.uint64(part - hundreds * np.uint32(100))
            text[place] = _PAIRS[pair]
            text[place + one] = _PAIRS[pair + one]
            part = hundreds
        if place > at:
            text[at] = 48 + part
        at += decimals
    return at


@kernel
def format_rows(values, decimals, text, at):
    """Write rows of numbers with a fixed count of decimals (at most 9), a blank between and a line feed after each row.

    Values must be finite and below 1e9 in size: the caller checks. `text` (uint8) must have room for 12 + decimals bytes a
    number. Returns the position after the last byte.
    """
    at, decimals = np.uint64(at), np.uint64(decimals)
    scale = np.uint64(1)
    for _ in range(decimals):
        scale *= np.uint64(10)
    factor = float(scale)
    for r in range(values.shape[0]):
        row = values[r]
        for c in range(row.shape[0]):
            at = format_number(row[c], factor, scale, decimals, text, at)
            text[at] = 32
            at += np.uint64(1)
        text[at - np.uint64(1)] = 10
    return np.int64(at)
