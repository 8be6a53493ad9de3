"""Several clips in one picture: prepared, tinted, and kept in step by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.errors import ParameterError
from reenact.render.palette import Palette
from reenact.render.people import FigureKind, skin_in_frame
from reenact.render.stage import Pose
from reenact.render.subject import Subject, prepare

_ALL_ROUND = np.array([way for way in product((-1, 0, 1), repeat=3) if any(way)], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """Subjects that share a picture and start together; the first leads.

    Attributes:
        subjects: prepared clips.
        palette: gives each its tint.
        floor: height of the ground in metres.
    """

    subjects: tuple[Subject, ...]
    palette: Palette
    floor: float

    @property
    def lead(self) -> Subject:
        """The first subject: its facing and size set the view."""
        return self.subjects[0]

    @property
    def longest(self) -> Subject:
        """The subject with the longest clip: its frames are counted."""
        return max(self.subjects, key=lambda subject: subject.clip.seconds)

    @property
    def size(self) -> float:
        """The largest body's size in metres."""
        return max(subject.figure.size for subject in self.subjects)

    def frame_at(self, subject: Subject, time: float) -> int | None:
        """The subject's frame nearest to a time in seconds; None after its end."""
        frame = round(time * subject.clip.fps)
        last = len(subject.clip) - 1
        return min(frame, last) if frame <= last + 0.5 * subject.clip.fps / self.longest.clip.fps else None

    def poses(self, time: float) -> list[Pose]:
        """Everyone's pose at a time in seconds; those whose clip is over are gone."""
        frames = [(subject, self.frame_at(subject, time)) for subject in self.subjects]
        return [
            Pose(subject, frame, self.palette.tint(index), None if len(self.subjects) == 1 else index)
            for index, (subject, frame) in enumerate(frames)
            if frame is not None
        ]

    def centre(self, time: float) -> Float:
        """(3,) the middle of everyone's centres at a time; those whose clip is over stay where they ended."""
        places = [
            subject.centre[min(round(time * subject.clip.fps), len(subject.clip) - 1)] for subject in self.subjects
        ]
        return np.mean(np.asarray(places, dtype=np.float64), axis=0)


def gather(
    clips: Clip | Made | Sequence[Clip | Made], palette: Palette, floor: float | None, shown: FigureKind = "sticks"
) -> Cast:
    """Prepare one clip, or several to lay over one another."""
    chosen = (clips,) if isinstance(clips, Clip | Made) else tuple(clips)
    if not chosen:
        raise ParameterError("there is no clip to draw")
    subjects = tuple(prepare(clip, floor, shown) for clip in chosen)
    return Cast(subjects, palette, subjects[0].floor)


def pose_points(poses: Sequence[Pose]) -> Float:
    """(N, 3) ends of everything that is drawn of some poses: joints, end sites, head and nose, and the ends of meshes."""
    found = [pose.capsules()[0].reshape(-1, 3) for pose in poses]
    found += [_ends_of_skin(pose) for pose in poses if pose.subject.person is not None]
    return np.concatenate(found or [np.zeros((0, 3))])


def _ends_of_skin(pose: Pose) -> Float:
    """(26, 3) the vertices of a mesh that reach farthest, looked at from all round."""
    assert pose.subject.person is not None
    skin = skin_in_frame(pose.subject.person, pose.subject.world, pose.frame)
    return skin[(skin @ _ALL_ROUND.T).argmax(axis=0)].astype(np.float64)
