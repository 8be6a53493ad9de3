"""The operation `video`: a motion as a moving picture, drawn when it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from reenact.core.clip import Clip
from reenact.core.made import Made, clip_of
from reenact.errors import ParameterError
from reenact.render.animation import AnimationParameters, save_animation, video_times


@dataclass(frozen=True, slots=True, eq=False)
class Video:
    """A motion, or several laid over one another, and how they are drawn.

    Attributes:
        clips: the motions.
        parameters: how it looks.
    """

    clips: tuple[Clip | Made, ...]
    parameters: AnimationParameters

    def save(self, path: str | PathLike[str]) -> int:
        """Draw it into a `.mp4` or `.gif`, whole or not at all; gives the number of pictures."""
        return save_animation(self.clips, path, self.parameters)

    def as_dict(self) -> dict[str, Any]:
        """Its size, rate and length as plain values."""
        longest = max(map(clip_of, self.clips), key=lambda clip: clip.seconds)
        rate = self.parameters.rate(longest.fps)
        count = len(video_times(longest.seconds, rate, self.parameters.speed))
        return {
            "pixels": [self.parameters.width, self.parameters.height],
            "pictures": count,
            "fps": rate,
            "seconds": round(count / rate, 4),
        }


def make_video(clips: Sequence[Clip | Made], parameters: AnimationParameters | None = None) -> Video:
    """A moving picture of one motion, or of several laid over one another."""
    if not clips:
        raise ParameterError("nothing to draw: give at least one clip")
    return Video(tuple(clips), parameters or AnimationParameters())
