"""Motions retargeted: bodies that are none, other rigs of one body, bodies of other sizes, floors, hands, and recordings on characters."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import reenact
from reenact.body.character import Character
from reenact.core import rotations as R
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames, leg_length
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, SkeletonError
from reenact.loading import load_all
from reenact.samples import make_sample
from reenact.solve.flesh import flesh_of_character
from reenact.solve.hand_places import Stage
from reenact.solve.planted_points import measure_slips
from reenact.solve.resting import BODY
from reenact.solve.retargeting import flesh_of_body, reach_of, retarget_motion
from reenact.solve.target_body import body_of_character, body_of_skeleton


def _bodies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("other_bodies", Path(__file__).with_name("other_bodies.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RIGS: dict[str, Callable[[Clip], Clip]] = _bodies().RIGS


def without_roles(clip: Clip, *gone: str) -> Clip:
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if role not in gone}
    return clip.with_skeleton(clip.skeleton.with_roles(roles))


def test_a_chair_is_refused() -> None:
    walk = make_sample("walk_normal").clip
    chair = Skeleton(
        ("seat", "back", "leg_a"), np.array([-1, 0, 0]), np.array([[0, 0.5, 0], [0, 0.5, 0], [0, -0.5, 0]])
    )
    still = Clip(chair, R.identity(2, 3).astype(np.float32), np.zeros((2, 3), np.float32), 30.0, "chair")
    with pytest.raises(
        SkeletonError, match="chair is no body that a motion could be brought onto: none of its 3 joints"
    ):
        retarget_motion(walk, body_of_skeleton(still))
    with pytest.raises(SkeletonError, match="chair is no body"):
        retarget_motion(still, body_of_skeleton(walk))


def test_a_body_without_legs_is_refused_with_what_is_missing() -> None:
    walk = make_sample("walk_normal").clip
    legless = without_roles(walk, *(f"left_{part}" for part in ("upper_leg", "lower_leg", "foot", "toes")))
    with pytest.raises(SkeletonError, match="has no joint known for left_upper_leg, left_lower_leg"):
        retarget_motion(walk, body_of_skeleton(legless))


@pytest.mark.parametrize(
    "gone",
    [
        ("left_upper_arm", "left_lower_arm", "left_hand", "left_shoulder"),
        ("left_toes", "right_toes"),
        ("left_foot", "right_foot", "left_toes", "right_toes"),
        ("neck", "head", "chest"),
    ],
)
def test_parts_that_are_missing_are_done_without(gone: tuple[str, ...]) -> None:
    walk = make_sample("walk_normal").clip
    made = retarget_motion(walk, body_of_skeleton(without_roles(walk, *gone)))
    assert np.isfinite(made.clip.rotations).all()
    places = [clip.world(np.float64).positions for clip in (walk, made.clip)]
    ends = [walk.skeleton.roles[f"{side}_lower_leg"] for side in ("left", "right")]
    moved = [place[:, ends] - place[:, [walk.skeleton.roles["hips"]]] for place in places]
    assert np.abs(moved[0] - moved[1]).max() < 0.02


def test_a_second_head_rides_along() -> None:
    walk = make_sample("walk_normal").clip
    skeleton = walk.skeleton
    head = skeleton.roles["head"]
    two = Skeleton(
        (*skeleton.names, "Head2"),
        np.append(skeleton.parents, skeleton.parents[head]).astype(np.int32),
        np.concatenate([skeleton.offsets, skeleton.offsets[head : head + 1] + (0.15, 0.0, 0.0)]),
        np.concatenate([skeleton.rest, skeleton.rest[head : head + 1]]),
        skeleton.end_joints,
        skeleton.end_offsets,
        dict(skeleton.roles),
    )
    still = Clip(two, two.rest[None].astype(np.float32), np.zeros((1, 3), np.float32), 30.0)
    made = retarget_motion(walk, body_of_skeleton(still))
    assert "Head2" in made.report["without_partner"]
    assert np.ptp(made.clip.rotations[:, -1], axis=0).max() < 1e-6
    heads = [made.clip.rotations[:, head], walk.rotations[:, head]]
    assert R.angle_between(*(one.astype(np.float64) for one in heads)).max() < 1e-3


@pytest.mark.parametrize("rig", sorted(RIGS))
@pytest.mark.parametrize("name", ["walk_normal", "kick_left"])
def test_the_same_motion_comes_back_from_other_rigs(rig: str, name: str) -> None:
    clip = make_sample(name).clip
    other = RIGS[rig](clip)
    there = retarget_motion(clip, body_of_skeleton(other), hands="off", floor=False).clip
    back = retarget_motion(there, body_of_skeleton(clip), hands="off", floor=False).clip
    before, after = clip.world(np.float64), back.world(np.float64)
    gap = after.positions - before.positions
    gap -= gap.mean(axis=(0, 1)) * (0.0, 1.0, 0.0)  # the floor may lie at another height
    assert np.linalg.norm(gap, axis=2).max() < 1e-3
    assert R.angle_between(after.rotations, before.rotations).max() < 1e-3
    # and on the other rig the body's joints are where they were
    on_rig, recorded = there.world(np.float64), other.world(np.float64)
    joints = list(other.skeleton.roles.values())
    gap = on_rig.positions[:, joints] - recorded.positions[:, joints]
    gap -= gap.mean(axis=(0, 1)) * (0.0, 1.0, 0.0)
    assert np.linalg.norm(gap, axis=2).max() < (1e-3 if rig != "with_longer_spine" and rig != "all_at_once" else 0.02)


def scaled_character(size: float) -> Character:
    """The samples' body as a bare rig of another size."""
    clip = make_sample("walk_normal").clip
    skeleton = clip.skeleton.scaled(size)
    world = Clip(skeleton, skeleton.rest[None].astype(np.float32), np.zeros((1, 3), np.float32), 30.0).world(np.float64)
    from reenact.body.character import rigid_inverse

    none = np.zeros((0, 1))
    return Character(
        skeleton,
        np.zeros((0, 3), np.float32),
        np.zeros((0, 3), np.int32),
        none.astype(np.int32),
        none.astype(np.float32),
        rigid_inverse(world.positions[0], world.rotations[0]),
        name="small",
    )


@pytest.mark.parametrize("size", [0.3, 0.7, 1.6])
def test_a_body_of_another_size_takes_scaled_steps(size: float) -> None:
    sample = make_sample("walk_normal")
    made = reenact.retarget(sample.clip, scaled_character(size))
    assert made.report["scale"] == pytest.approx(size, abs=1e-3)
    assert leg_length(made.clip) == pytest.approx(size * leg_length(sample.clip), rel=1e-5)
    ways = [np.ptp(clip.root[:, [0, 2]], axis=0).max() for clip in (sample.clip, made.clip)]
    assert ways[1] / ways[0] == pytest.approx(size, rel=0.03)
    assert made.plants is not None
    assert max(slip["slip_mm"] for slip in measure_slips(made.clip, made.plants)) < 2.5


def test_hands_that_clap_meet_on_a_body_with_longer_arms() -> None:
    clap = _clapping()
    longer = clap.skeleton
    roles, offsets = longer.roles, longer.offsets.copy()
    for side in ("left", "right"):
        for part in ("lower_arm", "hand"):
            offsets[roles[f"{side}_{part}"]] *= 1.3
    other = clap.with_skeleton(replace(longer, offsets=offsets))
    body = body_of_skeleton(other)
    plain, kept = (retarget_motion(clap, body, hands=hands) for hands in ("off", "auto"))
    gaps = []
    for clip in (clap, plain.clip, kept.clip):
        leg = reach_of(clip)
        palms = Stage(clip, clip.world(np.float64), flesh_of_body(body, leg), 0.0, leg).palms
        gaps.append(np.linalg.norm(palms["left"] - palms["right"], axis=1))
    together = gaps[0] < 0.1
    assert together.any()
    assert np.abs(gaps[1] - gaps[0])[together].mean() > 0.03
    assert np.abs(gaps[2] - gaps[0])[together].mean() < 0.01
    assert kept.report["hands_led"]["left"] > 0


def _clapping() -> Clip:
    """Hands before the chest that meet and part again."""
    from reenact.solve.body_parts import palm_place
    from reenact.solve.limb import limb_of
    from reenact.solve.reaching import reach

    clip = cut_frames(make_sample("stand").clip, 0, 90)
    world, roles = clip.world(np.float64), clip.skeleton.roles
    apart = 0.02 + 0.2 * (1 - np.cos(np.arange(len(clip)) / 9.0))
    made = clip
    for side, sign in (("left", 1.0), ("right", -1.0)):
        target = world.positions[:, roles["chest"]] + np.array([0.0, 0.05, 0.38])
        target = target + sign * apart[:, None] * (1.0, 0.0, 0.0)
        made = reach(made, limb_of(clip.skeleton, f"{side}_arm"), target, np.ones(len(clip)))
    assert np.isfinite(palm_place(clip.skeleton, "left", 0.8)).all()
    return made


@pytest.mark.parametrize(
    "motion", ["hdm05-asfamc/HDM_bd_lieDownFloor_001_120.amc", "cmu-bvh/77_16.bvh", "cmu-bvh/128_09.bvh"]
)
@pytest.mark.parametrize("who", ["kaykit/Knight.glb", "mesh2motion/human-male.glb", "threejs/RobotExpressive.glb"])
def test_bodies_that_lie_rest_on_the_floor(corpus: Path, motion: str, who: str) -> None:
    clip = reenact.load(corpus / motion)
    clip = cut_frames(clip, 0, min(len(clip), 700))
    character = load_all(corpus / "characters" / who).characters[0]
    body = body_of_character(character)
    made = retarget_motion(clip, body, clip.plants)
    assert body.character is not None
    on_floor = made.clip if body.hung is None else None
    if on_floor is None:
        from reenact.solve.loose_feet import hang_clip

        assert body.hung is not None
        on_floor = hang_clip(made.clip, body.hung)
    lowest = flesh_of_character(body.character, reach_of(body.clip)).lowest(on_floor.world(np.float64), BODY)
    assert lowest.min() > -0.01 * max(1.0, reach_of(body.clip))


@pytest.mark.parametrize("preset", ["adult", "child", "heavy"])
def test_a_man_who_stands_straight_does_not_crouch_on_another_body(corpus: Path, preset: str) -> None:
    """His recording jumps for a frame while he stands at its end, and one of his legs is a centimetre shorter than his soles ask for."""
    from reenact.analysis.carried_plants import known_plants

    clip = reenact.load(corpus / "cmu-bvh/104_19.bvh")
    body = body_of_character(reenact.humanoid(preset=preset))
    made = retarget_motion(clip, body, known_plants(clip, None, wanted=True)).clip
    bends = []
    for one in (clip, made):
        places, roles = one.world(np.float64).positions[700:921], one.skeleton.roles
        for side in ("left", "right"):
            hip, knee, ankle = (places[:, roles[f"{side}_{part}"]] for part in ("upper_leg", "lower_leg", "foot"))
            ways = R.normalize(knee - hip), R.normalize(ankle - knee)
            bends.append(np.degrees(np.arccos(np.clip(np.einsum("fi,fi->f", *ways), -1.0, 1.0))))
    added = np.minimum(bends[2] - bends[0], bends[3] - bends[1])  # of both knees
    assert added.max() < 20.0
    assert np.median(added) < 8.0
    over = [_over_feet(one)[700:921] for one in (retarget_motion(clip, body, floor=False, hands="off").clip, made)]
    assert np.linalg.norm(over[1] - over[0], axis=1).max() < 0.15  # it does not lean either


def _over_feet(clip: Clip) -> np.ndarray:
    """(F, 2) where the hips are over the ground, seen from between the ankles, in lengths of a leg."""
    places, roles = clip.world(np.float64).positions, clip.skeleton.roles
    middle = 0.5 * (places[:, roles["left_foot"]] + places[:, roles["right_foot"]])
    return (places[:, roles["hips"]] - middle)[:, [0, 2]] / reach_of(clip)


def test_a_mapping_is_written_edited_and_given_back(tmp_path: Path) -> None:
    walk = make_sample("walk_normal").clip
    file = tmp_path / "mapping.json"
    made = reenact.retarget(walk, scaled_character(0.8), write_mapping=file)
    assert made.report["mapping"] == str(file)
    again = reenact.retarget(walk, scaled_character(0.8), mapping=file)
    np.testing.assert_allclose(again.clip.rotations, made.clip.rotations, atol=1e-5)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if '"left_hand"' not in line))
    less = reenact.retarget(walk, scaled_character(0.8), mapping=file)
    assert less.report["by_role"] == made.report["by_role"] - 1
    file.write_text(file.read_text().replace('"left_lower_arm"', '"left_elbow"'))
    with pytest.raises(FormatError, match="no role 'left_elbow'"):
        reenact.retarget(walk, scaled_character(0.8), mapping=file)
