"""One motion made of files, or one of each of many: read, made, written and told, for every verb that makes a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reenact.cli.batch import Row, goes_one_by_one, tell_of_many, work_on_many
from reenact.cli.dressing import dress
from reenact.cli.made_by import made_by
from reenact.cli.output import print_findings, print_json
from reenact.cli.report_output import print_report
from reenact.cli.sources import BatchOptions, Source, alone, is_library, list_sources, read_source, record_sources
from reenact.cli.targets import check_target, is_for_many, motion_targets
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.made import Made
from reenact.errors import FormatError, ParameterError
from reenact.formats.address import is_pipe
from reenact.formats.events_json import events_file
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, choose_clip, load_all, load_body, plants_written, save
from reenact.operations.operation import Operation
from reenact.operations.running import run_operation

if TYPE_CHECKING:
    from reenact.analysis.plant_choice import PlantChoice
    from reenact.body.character import Character


@dataclass(frozen=True, slots=True)
class NoPlants:
    """Of an operation that has nothing to do with feet: no options, no plants."""

    def of(self, clips: Sequence[Clip]) -> None:
        """None."""

    def only(self, name: str) -> NoPlants:
        """Itself."""
        return self

    def check_named(self, names: Sequence[str]) -> None:
        """Nothing to check."""


@dataclass(frozen=True, slots=True)
class Making:
    """How an operation makes clips of files: everything that was asked for but the files.

    Attributes:
        operation: which.
        parameters: its own.
        feet: whose foot plants are known.
        reading: how files are read.
        writing: how results are written.
        character: file with the mesh of the results.
        others: files that every clip of many is worked on with, such as the skeleton that all are brought onto.
    """

    operation: Operation
    parameters: Any
    feet: PlantChoice | NoPlants
    reading: LoadOptions
    writing: WriteOptions
    character: Path | None = None
    others: tuple[Path, ...] = ()

    def run(self, files: Sequence[Path], output: Path, batch: BatchOptions, *, json: bool) -> int:
        """Make one clip of files, or one of each; gives the exit code."""
        if self._goes_one_by_one(files, output, batch):
            return self._run_many(files, output, batch, json=json)
        check_target(output, self.writing)
        clips, characters = read_clips(self.operation, files, self.reading)
        row, made = self.make(clips, characters, output)
        if json:
            print_json({**row, "made_by": made_by()})
            return 0
        print_findings(finding for finding in row["findings"] if finding.severity != "info")
        about = made.report.get("findings", []) if isinstance(made.report, dict) else []
        print_findings(Finding(**one) for one in about if one["severity"] != "info")
        print(made_line(row))
        if row["plants"] is not None and row["plants"] != row["out"]:
            print(f"{row['plants']}: its foot plants")
        if "events" in row:
            print(f"{row['events']}: when its feet come down and lift")
        print_report(made.report)
        return 0

    def make(self, clips: Sequence[Clip], characters: Sequence[Character], output: Path) -> tuple[Row, Made]:
        """One result: run, written, and what there is to tell."""
        findings: list[Finding] = findings_of(clips)
        plants = self.feet.of(clips[:1] if self.operation.plants == "first" else clips)
        made = run_operation(self.operation, clips, self.parameters, plants)
        findings += save_made(made, output, self.writing, characters, self.character)
        beside = plants_written(made.clip, output, self.writing)
        row = {
            "out": str(output),
            "plants": None if beside is None else str(beside),
            "frames": len(made.clip),
            "fps": made.clip.fps,
            "seconds": made.clip.seconds,
            "report": made.report,
            "findings": findings,
        }
        if self.writing.events and not is_pipe(output):
            row["events"] = str(events_file(output))
        return row, made

    def __call__(self, source: Source, target: Path | None) -> Row:
        """The row of one clip of many."""
        assert target is not None
        reading = alone(self.reading, source)
        clip, characters = read_source(source, reading)
        others, _ = read_clips(self.operation, [source.path, *self.others], reading, first=clip)
        one = Making(self.operation, self.parameters, self.feet.only(clip.name), reading, self.writing, self.character)
        row, _ = one.make(others, characters, target)
        return {**row, "findings": [finding.as_dict() for finding in row["findings"]]}

    def _goes_one_by_one(self, files: Sequence[Path], output: Path, batch: BatchOptions) -> bool:
        """Whether each file becomes a result of its own."""
        operation = self.operation
        fixed = all(one.kind != "clips" for one in operation.inputs)
        more = batch.query is not None or is_for_many(output) or any(is_library(file) for file in files)
        if not more and not (fixed and len(files) > len(operation.inputs)):
            return False
        if not (fixed or operation.alone):
            raise ParameterError(
                f"{operation.name} makes one motion of all its files: name files, and one file with -o", where="-o"
            )
        return goes_one_by_one([*files, *files], output, batch)

    def _run_many(self, files: Sequence[Path], output: Path, batch: BatchOptions, *, json: bool) -> int:
        shared = len(self.operation.inputs) - 1 if len(self.operation.inputs) > 1 else 0
        if shared and len(files) <= shared:
            raise ParameterError(
                f"{self.operation.name} needs {', '.join(one.name for one in self.operation.inputs)}", where="files"
            )
        each, others = files[: len(files) - shared], tuple(files[len(files) - shared :])
        sources = list_sources(each, batch.query, self.reading)
        self.feet.check_named([source.name for source in sources])
        targets = motion_targets(output, [(source.name, source.kind) for source in sources], self.writing)
        work = Making(self.operation, self.parameters, self.feet, self.reading, self.writing, self.character, others)
        rows = work_on_many(work, sources, targets, batch, json=json)
        more = {"out": str(output), "made_by": made_by(used=record_sources(sources))} if json else None
        return tell_of_many(rows, made_line, json=json, more=more)


def findings_of(clips: Sequence[Any]) -> list[Finding]:
    """What reading the clips among some inputs found."""
    return [finding for clip in clips if isinstance(clip, Clip) for finding in clip.origin.findings]


def made_line(row: Row) -> str:
    """What people read of a result first."""
    return f"{row['out']}: {row['frames']} frames at {row['fps']:g} Hz, {row['seconds']:.2f} s"


def read_clips(
    operation: Operation, files: Sequence[Path], reading: LoadOptions, first: Clip | None = None
) -> tuple[list[Any], list[Character]]:
    """The clips (and characters) of files, each as the operation takes what stands in its place, and the characters that came with them.

    `first` is that of the first file, where it was read already.
    """
    kinds = [one.kind for one in operation.inputs] if len(operation.inputs) == len(files) else []
    clips: list[Any] = []
    characters: list[Character] = []
    for place, file in enumerate(files):
        if first is not None and place == 0:
            clips.append(first)
            continue
        loaded = load_all(file, reading)
        if kinds[place : place + 1] == ["body"] and first is None:
            print_findings(one for one in loaded.findings if one.severity != "info")
        if kinds[place : place + 1] == ["body"]:
            characters = [*loaded.characters, *characters]  # its mesh is worn, not that of the motion
            bare = operation.inputs[place].bare
            known = loaded.characters or not bare
            clips.append(_character_of(loaded.characters, file, bare=bare) if known else load_body(file, reading))
            continue
        characters += loaded.characters
        if kinds[place : place + 1] == ["character"] and not is_pipe(file):
            clips.append(load_body(file, reading))
        else:
            clips.append(choose_clip(loaded, reading.clip, file))
    return clips, characters


def _character_of(characters: Sequence[Character], file: Path, *, bare: bool) -> Character:
    """The first character of a file that has a mesh; the first of all, where none has and a `bare` one will do."""
    found = next((one for one in characters if len(one.vertices) and len(one.faces)), None)
    if found is None and bare:
        found = characters[0]
    if found is None:
        raise FormatError("holds no character with a mesh", path=file)
    return found


def save_made(
    made: Made, output: Path, writing: WriteOptions, characters: Sequence[Character], character: Path | None
) -> tuple[Finding, ...]:
    """Write what was made with the mesh that belongs to it; gives what is to be known about it."""
    came_along = characters if made.character is None else [made.character]
    return save(made.clip, output, dress(writing, made.clip.skeleton, came_along, character))
