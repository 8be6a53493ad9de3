"""Reading one file into the staging folder, in this process or in a process of its own.

As a program (`python -m reenact.library.import_worker`) it answers requests, one JSON object a line: first
`{"staging", "options", "types"}`, then for each file `{"path"}`, answered with an `Outcome`. It ends when its input does, so it cannot
outlive the process that asked.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reenact.errors import FormatError, ReenactError
from reenact.formats.registry import find_format
from reenact.library.characters import stage_character
from reenact.library.clip_files import StagedClip, stage_clip
from reenact.library.paths import path_text
from reenact.library.types import find_type
from reenact.library.walking import Failure, known_ending, os_failure
from reenact.loading import LoadOptions, choose_clip, load_all

SKELETONS_ONLY = frozenset({"asf"})
"""Formats whose one frame is a rest pose: no motion. The skeleton comes with the motion files that use it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a file.

    Attributes:
        clips: its clips, written to the staging folder.
        failure: why it could not be read.
        other: it is no motion file, and its ending does not say so either.
        disk: the staging folder could not be written: (error number, message, file). No file's fault; the import cannot go on.
    """

    clips: list[StagedClip] = field(default_factory=list)
    failure: Failure | None = None
    other: bool = False
    disk: tuple[int, str, str] | None = None


def read_into_staging(path: Path, options: LoadOptions, staging: Path, *, types: bool = False) -> Outcome:
    """Read a file and write the arrays of its clips; whatever is wrong with the file becomes a `Failure`.

    Args:
        path: the file.
        options: how it is read.
        staging: where the arrays go.
        types: also find out what each clip is.
    """
    text = path_text(path)
    try:
        if not known_ending(path):
            try:
                find_format(path)
            except FormatError:
                return Outcome(other=True)
        loaded = load_all(path, options)
        clips = loaded.clips if options.clip is None else (choose_clip(loaded, options.clip, path),)
        if loaded.format in SKELETONS_ONLY:
            clips = ()
    except ReenactError as error:
        return Outcome(failure=Failure(text, error.code, error.message, path_text(error.where or text)))
    except OSError as error:
        return Outcome(failure=os_failure(path, error))
    except MemoryError:
        return Outcome(failure=Failure(text, "memory", "not enough memory to read this file", text))
    except Exception as error:  # a fault of the reader: it may cost this file, never the import
        return Outcome(failure=Failure(text, "internal", f"the reader failed: {type(error).__name__}: {error}", text))
    staged: list[StagedClip] = []
    try:
        for number, clip in enumerate(clips):
            name = clip.name or (path.stem if len(clips) == 1 else f"{path.stem}-{number + 1}")
            one = stage_clip(clip.renamed(path_text(name)), staging)
            character = stage_character(loaded.characters, clip.skeleton, staging)
            staged.append(dataclasses.replace(one, character=character, type=find_type(clip) if types else {}))
    except OSError as error:
        return Outcome(disk=(error.errno or 0, error.strerror or str(error), path_text(error.filename or staging)))
    return Outcome(clips=staged)


def options_to_dict(options: LoadOptions) -> dict[str, Any]:
    """The options that are not the default, as plain values."""
    plain = LoadOptions()
    given: dict[str, Any] = {}
    for entry in dataclasses.fields(options):
        value = getattr(options, entry.name)
        if value != getattr(plain, entry.name):
            given[entry.name] = str(value.absolute()) if isinstance(value, Path) else value
    return given


def options_from_dict(given: dict[str, Any]) -> LoadOptions:
    """The options that `options_to_dict` wrote."""
    if "skeleton" in given:
        given = {**given, "skeleton": Path(given["skeleton"])}
    return LoadOptions(**given)


def outcome_to_dict(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain values."""
    return dataclasses.asdict(outcome)


def outcome_from_dict(held: dict[str, Any]) -> Outcome:
    """The outcome that `outcome_to_dict` wrote."""
    return Outcome(
        [StagedClip(**clip) for clip in held["clips"]],
        Failure(**held["failure"]) if held["failure"] else None,
        held["other"],
        tuple(held["disk"]) if held["disk"] else None,
    )


def main() -> None:
    """Answer requests until the input ends."""
    # Answers go through a copy of stdout: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    start = json.loads(requests.readline())
    staging, options = Path(start["staging"]), options_from_dict(start["options"])
    for line in requests:
        outcome = read_into_staging(Path(json.loads(line)["path"]), options, staging, types=start["types"])
        answers.write(json.dumps(outcome_to_dict(outcome)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
