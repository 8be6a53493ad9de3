"""Where the foot plants of clips come from when somebody has a say in it: text files given by hand, and a detector by its name.

One dataclass for every command that uses plants; the options `--plants` and `--detector` are made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reenact.analysis.plants import DETECTORS, detect_plants, require_detector
from reenact.core.clip import Clip
from reenact.core.foot_plants import FootPlants
from reenact.core.parameters import option
from reenact.errors import ParameterError
from reenact.formats.plants_text import edit_plants, parse_plants, read_plants


@dataclass(frozen=True, slots=True)
class PlantChoice:
    """Which foot plants a method is to use; without a choice it finds those it needs itself."""

    plants: tuple[str, ...] = option(
        (),
        "text file of foot plants, or of corrections to those detected; once for each clip, in their order, or CLIP=FILE",
    )
    detector: str | None = option(None, f"how foot plants are found: {', '.join(DETECTORS)}; default: adaptive")

    def __post_init__(self) -> None:
        if self.detector is not None:
            require_detector(self.detector)
        names = [name for name, _ in self._named()]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"two files of foot plants for {twice!r}", where="plants")

    @property
    def made(self) -> bool:
        """True when there is a choice at all."""
        return bool(self.plants) or self.detector is not None

    @property
    def by_place(self) -> bool:
        """True when a file is for the clip in its place."""
        return bool(self._plain())

    def of(self, clips: Sequence[Clip], default: str = "adaptive") -> list[FootPlants | None] | None:
        """Foot plants of each clip; None without a choice, and for a skeleton without feet.

        Args:
            clips: in the order in which they were given.
            default: detector where none was chosen.

        Raises:
            ParameterError: files for other clips, or not for all of them.
            FormatError: a file that is wrong, or for another number of frames.
        """
        self.check([clip.name for clip in clips])
        if not self.made:
            return None
        return [self.of_one(clip, place, default) for place, clip in enumerate(clips)]

    def of_one(self, clip: Clip, place: int = 0, default: str = "adaptive") -> FootPlants | None:
        """Foot plants of the clip in this place: of its file, else detected; None without a choice, and for a skeleton without feet."""
        file = self.file_for(clip.name, place)
        if file is not None:
            return read_given(clip, file, self.detector or default)
        if self.detector is None or not {"left_foot", "right_foot"} & set(clip.skeleton.roles):
            return None
        return detect_plants(clip, self.detector)

    def check(self, names: Sequence[str]) -> None:
        """Raise an error unless every file is for one of the clips of these names, and files without a name are for all of them."""
        for name, _ in self._named():
            if name not in names:
                known = ", ".join(repr(one) for one in names)
                raise ParameterError(f"foot plants for {name!r}, but the clips are {known}", where="plants")
        plain = self._plain()
        if plain and len(plain) != len(names):
            raise ParameterError(
                f"{len(plain)} file{'s' * (len(plain) > 1)} of foot plants for {len(names)} clips: give one for each, in their order, "
                "or say CLIP=FILE",
                where="plants",
            )

    def file_for(self, name: str, place: int) -> Path | None:
        """The file given for a clip, by its name or its place."""
        for one, file in self._named():
            if one == name:
                return file
        plain = self._plain()
        return plain[place] if place < len(plain) else None

    def named_files(self) -> list[tuple[str, Path]]:
        """Files with the names of their clips, for a library: there a file without a name is for nobody.

        Raises:
            ParameterError: a file without a name.
        """
        if plain := self._plain():
            raise ParameterError(f"say whose foot plants {plain[0].name} holds: CLIP=FILE", where="plants")
        return self._named()

    def only(self, name: str) -> PlantChoice:
        """What was chosen for one of many clips, by its name."""
        own = tuple(str(file) for one, file in self._named() if one == name)
        return PlantChoice(own[:1], self.detector)

    def check_named(self, names: Sequence[str]) -> None:
        """Raise an error unless every file says whose it is, and it is that of one of the clips of these names."""
        for one, _ in self.named_files():
            if one not in names:
                raise ParameterError(
                    f"foot plants for {one!r}, which is none of the {len(names)} clips", where="plants"
                )

    def _named(self) -> list[tuple[str, Path]]:
        return [(text.partition("=")[0], Path(text.partition("=")[2])) for text in self.plants if _has_name(text)]

    def _plain(self) -> list[Path]:
        return [Path(text) for text in self.plants if not _has_name(text)]


def _has_name(text: str) -> bool:
    name, sign, _ = text.partition("=")
    return bool(sign and name) and not Path(text).is_file()


def read_given(clip: Clip, file: Path, detector: str = "adaptive", known: FootPlants | None = None) -> FootPlants:
    """The plants of a clip as a text file says: all of them, or corrections to `known` ones, else to what a detector finds."""
    if parse_plants(file).frames is None:
        return edit_plants(detect_plants(clip, detector) if known is None else known, file)
    plants = read_plants(file)
    if len(plants) != len(clip):
        raise ParameterError(f"the plants have {len(plants)} frames, the clip {len(clip)}", where=str(file))
    return plants
