"""Machine words for kernels: unaligned loads and stores and a bit count, which Numba does not offer by itself."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import intrinsic


@intrinsic("reenact.kernels.bit_code:load_word")
def load_word(text, at):
    """The eight bytes text[at : at + 8] of a uint8 array as one uint64, the first byte lowest; nothing is checked."""
    return text[int(at) : int(at) + 8].view("<u8")[0].astype(np.uint64)


@intrinsic("reenact.kernels.bit_code:store_word")
def store_word(text, at, word):
    """Write the eight bytes of a uint64 to text[at : at + 8] of a uint8 array, the lowest first; nothing is checked."""
    text[int(at) : int(at) + 8] = np.array([word], "<u8").view(np.uint8)


@intrinsic("reenact.kernels.bit_code:trailing_zeros")
def trailing_zeros(word):
    """How many low bits of a uint64 are zero; 64 for zero itself."""
    word = int(word)
    return np.uint64((word & -word).bit_length() - 1 if word else 64)
