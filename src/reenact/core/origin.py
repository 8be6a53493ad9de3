"""Where a clip came from: what a writer must restore so that a file comes back as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from reenact.core.arrays import Float32
from reenact.core.findings import Finding

UpAxis = Literal["x", "y", "z"]


@dataclass(frozen=True, slots=True)
class AddedPose:
    """A T-pose frame that a converter had put before the recording; dropped on load, put back when an unedited clip is saved."""

    rotations: Float32  # (J, 4) wxyz
    root: Float32  # (3,) metres


@dataclass(frozen=True, slots=True)
class Credit:
    """Whose motion it is, and what its use asks for.

    Attributes:
        source: where it was recorded or published.
        licence: under which it may be used.
        acknowledgement: the words that belong beside what is made of it.
    """

    source: str = ""
    licence: str = ""
    acknowledgement: str = ""

    def __bool__(self) -> bool:
        return bool(self.source or self.licence or self.acknowledgement)

    def __str__(self) -> str:
        return "; ".join(text for text in (self.source, self.licence, self.acknowledgement) if text)


def join_credits(*lists: Iterable[Credit]) -> tuple[Credit, ...]:
    """All credits of several, each once, in their order."""
    return tuple(dict.fromkeys(credit for credits in lists for credit in credits if credit))


@dataclass(frozen=True, slots=True)
class Origin:
    """How the file held the motion; the clip itself is always in metres, Y up.

    Attributes:
        format: name of the format it was read from ("bvh", "amc", ...); empty for motion that was made.
        path: the file.
        unit: metres per unit of length in the file.
        up: the file's up axis.
        frame_time: the frame time as the file spells it (`.0083333`), kept while the frame rate is unchanged.
        channels: for each joint its BVH channels in order, such as "XpYpZpZrYrXr"; empty for other formats.
        adds_offset: position channels are added to the joint's offset instead of replacing it.
        added_pose: a T-pose frame dropped from the start.
        end_names: how end sites are named, where a format names them.
        acclaim: for Acclaim motion the text of its skeleton file (axes, degrees of freedom, limits), then the bone names in the order
            of the motion file's lines; empty for other formats.
        findings: what was noticed while reading.
        credits: whose recordings the motion is made of.
    """

    format: str = ""
    path: str = ""
    unit: float = 1.0
    up: UpAxis = "y"
    frame_time: str = ""
    channels: tuple[str, ...] = ()
    adds_offset: bool = False
    added_pose: AddedPose | None = None
    end_names: tuple[str, ...] = ()
    acclaim: tuple[str, ...] = field(default=(), repr=False)
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    credits: tuple[Credit, ...] = ()
