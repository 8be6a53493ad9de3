"""Medians and quantiles inside kernels; `np.median` allocates, which for a dozen numbers takes longer than finding the middle."""

from __future__ import annotations

from reenact.kernels.compiling import kernel

_SMALL = 24  # numbers up to which sorting by insertion is quickest


@kernel
def select(values, count, k):
    """The k-th smallest (from 0) of the first `count` values, which are put in another order (Hoare 1961)."""
    low, high = 0, count - 1
    while high - low >= _SMALL:
        pivot = values[(low + high) // 2]
        a, b = low, high
        while a <= b:
            while values[a] < pivot:
                a += 1
            while pivot < values[b]:
                b -= 1
            if a <= b:
                values[a], values[b] = values[b], values[a]
                a += 1
                b -= 1
        if k <= b:
            high = b
        elif k >= a:
            low = a
        else:
            return values[k]
    for n in range(low + 1, high + 1):
        value, m = values[n], n - 1
        while m >= low and value < values[m]:
            values[m + 1] = values[m]
            m -= 1
        values[m + 1] = value
    return values[k]


@kernel
def median(values, count):
    """Median of the first `count` values, finite and at least one; they are put in another order."""
    middle = select(values, count, count // 2)
    if count % 2:
        return middle
    below = values[0]
    for n in range(1, count // 2):
        below = max(below, values[n])
    return 0.5 * (below + middle)


@kernel
def quantile(values, count, share):
    """The value that a share (0..1) of the first `count` values, finite and at least one, lies below, interpolated linearly; they are put
    in another order.
    """
    at = share * (count - 1)
    k = int(at)
    low = select(values, count, k)
    if k + 1 >= count:
        return low
    above = values[k + 1]
    for n in range(k + 2, count):
        above = min(above, values[n])
    return low + (at - k) * (above - low)
