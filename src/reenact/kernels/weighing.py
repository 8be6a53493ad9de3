"""Weighed sums over windows of samples: what every low-pass is made of."""

from __future__ import annotations

from reenact.kernels.compiling import kernel


@kernel
def weigh(padded, weights, width, out):
    """out[k] = sum of weights[n] * padded[k + n * width], all float64.

    Args:
        padded: samples of `width` numbers one after the other, (K - 1) samples more than are asked for.
        weights: (K,).
        width: how many numbers a sample has.
        out: one number for each of those asked for.
    """
    count, taps = out.shape[0], weights.shape[0]
    for k in range(count):
        out[k] = 0.0
    n = 0
    while n + 4 <= taps:  # four at once: what is summed up is fetched and stored so much less often
        a, b, c, d = weights[n], weights[n + 1], weights[n + 2], weights[n + 3]
        first = n * width
        second, third, fourth = first + width, first + 2 * width, first + 3 * width
        for k in range(count):
            out[k] += a * padded[first + k] + b * padded[second + k] + c * padded[third + k] + d * padded[fourth + k]
        n += 4
    while n < taps:
        a, first = weights[n], n * width
        for k in range(count):
            out[k] += a * padded[first + k]
        n += 1
