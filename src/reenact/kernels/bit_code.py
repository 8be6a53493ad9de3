"""What stands for the instructions of `bits` in machine code; imported by the compiler only, as it imports Numba."""

from __future__ import annotations

import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def load_word(typingctx, text, at):
    """The eight bytes text[at : at + 8] of a uint8 array as one uint64, the first byte lowest; nothing is checked."""
    signature = types.uint64(text, types.uint64)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)
        if sys.byteorder == "big":
            word = builder.bswap(word)
        return word

    return signature, generate


@intrinsic
def store_word(typingctx, text, at, word):
    """Write the eight bytes of a uint64 to text[at : at + 8] of a uint8 array, the lowest first; nothing is checked."""
    signature = types.void(text, types.uint64, types.uint64)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        value = builder.bswap(arguments[2]) if sys.byteorder == "big" else arguments[2]
        builder.store(value, builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def trailing_zeros(typingctx, word):
    """How many low bits of a uint64 are zero; 64 for zero itself."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate
