"""A motion fitted to a body: brought onto its skeleton, limbs out of each other, planted feet still, the weight over the feet.

The stages are those of É. Lyard, *Motion Adaptation Based on Character Shape* (University of Geneva, thesis 4020, 2008), in his order, on
the skin instead of cylinders; each can be left out, and each leaves a layer of corrections over the untouched motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reenact.adapt.balance import BalanceOf, balanced, measure_balance
from reenact.adapt.compensations import keep_arms, keep_gaze
from reenact.adapt.contact_body import ContactBody, contact_body
from reenact.adapt.corrections import Corrections, difference_layer
from reenact.adapt.fast_path import fast_stages
from reenact.adapt.parameters import AdaptParameters, stage_names
from reenact.adapt.stages import SIDES, Stage, arm_stage, forearm_stage, general_stage, leg_stage, study
from reenact.analysis.carried_plants import known_plants
from reenact.body.character import Character
from reenact.body.growth import grow
from reenact.body.masses import body_masses
from reenact.body.standing import standing_still
from reenact.core import progress
from reenact.core.clip import Clip, World
from reenact.core.foot_plants import FootPlants
from reenact.core.role_finding import assign_roles
from reenact.errors import ParameterError, SkeletonError
from reenact.solve.feet import find_feet, track_foot
from reenact.solve.held_feet import hold_feet
from reenact.solve.planted_points import measure_slips
from reenact.solve.skeleton_map import map_with_plants

_CLEAR = 0.002  # metres: skin that is less deep than this is no collision that is worth another round
_WORTH = 0.9  # of the depth: a round that leaves more is the last
_SMALLEST, _TALLEST = 0.4, 3.5  # metres that a body is tall, outside which that is doubted
_LOW = 0.2  # of its height, below which hands that hang down in its rest pose stand on the floor
_SHARES = (
    1.0,
    1.0,
    0.85,
    0.7,
)  # of the allowed distance, that are asked for until the motion is no farther out than recorded


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """What an adaptation made.

    Attributes:
        character: the body, grown where that was asked for.
        body: how its contacts are found.
        source: the motion on the body's skeleton, as it was.
        clip: the motion that fits.
        corrections: the layers between both.
        stages: what each stage did.
        plants: foot plants, or None.
        overlap: (2, K) metres, mean depth over frames by which the skin of each pair overlaps, before and after.
        balance: of the recording, of the motion without limbs that overlap, and balanced; empty unless that was asked for.
    """

    character: Character
    body: ContactBody
    source: Clip
    clip: Clip
    corrections: Corrections
    stages: tuple[Stage, ...]
    plants: FootPlants | None
    overlap: np.ndarray
    balance: tuple[BalanceOf, ...] = ()


def take_body(given: Sequence[Any]) -> tuple[Clip, Character]:
    """The motion and the character among what an operation was given.

    Raises:
        ParameterError: there is no character with a mesh.
    """
    if len(given) != 2 or not isinstance(given[0], Clip):
        raise ParameterError(f"this takes two files, a motion and a character; {len(given)} given, the motion first")
    if not isinstance(given[1], Character):
        raise ParameterError(
            "the body must be a character with a skinned mesh (glTF), and not a motion alone", where="character"
        )
    check_body(given[1])
    return given[0], given[1]


def check_body(character: Character) -> None:
    """Raise an error that says what is missing of a body, where it is none.

    Raises:
        SkeletonError: its mesh follows no skeleton, or one without hips and legs.
    """
    count = len(character.skeleton)
    if count == 1:
        raise SkeletonError(
            "the mesh is not skinned: it hangs on a single joint (`reenact rig` gives it a skeleton)",
            where=character.name,
        )
    roles = assign_roles(character.skeleton)[0].roles
    if "hips" not in roles or not {"left_upper_leg", "right_upper_leg"} & set(roles):
        raise SkeletonError(
            f"this is no body that a person's motion fits: no hips and legs were found among its {count} joints",
            where=character.name,
        )


def adapt_clip(
    clip: Clip, character: Character, asked: AdaptParameters | None = None, plants: FootPlants | None = None
) -> Adapted:
    """The motion of a clip fitted to a character.

    Args:
        clip: the motion.
        character: a mesh skinned to a body.
        asked: see `AdaptParameters`.
        plants: foot plants of the motion; detected when not given.
    """
    asked = asked or AdaptParameters()
    if not len(clip):
        raise ParameterError("the clip has no frames", where=clip.name)
    _check_numbers(clip)
    grown = grow(character, asked.growth())
    skeleton, _ = assign_roles(grown.skeleton)
    grown = replace(grown, skeleton=skeleton)
    body = contact_body(grown, asked.margin)
    known = known_plants(clip, plants)
    source, held = map_with_plants(clip, standing_still(grown), known)
    recorded = None
    if "balance" in asked.chosen and known is not None and grown.skeleton is not character.skeleton:
        slim = replace(character, skeleton=assign_roles(character.skeleton)[0])
        there, plants_there = map_with_plants(clip, standing_still(slim), known)
        if plants_there is not None:
            recorded = measure_balance(there, slim, plants_there)
    return adapt_mapped(source, grown, body, asked, held, recorded)


def adapt_mapped(
    source: Clip,
    character: Character,
    body: ContactBody,
    asked: AdaptParameters,
    plants: FootPlants | None,
    recorded: BalanceOf | None = None,
) -> Adapted:
    """A motion that is on the character's skeleton already, fitted to its skin.

    Args:
        source: the motion.
        character: its body.
        body: how contacts of the body are found.
        asked: what is done.
        plants: when its feet are planted; without them feet are not held, and nothing is known of its balance.
        recorded: the balance of the recording on the body it was made for, or before it grew; default: of `source`.
    """
    before = source.world(np.float64)
    overlap = [overlaps(body, before)]
    corrections, current, stages = Corrections(len(source)), source, list[Stage]()
    left, fitted = overlap[0].sum(), (source, overlap[0])
    for number in range(1 if asked.method == "fast" else asked.rounds):
        for stage in _collision_stages(current, body, asked, before):
            stages.append(stage)
            if not stage.layer.empty:
                corrections = corrections.with_layer(stage.layer)
                current = corrections.apply(source)
        fitted = (current, overlaps(body, current.world(np.float64)))
        now = fitted[1].sum()
        progress.tell((number + 1) / asked.rounds, "limbs are kept apart")
        if now < _CLEAR * 0.01 or now > _WORTH * left:
            break
        left = now
    if "gaze" in asked.chosen:
        corrections = corrections.with_layer(keep_gaze(current, before))
        current = corrections.apply(source)
    if "shoulders" in asked.chosen:
        corrections = corrections.with_layer(keep_arms(current, before))
        current = corrections.apply(source)
    if "feet" in asked.chosen and plants is not None:
        corrections, plants = _feet(source, current, corrections, plants, before)
        current = corrections.apply(source)
    balance: tuple[BalanceOf, ...] = ()
    if "balance" in asked.chosen and plants is not None:
        corrections, plants, balance = _balance(source, current, character, corrections, asked, plants, recorded)
        current = corrections.apply(source)
    off = stage_names(asked.without)
    if off:
        names = [layer.name for layer in corrections.layers if any(_belongs(layer.name, stage) for stage in off)]
        corrections = corrections.without(*names)
        current = corrections.apply(source)
    overlap.append(fitted[1] if current is fitted[0] else overlaps(body, current.world(np.float64)))
    if plants is not None:
        current = current.with_plants(plants)
    return Adapted(character, body, source, current, corrections, tuple(stages), plants, np.array(overlap), balance)


def _balance(
    source: Clip,
    clip: Clip,
    character: Character,
    corrections: Corrections,
    asked: AdaptParameters,
    plants: FootPlants,
    recorded: BalanceOf | None,
) -> tuple[Corrections, FootPlants, tuple[BalanceOf, ...]]:
    """The weight as near to the soles as it was, the feet held again after that."""
    masses = body_masses(character)
    before = measure_balance(source, character, plants, masses) if recorded is None else recorded
    adapted = measure_balance(clip, character, plants, masses)
    best, held, after = corrections, plants, adapted
    more, kept, current = corrections, plants, clip
    for share in _SHARES:  # holding the feet takes some of what was won: then the rest is asked for again
        factor = share * asked.threshold
        moved = balanced(current, character, kept, before.distances, factor=factor, spacing=asked.spacing)
        if moved.layer.empty:
            break
        more = more.with_layer(moved.layer)
        if "feet" in asked.chosen:
            more, kept = _feet(source, more.apply(source), more, plants, source.world(np.float64))
        current = more.apply(source)
        now = measure_balance(current, character, kept, masses)
        if now.mean < after.mean:
            best, held, after = more, kept, now
        if after.mean <= asked.threshold * before.mean:
            break
    return best, held, (before, adapted, after)


def _collision_stages(clip: Clip, body: ContactBody, asked: AdaptParameters, before: World):
    """The stages that part limbs, one after the other; each sees what those before it made."""
    current = clip
    sides = [
        side
        for side in SIDES
        if clip.skeleton.has_roles(*(f"{side}_{part}" for part in ("upper_arm", "lower_arm", "hand")))
    ]

    def done(stage: Stage) -> Stage:
        nonlocal current
        if not stage.layer.empty:
            current = Corrections(len(current), (stage.layer,)).apply(current)
        return stage

    if asked.method == "fast":
        for stage in fast_stages(study(current, asked.spacing), body):
            kind = "legs" if stage.layer.name == "legs" else "arms"
            if kind in asked.chosen:
                yield done(stage)
        return
    if "arms" in asked.chosen:
        for side in sides:
            yield done(arm_stage(study(current, asked.spacing), body, side))
    if "forearms" in asked.chosen:
        for side in sides:
            yield done(forearm_stage(study(current, asked.spacing), body, side, before))
    if "legs" in asked.chosen and clip.skeleton.has_roles("left_upper_leg", "right_upper_leg"):
        yield done(leg_stage(study(current, asked.spacing), body))
    if "collisions" in asked.chosen and sides:
        yield done(general_stage(study(current, asked.spacing), body))


def _feet(
    source: Clip, clip: Clip, corrections: Corrections, plants: FootPlants, before: World
) -> tuple[Corrections, FootPlants]:
    """Planted feet held still, as high as they stood."""
    feet = find_feet(clip.skeleton, source)
    if not feet:
        return corrections, plants
    tracks = {foot.side: track_foot(before, foot) for foot in feet}
    heights = {side: (track.heel[:, 1], track.ball[:, 1]) for side, track in tracks.items()}
    held = hold_feet(clip, plants, feet, sources=[source], heights=heights)
    layer = difference_layer("feet", clip, held.placed.clip)
    return (corrections if layer.empty else corrections.with_layer(layer)), held.plants


def overlaps(body: ContactBody, world: World) -> np.ndarray:
    """(K,) metres, how deep the skin of each pair overlaps at its deepest point, mean over frames."""
    found = body.contacts(world, reach=0.0)
    return overlap_over_time(body, len(world.positions), found).mean(axis=0)


def overlap_over_time(body: ContactBody, frames: int, found: Any) -> np.ndarray:
    """(F, K) metres, the deepest contact of each pair in each frame."""
    deepest = np.zeros((frames, len(body.pairs)))
    np.maximum.at(deepest, (found.frames, found.pairs), found.depths)
    return deepest


def describe(made: Adapted) -> dict[str, Any]:
    """What there is to tell about an adaptation, as plain values."""
    before, after = 1000 * made.overlap
    worst = [n for n in np.argsort(before)[::-1][:6] if before[n] > 0.05]
    report: dict[str, Any] = {
        "overlap_mm": [round(float(before.sum()), 2), round(float(after.sum()), 2)],
        "pairs": {made.body.pair_name(int(n)): [round(float(before[n]), 2), round(float(after[n]), 2)] for n in worst},
        "turned_degrees": turned(made.source, made.clip),
        "layers": [layer.name for layer in made.corrections.layers if layer.on and not layer.empty],
    }
    if made.plants is not None:
        feet = find_feet(made.clip.skeleton, made.source)
        for when, clip in (("before", made.source), ("after", made.clip)):
            slips = measure_slips(clip, made.plants, feet=feet)
            report[f"slip_mm_{when}"] = round(max((slip["slip_mm"] for slip in slips), default=0.0), 2)
    if made.balance:
        names = ("recorded", "adapted", "balanced")
        report["balance"] = {name: one.row() for name, one in zip(names, made.balance, strict=True)}
    doubts = [
        f"{made.body.pair_name(int(n))} still overlaps by {after[n]:.0f} mm on average; the body may be too stout for this motion"
        for n in np.argsort(after)[::-1][:3]
        if after[n] > 5.0 and after[n] > 0.3 * before[n]
    ]
    report["doubts"] = [*_doubted_body(made.character), *doubts]
    return report


def _doubted_body(character: Character) -> list[str]:
    """What is odd about a body that motions of people are fitted to."""
    there = character.rest_world().positions[0]
    tall = float(np.ptp(character.vertices[:, 1])) if len(character.vertices) else 0.0
    doubts = []
    if tall > 0 and not _SMALLEST <= tall <= _TALLEST:
        doubts.append(f"the body is {tall:.2g} m tall: its units may be wrong (`reenact scale` brings it to a size)")
    hands = [character.skeleton.roles[role] for role in ("left_hand", "right_hand") if role in character.skeleton.roles]
    if hands and float(there[hands, 1].max() - there[:, 1].min()) < _LOW * float(np.ptp(there[:, 1])):
        doubts.append("the body stands on its hands: it goes on four legs, and was fitted as if it were a person")
    return doubts


def turned(before: Clip, after: Clip) -> dict[str, float]:
    """Joint -> degrees, root mean square of what its local rotation was turned by; joints that are untouched are left out."""
    from reenact.core import rotations as R

    found = {}
    for joint, name in enumerate(before.skeleton.names):
        here, there = before.rotations[:, joint], after.rotations[:, joint]
        if not np.array_equal(here, there):
            angles = R.angle_between(here.astype(np.float64), there.astype(np.float64))
            found[name] = round(float(np.degrees(np.sqrt(np.mean(angles**2)))), 2)
    return found


def _belongs(layer: str, stage: str) -> bool:
    kinds = {"arms": (" arm",), "forearms": (" forearm",)}.get(stage, (stage,))
    return layer.endswith(kinds)


def _check_numbers(clip: Clip) -> None:
    wrong = np.flatnonzero(~np.isfinite(clip.root).all(axis=1) | ~np.isfinite(clip.rotations).all(axis=(1, 2)))
    if len(wrong):
        raise ParameterError(f"{len(wrong)} frames from {wrong[0]} on hold numbers that are none", where=clip.name)
