"""Running an operation of the registry on motions: what it takes is checked, credits and what was played go into its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reenact.core.made import Made, clip_of, with_credits
from reenact.errors import ParameterError
from reenact.operations.operation import Operation, resolve
from reenact.operations.played import played_rows

if TYPE_CHECKING:
    from reenact.core.clip import Clip
    from reenact.core.foot_plants import FootPlants


def run_operation(
    operation: Operation,
    clips: Sequence[Any],
    parameters: Any,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made:
    """Run an operation that makes a clip. The plants that travel with a clip are used unless others are given, and the report says which.

    Args:
        operation: which.
        clips: what it works on: clips, or a library and the names of clips in it.
        parameters: of its parameter class.
        plants: known foot plants of the clips that it takes them of (`Operation.plants`), None for those that it is to find.
    """
    result = call_operation(operation, clips, parameters, plants)
    made = result if isinstance(result, Made) else Made(result)
    if operation.of_library:
        return made
    clips = [clip_of(one) for one in clips]
    clips = [clip for one, clip in zip(operation.inputs * len(clips), clips, strict=False) if one.kind != "body"]
    made = with_credits(made, clips)
    rows = played_rows(made.report, [clip.name for clip in clips])
    if rows:
        made = replace(made, report={**made.report, "played": rows})
    if not operation.plants:
        return made
    asked = clips[:1] if operation.plants == "first" else clips
    return replace(made, report={**made.report, "plants_used": plants_used(asked, plants)})


def call_operation(
    operation: Operation,
    clips: Sequence[Any],
    parameters: Any,
    plants: Sequence[FootPlants | None] | None = None,
) -> Any:
    """What the function of an operation gives; arguments as those of `run_operation`."""
    function = resolve(operation.function)
    if operation.takes == "clip" and len(clips) != 1:
        raise ParameterError(f"{operation.name} takes one clip, {len(clips)} were given")
    if plants is not None and not operation.plants:
        raise ParameterError(f"{operation.name} takes no foot plants", where="plants")
    if operation.of_library:
        return function(clips[0], list(clips[1:]), parameters)
    if operation.gives not in ("picture", "video"):  # those show the body, too
        clips = [clip_of(one) for one in clips]
    given: Any = clips[0] if operation.takes == "clip" else clips
    if plants is None:
        return function(given, parameters)
    return function(
        given, parameters, plants if operation.takes == "clips" and operation.plants == "each" else plants[0]
    )


def plants_used(clips: Sequence[Clip], plants: Sequence[FootPlants | None] | None) -> list[str]:
    """Where the foot plants of each clip come from: a detector's name, a file, those that were carried, or that they were detected."""
    given = [None] * len(clips) if plants is None else plants
    known = [clip.plants if one is None else one for clip, one in zip(clips, given, strict=True)]
    return ["detected" if one is None else one.source or "given" for one in known]
