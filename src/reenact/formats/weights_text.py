"""Weights of joints as text: lines `joint w [w' [w'']]` with the weights of position, velocity and acceleration::

    # joint or role   position  velocity  acceleration
    hips              1
    head              1
    left_hand         0.1       0.0002

Words after `#` and empty lines do not count. A weight that is left out follows the metric's own scaling; a line `others w` says what the
joints weigh that are not named, without it nothing. The format is the project's own
(reuse specification 3.22 names the file and gives no form); names with spaces stand in quotes.
"""

from __future__ import annotations

import math
import os
import shlex

from reenact.core.joint_weights import JointWeights
from reenact.errors import FormatError, ParameterError
from reenact.formats.atomic import atomic_write
from reenact.formats.word_lines import read_small_text, word_lines


def read_weights(path: str | os.PathLike[str]) -> JointWeights:
    """The weights in a file; `FormatError` names the line that cannot be read."""
    return parse_weights(read_small_text(path, "file of weights"), path)


def parse_weights(text: str, path: str | os.PathLike[str] = "") -> JointWeights:
    """The weights in a text."""
    columns: tuple[dict[str, float], ...] = ({}, {}, {})
    for number, words in word_lines(text, path):
        if not 2 <= len(words) <= 4:
            raise FormatError(f"expected a joint and 1 to 3 weights, found {len(words)} words", path=path, line=number)
        if words[0] in columns[0]:
            raise FormatError(f"the joint {words[0]!r} stands twice", path=path, line=number)
        for column, word in zip(columns, words[1:], strict=False):
            column[words[0]] = _weight(word, path, number)
    others = columns[0].pop("others", 0.0)
    if "others" in columns[1]:
        raise FormatError("the other joints have one weight, that of their positions", path=path)
    try:
        return JointWeights(*columns, others=others)
    except ParameterError as error:
        raise FormatError(error.message, path=path) from None


def _weight(word: str, path: str | os.PathLike[str], line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise FormatError(f"a weight must be zero or more, not {word!r}", path=path, line=line)
    return value


def write_weights(weights: JointWeights, path: str | os.PathLike[str]) -> None:
    """Write weights so that `read_weights` gives them back."""
    lines = ["# joint or role, weights of position, velocity, acceleration"]
    for joint, weight in weights.position.items():
        words = [shlex.quote(joint), f"{weight!r}"]
        if joint in weights.velocity:
            words.append(f"{weights.velocity[joint]!r}")
            if joint in weights.acceleration:
                words.append(f"{weights.acceleration[joint]!r}")
        lines.append(" ".join(words))
    if weights.others > 0:
        lines.append(f"others {weights.others!r}")
    with atomic_write(path) as stream:
        stream.write(("\n".join(lines) + "\n").encode())
