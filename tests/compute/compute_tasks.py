"""Tasks of the tests, in a module of their own so that workers find them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from reenact.errors import FormatError, ParameterError


def double(item, shared):
    return 2 * item


def row_sum(item, shared):
    """Of a shared table and an offset."""
    return float(shared["table"][item].sum() + shared["offset"])


def scaled(scale, item, shared):
    return scale * item


class Adds:
    """A task that is an object."""

    def __init__(self, what: int) -> None:
        self.what = what

    def __call__(self, item, shared):
        return item + self.what


def array_of(item, shared):
    return np.full((item, 3), item, np.float32)


def places(item, shared):
    """Where the table lies, and whether it was mapped."""
    table = shared["table"]
    return type(table).__name__, str(getattr(table, "filename", "")), bool(table.flags.writeable), os.getpid()


def write_to_shared(item, shared):
    shared["table"][0] = 1.0


def fail_at_three(item, shared):
    if item == 3:
        raise ValueError("three is too many")
    return item


def refuse_at_three(item, shared):
    if item == 3:
        raise ParameterError("three is too many")
    return item


def refuse_with_a_place(item, shared):
    raise FormatError("no motion", path="walk.bvh", line=7)


class Odd(Exception):
    """An error that does not survive pickling."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def fail_oddly(item, shared):
    raise Odd("this", "that")


def give_a_function(item, shared):
    return lambda: item


def print_a_lot(item, shared):
    print("x" * 10_000)
    os.write(1, b"y" * 10_000)
    return item


def die_once(item, shared):
    """The worker of number 5 dies at the first try."""
    number, folder = item
    mark = Path(folder) / "died"
    if number == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_always(item, shared):
    if item == 3:
        print("out of luck", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def wait_a_little(item, shared):
    """Seconds to wait, and a file that tells that the waiting is over."""
    seconds, path = item
    time.sleep(seconds)
    Path(path).touch()
    return os.getpid()


def own_number(item, shared):
    time.sleep(0.05)
    return os.getpid()
