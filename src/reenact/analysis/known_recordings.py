"""Public recordings whose files state a wrong frame rate, known by the bones of their skeletons.

A wave or a seated pose holds nothing that tells its time scale. But every subject of the CMU database has a skeleton of its own, and
where the jumps and walks of a subject play twice too fast, so do the waves of the same sessions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reenact.core.skeleton import Skeleton

_BONES = tuple(
    f"{side}_{bone}" for bone in ("lower_leg", "foot", "lower_arm", "hand") for side in ("left", "right")
)  # the joints at the ends of thighs, shanks, upper arms and forearms
_ALIKE = 0.001  # metres; the nearest two subjects differ by 12 mm
_SAME_RATE = 0.02  # share


@dataclass(frozen=True, slots=True)
class KnownSubject:
    """Somebody whose files state a wrong rate.

    Attributes:
        name: as people call the recordings.
        stated: frames per second in the files.
        true: frames per second of the recording.
        bones: lengths of left and right thigh, shank, upper arm and forearm, metres.
    """

    name: str
    stated: float
    true: float
    bones: tuple[float, ...]


KNOWN = (
    KnownSubject("CMU subject 74", 120, 60, (0.3632, 0.3745, 0.4194, 0.3875, 0.2615, 0.2487, 0.193, 0.1945)),
    KnownSubject("CMU subject 75", 120, 60, (0.4168, 0.4182, 0.4236, 0.4265, 0.2689, 0.2769, 0.1991, 0.1934)),
    KnownSubject("CMU subject 93", 120, 60, (0.4378, 0.4294, 0.4311, 0.4338, 0.2908, 0.3073, 0.1973, 0.2023)),
    KnownSubject("CMU subject 141", 120, 60, (0.3481, 0.3548, 0.3991, 0.387, 0.2442, 0.2422, 0.1855, 0.1822)),
    KnownSubject("CMU subject 143", 120, 60, (0.3491, 0.3474, 0.3904, 0.3876, 0.2853, 0.2862, 0.1914, 0.1778)),
)
"""Subjects all of whose jumps, runs and walks contradict the stated rate, and none of whose clips speaks for it."""


def find_known(skeleton: Skeleton, fps: float) -> KnownSubject | None:
    """The known subject whose bones (metres) a skeleton has, when the file states the rate that is known to be wrong."""
    if not skeleton.has_roles(*_BONES):
        return None
    ends = [skeleton.roles[role] for role in _BONES]
    lengths = np.linalg.norm(skeleton.offsets[ends], axis=1)
    for subject in KNOWN:
        same_rate = abs(fps / subject.stated - 1) < _SAME_RATE
        if same_rate and np.abs(lengths - subject.bones).max() < _ALIKE:
            return subject
    return None
