"""`load`, `load_all` and `save`: a format's reader plus the inspection that says what the numbers mean."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from reenact.analysis.added_pose import AddedPoseGuess, detect_added_pose
from reenact.analysis.frame_rate import detect_frame_rate
from reenact.analysis.sampling import sample_world
from reenact.analysis.units import UNITS, detect_unit
from reenact.analysis.up_axis import detect_up_axis
from reenact.body.standing import standing_still
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made, clip_of
from reenact.core.motion_print import take_print
from reenact.core.origin import AddedPose, Credit, join_credits
from reenact.core.parameters import check_ranges, option
from reenact.core.role_finding import assign_roles
from reenact.core.space import from_file_space
from reenact.errors import FormatError, ParameterError
from reenact.formats.address import is_pipe, split_address
from reenact.formats.credits_text import credits_beside, write_credits
from reenact.formats.events_json import write_events
from reenact.formats.loaded import LARGEST_UNIT, SMALLEST_UNIT, Loaded, ReadOptions, Tolerance, WriteOptions
from reenact.formats.passing import note_piped, piped_format, standard_input, standard_output
from reenact.formats.plants_text import is_as_written, parse_plants, plants_in, write_plants
from reenact.formats.registry import Format, find_format, format_by_ending, formats, require_writable


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What you know better than the file. Everything found out by itself is reported as a finding."""

    clip: str | None = option(None, "name or number of the clip, when the file holds several")
    fps: float | Literal["auto"] | None = option(
        None, "frame rate, or auto to apply a suggested one; default: the file's", unit="Hz", above=0, high=100_000
    )
    unit: float | str = option("auto", "length unit of the file: auto, metres per unit, or m dm cm mm inch foot cmu")
    up: Literal["auto", "x", "y", "z"] = option("auto", "up axis of the file")
    added_pose: Literal["auto", "keep", "drop"] = option(
        "auto", "a T-pose frame put before the recording: drop it when found, keep it, or drop frame 0 anyway"
    )
    position_channels: Literal["auto", "replace", "add"] = option(
        "auto", "whether BVH position channels replace a joint's OFFSET or are added to it"
    )
    skeleton: Path | None = option(
        None, "ASF file of an AMC file, skeleton (.mhskel) of an OBJ file; default: looked for beside it"
    )
    source: str = option("", "where the recording is from; travels with it")
    licence: str = option("", "licence of the recording; travels with it, and results list those of all their sources")
    acknowledgement: str = option("", "words that belong beside what is made of the recording")
    tolerance: Tolerance = option(
        "normal", "strict: refuse every departure from the format; recover: save what can be saved of a damaged file"
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if isinstance(self.unit, str) and self.unit != "auto" and self.unit not in UNITS:
            try:
                object.__setattr__(self, "unit", float(self.unit))
            except ValueError:
                raise ParameterError(
                    f"unit must be auto, a number of metres or one of {', '.join(UNITS)}, not {self.unit!r}",
                    where="unit",
                ) from None
        if not isinstance(self.unit, str) and not SMALLEST_UNIT <= self.unit <= LARGEST_UNIT:
            raise ParameterError(
                f"unit must be {SMALLEST_UNIT:g} to {LARGEST_UNIT:g} metres, not {self.unit:g}", where="unit"
            )


def load_all(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Loaded:
    """Everything in a file: all clips in metres and Y up, characters, and what was noticed.

    `pack.glb#Walk` is that one clip of the file; `-` is what comes through the standard input.
    """
    path, wanted = split_address(path)
    if is_pipe(path):
        with standard_input() as file:
            loaded = _load_file(file, options or LoadOptions())
        note_piped(loaded.format)
    else:
        loaded = _load_file(path, options or LoadOptions())
    if wanted is None:
        return loaded
    return replace(loaded, clips=(choose_clip(loaded, wanted, path),))


def _load_file(path: Path, options: LoadOptions) -> Loaded:
    entry = find_format(path)
    loaded = entry.read(path, _read_options(options))
    clips, findings = [], list(loaded.findings)
    for clip in loaded.clips:
        where = path.name if len(loaded.clips) == 1 else f"{path.name}#{clip.name}"
        held = clip.plants
        clip, noticed = inspect(clip, entry, options, where)
        if held is not None:
            clip = _with_plants(clip, held, where, noticed)
        elif not entry.holds_plants:
            clip = find_plants_beside(clip, path, where, noticed)
        findings += [finding for finding in noticed if finding not in findings]
        given = Credit(options.source, options.licence, options.acknowledgement)
        beside = () if entry.holds_plants else credits_beside(path)
        known = join_credits(clip.origin.credits, beside, [given])
        clips.append(clip.with_origin(replace(clip.origin, findings=(*loaded.findings, *noticed), credits=known)))
    return replace(loaded, clips=tuple(clips), findings=tuple(findings))


def _read_options(options: LoadOptions) -> ReadOptions:
    unit = UNITS.get(options.unit) if isinstance(options.unit, str) else options.unit
    up = None if options.up == "auto" else options.up
    return ReadOptions(options.tolerance, options.skeleton, options.position_channels, unit, up)


def inspect(clip: Clip, entry: Format, options: LoadOptions, where: str) -> tuple[Clip, list[Finding]]:
    """Find out what a reader's numbers mean, apply it, and say so: roles, up axis, units, an added T-pose, the frame rate."""
    findings: list[Finding] = []
    if not entry.states_units or options.unit != "auto" or options.up != "auto":
        clip = _settle_space(clip, entry, options, where, findings)
    if entry.keeps_inspection and clip.skeleton.roles:
        return _settle_rate(clip, options, where, findings), findings
    clip = _settle_roles(clip, where, findings)
    clip = _settle_added_pose(clip, options, where, findings)
    return _settle_rate(clip, options, where, findings), findings


def _settle_space(clip: Clip, entry: Format, options: LoadOptions, where: str, findings: list[Finding]) -> Clip:
    named, _ = assign_roles(clip.skeleton)
    world = sample_world(clip)
    guess_up = detect_up_axis(clip.with_skeleton(named), world)
    up = guess_up.axis if options.up == "auto" else options.up
    guess_unit = detect_unit(clip.with_skeleton(named), world, up)
    if isinstance(options.unit, str):
        unit = UNITS.get(options.unit, guess_unit.metres_per_unit)
    else:
        unit = options.unit
    if entry.states_units:  # the format says both; only what was given by hand changes it
        up = "y" if options.up == "auto" else up
        return from_file_space(clip, 1.0 if options.unit == "auto" else unit, up)
    findings += guess_up.findings(where, applied=up == guess_up.axis)
    findings += guess_unit.findings(where, applied=unit == guess_unit.metres_per_unit)
    return from_file_space(clip, unit, up)


def _settle_roles(clip: Clip, where: str, findings: list[Finding]) -> Clip:
    skeleton, found = assign_roles(clip.skeleton, sample_world(clip, 60).positions)
    findings += [replace(finding, where=where) for finding in found.findings]
    return clip.with_skeleton(skeleton)


def _settle_added_pose(clip: Clip, options: LoadOptions, where: str, findings: list[Finding]) -> Clip:
    if len(clip) < 2 or clip.origin.added_pose is not None:
        return clip
    guess = detect_added_pose(clip)
    if options.added_pose == "drop" and not guess.present:
        guess = AddedPoseGuess(True, 1.0, "as asked")
    drop = guess.present and options.added_pose != "keep"
    findings += guess.findings(where, applied=drop)
    if not drop:
        return clip
    pose = AddedPose(clip.rotations[0], clip.root[0])
    moved = clip.translations
    shorter = replace(
        clip,
        rotations=clip.rotations[1:],
        root=clip.root[1:],
        translations=None if moved is None else moved[1:],
        origin=replace(clip.origin, added_pose=pose),
    )
    return shorter.as_recorded() if clip.pristine else shorter


def _settle_rate(clip: Clip, options: LoadOptions, where: str, findings: list[Finding]) -> Clip:
    if isinstance(options.fps, float | int):
        return replace(clip, fps=float(options.fps)) if clip.fps != options.fps else clip
    guess = detect_frame_rate(clip)
    apply = options.fps == "auto" and guess.suggested_fps is not None
    findings += guess.findings(where, applied=apply)
    if not apply or guess.suggested_fps is None:
        return clip
    changed = replace(clip, fps=guess.suggested_fps)
    return changed.as_recorded() if clip.pristine else changed


def _with_plants(clip: Clip, held: FootPlants, where: str, findings: list[Finding]) -> Clip:
    """The clip with the plants its file holds, unless it was read in another way than they were written for."""
    if len(held) != len(clip):
        findings.append(_unused(where, f"they are for {len(held)} frames, the clip has {len(clip)}"))
        return clip
    return clip.with_plants(replace(held, fps=clip.fps))


def plants_file(path: Path) -> Path:
    """Where the foot plants of a motion file lie whose format cannot hold them."""
    return path.with_suffix(".plants")


def find_plants_beside(clip: Clip, path: Path, where: str, findings: list[Finding]) -> Clip:
    """The clip with the foot plants of the text file that lies beside its own, where there is one that fits; what was found is told."""
    file = plants_file(path)
    if not file.is_file():
        return clip
    try:
        held = parse_plants(file)
        plants = plants_in(held, file)
    except (FormatError, OSError) as error:
        findings.append(_unused(file.name, error.message if isinstance(error, FormatError) else str(error.strerror)))
        return clip
    if len(plants) != len(clip):
        findings.append(_unused(file.name, f"they are for {len(plants)} frames, {where} has {len(clip)}"))
        return clip
    if not held.seen.fits(clip):
        findings.append(_unused(file.name, f"{where} was changed since they were written"))
        return clip
    told = "the foot plants of this file are used"
    findings.append(Finding("plants.used", "info", file.name, told))
    return clip.with_plants(replace(plants, fps=clip.fps))


def _unused(where: str, why: str) -> Finding:
    return Finding("plants.unused", "warning", where, f"its foot plants are not used: {why}")


def load(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Clip:
    """The one clip of a file (or the one named by `options.clip`), in metres and Y up; `clip.origin.findings` says what was noticed."""
    options = options or LoadOptions()
    loaded = load_all(path, options)
    return choose_clip(loaded, options.clip, path)


def choose_clip(loaded: Loaded, wanted: str | None, path: str | os.PathLike[str]) -> Clip:
    """The clip asked for by name or number (from 0), or the only one; else an error that lists them."""
    names = [clip.name for clip in loaded.clips]
    if not names:
        raise FormatError("the file holds no motion", path=path)
    if wanted is None:
        if len(names) == 1:
            return loaded.clips[0]
        raise FormatError(
            f"the file holds {len(names)} clips; choose one by name or number: {_listed(names)}", path=path
        )
    if wanted in names:
        return loaded.clips[names.index(wanted)]
    if wanted.isdigit() and int(wanted) < len(names):
        return loaded.clips[int(wanted)]
    raise FormatError(f"no clip {wanted!r}; by number and name there are {_listed(names)}", path=path)


def load_body(path: str | os.PathLike[str], options: LoadOptions | None = None) -> Clip:
    """A clip that shows the body a motion can be brought onto: the longest of a file, or a character in its rest pose.

    Files of characters hold many clips, or none; which of them it is does not matter much, since only the skeleton and how it stands
    count.
    """
    loaded = load_all(path, replace(options or LoadOptions(), clip=None))
    if loaded.clips:
        return max(loaded.clips, key=lambda clip: (clip.seconds, len(clip)))
    if not loaded.characters:
        raise FormatError("the file holds no motion and no character", path=path)
    return standing_still(loaded.characters[0]).renamed(Path(path).stem)


def _listed(names: list[str]) -> str:
    shown = [f"{n} {name!r}" for n, name in enumerate(names[:20])]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def plants_written(clip: Clip, path: str | os.PathLike[str], options: WriteOptions | None = None) -> Path | None:
    """Where the foot plants of a clip are once it is saved: in the file itself, or beside it; None where it has none, where they are not
    wanted, and where a file lies that a person wrote.
    """
    options = options or WriteOptions()
    if clip.plants is None or not options.plants:
        return None
    path = Path(path)
    if is_pipe(path):
        return path if pipe_format([clip], options).holds_plants else None
    if format_by_ending(path).holds_plants:
        return path
    beside = plants_file(path)
    return None if _is_hand_written(beside) and not options.overwrite_plants else beside


def _is_hand_written(file: Path) -> bool:
    return file.exists() and not (file.is_file() and is_as_written(file))


def save(clip: Clip | Made, path: str | os.PathLike[str], options: WriteOptions | None = None) -> tuple[Finding, ...]:
    """Write a clip, or what was made, with the character it was made for; the ending of `path` says the format.

    The file appears whole or not at all.

    Returns:
        what is to be known about it, as of `save_all`.
    """
    return save_all([clip], path, options)


def _with_body(options: WriteOptions, clips: Sequence[Clip | Made]) -> WriteOptions:
    """With the character that a motion was made for, where no other is to be written."""
    made = [one.character for one in clips if isinstance(one, Made) and one.character is not None]
    return replace(options, character=made[0]) if made and options.character is None else options


def save_all(
    clips: Sequence[Clip | Made], path: str | os.PathLike[str], options: WriteOptions | None = None
) -> tuple[Finding, ...]:
    """Write several clips into one file, for formats that can hold them; `-` is the standard output.

    Foot plants that travel with a clip go along: into the file, or into a text file of the same name beside it.

    Returns:
        what is to be known about it: that a file of plants written or changed by hand lies there and was left alone.
    """
    path, options = Path(path), _with_body(options or WriteOptions(), clips)
    if is_pipe(path):
        with standard_output(pipe_format(clips, options).endings[0]) as file:
            return save_all(clips, file, options)
    entry = format_by_ending(path)
    written = [clip_of(clip) if options.plants else clip_of(clip).with_plants(None) for clip in clips]
    entry.write(written, path, options)
    if not entry.holds_plants:
        write_credits(join_credits(*(clip.origin.credits for clip in written)), path)
    found: list[Finding] = []
    if options.events:
        write_events(written, path)
        found += [_without_events(clip, path) for clip in written if clip.plants is None]
    for clip in written:
        beside = plants_written(clip, path, options)
        if beside is not None and beside != path and clip.plants is not None:
            write_plants(clip.plants, beside, take_print(clip))
        elif beside is None and clip.plants is not None:
            kept = "was written or changed by hand and is left alone: the foot plants of the result are not written"
            hint = "--overwrite-plants replaces it, --no-plants asks for none"
            return (*found, Finding("plants.kept", "warning", plants_file(path).name, f"{kept} ({hint})"))
    return tuple(found)


def _without_events(clip: Clip, path: Path) -> Finding:
    told = f"{clip.name or 'the clip'} has no foot plants, so no events are known of it; `reenact plants` finds them"
    return Finding("events.none", "warning", path.name, told)


def pipe_format(clips: Sequence[Clip | Made], options: WriteOptions) -> Format:
    """In which format clips go through a pipe: as asked for, else as they were read where that can be written, else BVH."""
    if options.format:
        return require_writable(Path(f"-.{options.format.lstrip('.')}"))
    read = {piped_format() or clip_of(clip).origin.format for clip in clips}
    known = next((entry for entry in formats() if entry.name in read and entry.writes_motion), None)
    if known is None or (len(clips) > 1 and not known.many):
        return format_by_ending(Path("-.bvh" if len(clips) == 1 else "-.glb"))
    return known
