"""Retargeting as an operation: a motion and a character, the mapping from a file or into one, a partner from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reenact.analysis.carried_plants import known_plants
from reenact.body.character import Character
from reenact.core.clip import Clip
from reenact.core.findings import Finding
from reenact.core.foot_plants import FootPlants
from reenact.core.made import Made
from reenact.core.parameters import check_ranges, option
from reenact.errors import ParameterError, SkeletonError
from reenact.formats.mapping_json import read_mapping, write_mapping
from reenact.loading import load
from reenact.solve.hand_places import Hands
from reenact.solve.retargeting import retarget_motion, with_feet
from reenact.solve.target_body import TargetBody, body_of_character, body_of_skeleton

_INSIDE = 5.0  # per cent of the frames in which a forearm may be inside the body


@dataclass(frozen=True, slots=True)
class RetargetParameters:
    """How a motion is brought onto a character."""

    hands: Hands = option(
        "auto",
        "what hands are kept on where the source's touch it: auto (all of these), body, floor, each-other, partner, or off",
    )
    feet: bool = option(True, "hold planted feet on the floor, on the soles of the character")
    floor: bool = option(True, "let a body that lies, kneels or rolls rest on the floor, and keep it out of it")
    mapping: Path | None = option(
        None, "file that says which joints belong together (.json), instead of finding out", endings=(".json",)
    )
    write_mapping: Path | None = option(
        None,
        "write which joints belong together to this file (.json), to be edited and given back",
        endings=(".json",),
        written=True,
    )
    partner: Path | None = option(
        None,
        "the other person of a take of two, on whom hands are kept",
        endings=(".bvh", ".amc", ".glb", ".gltf", ".npz"),
        motion=True,
    )
    partner_on: Path | None = option(
        None,
        "that person as retargeted already, beside the result; default: as recorded, in the size of the character",
        endings=(".bvh", ".glb", ".gltf", ".npz"),
        motion=True,
    )

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.hands == "partner" and self.partner is None:
            raise ParameterError("hands kept on a partner need one: --partner FILE", where="hands")
        if self.partner_on is not None and self.partner is None:
            raise ParameterError("the partner as recorded is needed as well: --partner FILE", where="partner_on")


def retarget(
    given: Sequence[Clip | Character], parameters: RetargetParameters | None = None, plants: FootPlants | None = None
) -> Made:
    """A motion on a character.

    Args:
        given: the motion; the character, or a clip for its skeleton alone.
        parameters: how.
        plants: foot plants of the motion.
    """
    if len(given) != 2 or not isinstance(given[0], Clip):
        raise ParameterError(
            f"retargeting takes two files, a motion and a character; {len(given)} given, the motion first"
        )
    parameters = parameters or RetargetParameters()
    clip, onto = given[0], given[1]
    body = _body_of(onto)
    mapping = None if parameters.mapping is None else read_mapping(parameters.mapping)
    plants = _plants_of(with_feet(clip), plants, wanted=parameters.feet)
    partners = None if parameters.partner is None else _partners(clip, body, parameters)
    made = retarget_motion(
        clip,
        body,
        plants,
        floor=parameters.floor,
        hands=parameters.hands,
        given=mapping,
        partners=partners,
    )
    findings = [finding for finding in body.findings if finding.severity != "info"]
    inside = made.report["arms_inside_percent"]
    if max(inside.values(), default=0.0) > _INSIDE:
        sides = " and ".join(f"the {side} one in {share:.0f} %" for side, share in inside.items() if share > _INSIDE)
        told = f"forearms are inside the body, {sides} of the frames; `reenact adapt` brings them out"
        findings.append(Finding("retarget.arms-inside", "warning", body.name, told))
    report = {**made.report, "findings": [finding.as_dict() for finding in findings]}
    if parameters.write_mapping is not None:
        write_mapping(made.mapping, parameters.write_mapping)
        report["mapping"] = str(parameters.write_mapping)
    return Made(
        made.clip, report, made.plants, character=onto if isinstance(onto, Character) and len(onto.vertices) else None
    )


def _body_of(onto: Clip | Character) -> TargetBody:
    return body_of_character(onto) if isinstance(onto, Character) else body_of_skeleton(onto)


def _plants_of(clip: Clip, plants: FootPlants | None, *, wanted: bool) -> FootPlants | None:
    """The foot plants of a motion, where it has feet."""
    try:
        return known_plants(clip, plants, wanted=wanted)
    except SkeletonError:
        return None


def _partners(clip: Clip, body: TargetBody, parameters: RetargetParameters) -> tuple[Clip, Clip]:
    """The other person of a take of two, as recorded and beside the result."""
    assert parameters.partner is not None
    recorded = load(parameters.partner)
    if len(recorded) != len(clip):
        raise ParameterError(
            f"the partner has {len(recorded)} frames, the motion {len(clip)}: they are not one take", where="partner"
        )
    if parameters.partner_on is None:
        return recorded, retarget_motion(recorded, body, _plants_of(recorded, None, wanted=True), hands="off").clip
    beside = load(parameters.partner_on)
    if len(beside) != len(clip):
        raise ParameterError(f"the partner has {len(beside)} frames, the motion {len(clip)}", where="partner_on")
    return recorded, beside
