"""What the fuzzers share: mutations of bytes, texts and numbers, and the loop that counts and keeps what was found."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reenact.errors import ReenactError

WHOLE = (
    0,
    1,
    2,
    7,
    19,
    20,
    21,
    127,
    128,
    255,
    256,
    32767,
    65535,
    1 << 31,
    (1 << 32) - 1,
    1 << 62,
    (1 << 63) - 1,
    -1,
    -(1 << 63),
)
FRACTIONS = (0.0, -0.0, 0.5, 1e-320, 1e300, float("inf"), float("-inf"), 29.97, -1.0)
TEXTS = (
    "", " ", "x", "null", "[]", "{}", "{", "[" * 5000, "9" * 5000, '{"a": [1e999]}', "NaN", "-Infinity", '"', "../../../etc/passwd",
    "/etc/passwd", "a\0b", "\n", "é", "\U0001f600", "clip1", "0" * 40, "f" * 40, "True", "[-1]", "[99]", '["x"]', "'; DROP TABLE clips; --",
)  # fmt: skip


def mutate_bytes(data: bytes, chance: random.Random, most: int = 4) -> bytes:
    """Some bytes changed, moved, cut off or put in."""
    held = bytearray(data)
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(held) + 1) if held else 0
        length = min(chance.choice((1, 1, 2, 4, 8, 64, 4096)), len(held) - at)
        kind = chance.randrange(8)
        if kind == 0 and held:
            held[at % len(held)] ^= 1 << chance.randrange(8)
        elif kind == 1 and held:
            held[at % len(held)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 2:
            held[at : at + length] = bytes(length)
        elif kind == 3:
            held[at : at + length] = chance.randbytes(length)
        elif kind == 4 and held:
            other = chance.randrange(len(held))
            held[at : at + length] = held[other : other + length]
        elif kind == 5 and chance.random() < 0.3:
            del held[at:]
        elif kind == 6:
            held[at:at] = chance.randbytes(length)
        else:
            number = chance.choice(WHOLE) & ((1 << (8 * max(1, length % 9))) - 1)
            held[at : at + length] = number.to_bytes(max(1, length % 9), chance.choice(("big", "little")))
    return bytes(held)


def mutate_words(text: str, words: tuple[str, ...], chance: random.Random) -> str:
    """A text with some of its parts replaced, doubled or left out by those of a grammar."""
    parts = list(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(parts) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            parts[at : at + chance.randint(0, 6)] = chance.choice(words)
        elif kind == 1:
            del parts[at : at + chance.randint(1, 8)]
        elif kind == 2:
            parts[at:at] = parts[at : at + chance.randint(1, 12)]
        else:
            parts[at:at] = chance.choice(words)
    return "".join(parts)


def any_value(chance: random.Random) -> object:
    """Whatever may lie in a cell."""
    kind = chance.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice(WHOLE)
    if kind == 2:
        return chance.choice(FRACTIONS)
    if kind == 3:
        return chance.randbytes(chance.choice((0, 1, 8, 40)))
    return chance.choice(TEXTS)


@dataclass(slots=True)
class Findings:
    """What came of a run: executions, how often which error was raised on purpose, and what should not have been."""

    executions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def run(
    one: Callable[[random.Random], None], executions: int, seed: int, keep: Path | None = None, first: int = 0
) -> Findings:
    """Execute `one` so many times, each with its own random numbers: `seed` and the number of the execution tell them all.

    Anything but a `ReenactError` or an `OSError` is a fault; its first lines are kept, and written to `keep` as they come.
    """
    findings = Findings()
    begun = time.monotonic()
    for number in range(first, first + executions):
        try:
            one(random.Random(f"{seed}/{number}"))
        except (ReenactError, OSError) as error:
            findings.refused[type(error).__name__] += 1
        except Exception:
            told = f"seed {seed}, execution {number}:\n{traceback.format_exc()}"
            findings.faults.append(told)
            if keep is not None:
                with keep.open("a", encoding="utf-8", errors="backslashreplace") as stream:
                    stream.write(told + "\n")
        findings.executions += 1
    findings.refused["seconds"] = round(time.monotonic() - begun)
    return findings
