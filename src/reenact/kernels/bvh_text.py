"""Numbers of a BVH motion block: text to values and quaternions, and values to text.

Parsing follows float(): a number of at most 19 digits whose power of ten lies within 22 comes out correctly rounded or within one
unit in the last place of a float64; the clip keeps float32.
"""

from __future__ import annotations

import numpy as np

from reenact.kernels.bits import load_word, store_word, trailing_zeros
from reenact.kernels.compiling import inlined_kernel, kernel
from reenact.kernels.euler import compose, half_angle_sines

DONE, SHORT_ROW, LONG_ROW, BAD_NUMBER, END_OF_TEXT = 0, 1, 2, 3, 4
"""Why parsing stopped: all rows read; a line ended early; a line went on; not a number; no more rows."""

_POWERS = 10.0 ** np.arange(0, 23)
_SIGNED_POWERS = np.stack([_POWERS, -_POWERS])


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
def _parse_medium_number(text, at, end):
    """As `parse_number`, by plain loops: up to 18 digits and no exponent."""
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


@inlined_kernel
def parse_number(text, at, end):
    """One number of `text` (uint8) from position `at`: (value, position after it, 1 if it is a number else 0).

    The longest text that is a number is taken; `nan`, `inf` and overflows are not numbers. `text[end]` must exist and be no part
    of a number, and 16 more bytes must follow it. Positions are unsigned, which spares Numba's test for negative indices.

    A number of up to eight characters after its sign is read as one 64-bit word without a branch for each digit, which a
    processor could not foresee: the end and the point are found by bit tricks, the point is squeezed out, and three
    multiplications add up the digits.
    """
    one, eight, full = np.uint64(1), np.uint64(8), np.uint64(64)
    sign = text[at]
    signed = np.uint64((sign == 45) | (sign == 43))
    tail = load_word(text, at + one)
    # a byte below 33 (blank or control) sets its top bit here; bytes above 127 fail the digit test later
    blanks = (tail - np.uint64(0x2121212121212121)) & ~tail & np.uint64(0x8080808080808080)
    rest = trailing_zeros(blanks) >> np.uint64(3)  # characters after the first: found without waiting for the sign
    length = rest + one - signed
    if length == 0 or length > eight or (blanks == 0 and text[at + one + eight] > 32):
        return _parse_medium_number(text, at, end)
    mask = np.uint64(0) - signed
    word = (tail & mask) | (load_word(text, at) & ~mask)
    word = word << (full - (length << np.uint64(3)))  # the last character in the top byte, zeros in front
    points = word ^ np.uint64(0x2E2E2E2E2E2E2E2E)
    points = (points - np.uint64(0x0101010101010101)) & ~points & np.uint64(0x8080808080808080)
    decimals = np.uint64(0)
    digits = length
    if points != 0:
        place = trailing_zeros(points) >> np.uint64(3)  # 0..7 from the low end
        decimals = np.uint64(7) - place
        below = (one << (place << np.uint64(3))) - one
        word = (word & (~below << eight)) | ((word & below) << eight)
        digits = length - one
        if digits == 0:
            return 0.0, at, 0
    filled = ~np.uint64(0) << (full - (digits << np.uint64(3)))  # bytes that must be digits
    low = word & np.uint64(0x0F0F0F0F0F0F0F0F)
    odd = ((word & np.uint64(0xF0F0F0F0F0F0F0F0)) ^ np.uint64(0x3030303030303030)) & filled
    odd |= (low + np.uint64(0x0606060606060606)) & np.uint64(0x1010101010101010)
    if odd != 0:
        return _parse_medium_number(text, at, end)
    pairs = (low * np.uint64(10) + (low >> eight)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    mantissa = (fours * np.uint64(10000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return float(np.int64(mantissa)) / _SIGNED_POWERS[np.uint64(sign == 45), decimals], at + one + rest, 1


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


_PAIRS = np.array([ord(f"{n:02d}"[0]) | ord(f"{n:02d}"[1]) << 8 for n in range(100)], np.uint64)
_TRIPLES = np.array([sum(ord(c) << 8 * i for i, c in enumerate(f"{n}.")) for n in range(1000)], np.uint64)
_TRIPLE_LENGTHS = np.array([len(f"{n}.") for n in range(1000)], np.uint64)


@kernel
def _format_whole(whole, text, at):
    """Write a whole number of any size and a point; returns the end."""
    one, ten = np.uint64(1), np.uint64(10)
    digits = one
    limit = ten
    while whole >= limit:
        digits += one
        limit *= ten
    place = at + digits
    text[place] = 46
    while place > at:
        place -= one
        tens = whole // ten
        text[place] = 48 + (whole - tens * ten)
        whole = tens
    return at + digits + one


@inlined_kernel
def format_number(value, factor, scale, stretch, text, at):
    """Write one number with a point and eight digits after it at text[at:]; returns the position of the first of these eight.

    Words of eight bytes are stored whole and partly written over by what follows: no branch depends on the digits.
    """
    scaled = np.int64(abs(value) * factor + 0.5)
    text[at] = 45
    at += np.uint64((value < 0.0) & (scaled > 0))
    if scaled < 4000000000:  # the usual case by the quicker 32-bit division
        whole = np.uint64(np.uint32(scaled) // np.uint32(scale))
    else:
        whole = np.uint64(scaled // scale)
    part = np.uint32((scaled - np.int64(whole) * scale) * stretch)  # eight digits
    if whole < 1000:
        store_word(text, at, _TRIPLES[whole])
        at += _TRIPLE_LENGTHS[whole]
    else:
        at = _format_whole(whole, text, at)
    high = part // np.uint32(10000)
    low = part - high * np.uint32(10000)
    a, c = high // np.uint32(100), low // np.uint32(100)
    b, d = high - a * np.uint32(100), low - c * np.uint32(100)
    digits = _PAIRS[a] | _PAIRS[b] << np.uint64(16) | _PAIRS[c] << np.uint64(32) | _PAIRS[d] << np.uint64(48)
    store_word(text, at, digits)
    return at


@kernel
def format_rows(values, decimals, text, at):
    """Write rows of numbers with a fixed count of decimals (at most 8), a blank between and a line feed after each row.

    Values must be finite and below 1e9 in size: the caller checks. `text` (uint8) must have room for 12 + decimals bytes a
    number and 16 bytes more. Returns the position after the last byte.
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
    for r in range(values.shape[0]):
        row = values[r]
        for c in range(row.shape[0]):
            at = format_number(row[c], factor, scale, stretch, text, at) + keep
            text[at] = 32
            at += one
        text[at - one] = 10
    return np.int64(at)
