"""Root motion: bad input, ways that are known, and clips that come back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact import load
from reenact.core.clip import Clip
from reenact.core.foot_plants import CARRIED, IN_PLACE, FootContact, FootPlants, join_plants
from reenact.core.heading import find_headings
from reenact.core.placement import move_rigidly
from reenact.core.root_motion import RootTrajectory, extract, find_trajectory, fit_trajectory, put_on, take_out
from reenact.core.rooting import add_root, put_root
from reenact.errors import ParameterError, SkeletonError
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make_sample("walk_circle_tight_left", 60.0).clip


def places_of(clip: Clip) -> dict[str, np.ndarray]:
    return dict(zip(clip.skeleton.names, clip.world(np.float64).positions.swapaxes(0, 1), strict=True))


def assert_same_body(a: Clip, b: Clip, within: float, but: tuple[str, ...] = ()) -> None:
    first, second = places_of(a), places_of(b)
    for name in first.keys() - set(but):
        assert np.abs(first[name] - second[name]).max(initial=0.0) < within, name


def plants_for(clip: Clip) -> FootPlants:
    down = np.arange(len(clip)) % 40 < 20
    return FootPlants(FootContact(down, down), FootContact(~down, ~down), clip.fps)


def test_no_hips(walk: Clip) -> None:
    nameless = walk.with_skeleton(walk.skeleton.with_roles({}))
    with pytest.raises(SkeletonError, match="hips"):
        find_trajectory(nameless)


def test_numbers_that_are_none(walk: Clip) -> None:
    root = walk.root.copy()
    root[3] = np.nan
    with pytest.raises(ParameterError, match="no numbers"):
        find_trajectory(replace(walk, root=root))
    with pytest.raises(ParameterError, match="no numbers"):
        RootTrajectory(np.full((4, 2), np.inf), np.zeros(4), 30.0)
    with pytest.raises(ParameterError, match="fps"):
        RootTrajectory(np.zeros((4, 2)), np.zeros(4), 0.0)


def test_trajectories_of_another_length(walk: Clip) -> None:
    way = find_trajectory(walk)
    short = RootTrajectory(way.places[:-5], way.headings[:-5], way.fps)
    slow = RootTrajectory(way.places, way.headings, way.fps / 2)
    for wrong in (short, slow):
        with pytest.raises(ParameterError, match="cut or resample"):
            put_on(walk, wrong)
    with pytest.raises(ParameterError, match="frames"):
        take_out(walk, short)
    with pytest.raises(ParameterError, match="frames"):
        extract(walk, short)


def test_a_trajectory_of_another_rate_is_read_between_its_frames(walk: Clip) -> None:
    way = find_trajectory(walk)
    coarse = RootTrajectory(way.places[::2], way.headings[::2], way.fps / 2)
    odd = replace(walk, rotations=walk.rotations[: 2 * len(coarse) - 1], root=walk.root[: 2 * len(coarse) - 1])
    found = fit_trajectory(coarse, odd)
    assert len(found) == len(odd)
    assert found.fps == odd.fps
    assert np.abs(found.places - way.places[: len(odd)]).max() < 1e-3
    assert np.abs(found.headings - way.headings[: len(odd)]).max() < 1e-3


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_few_frames(walk: Clip, frames: int) -> None:
    short = replace(walk, rotations=walk.rotations[:frames], root=walk.root[:frames])
    way = find_trajectory(short)
    assert len(way) == frames
    assert len(way.speeds) == frames
    assert way.describe()["path_m"] >= 0
    assert_same_body(short, put_on(take_out(short, way), way), 1e-5)
    assert len(extract(short, way)) == frames


@pytest.mark.parametrize("smoothing", [0.0, 0.4])
@pytest.mark.parametrize("turn", ["keep", "remove"])
def test_in_place_and_back(walk: Clip, turn: str, smoothing: float) -> None:
    way = find_trajectory(walk, turn=turn, smoothing=smoothing)  # type: ignore[arg-type]
    still = take_out(walk, way)
    hips = places_of(still)[walk.skeleton.names[walk.skeleton.roles["hips"]]]
    assert np.abs(hips[:, [0, 2]]).max() < (1e-5 if smoothing == 0 else 0.35)
    assert np.abs(still.root[:, 1] - walk.root[:, 1]).max() < 1e-6
    facing = find_headings(still).angles
    if turn == "remove":
        assert np.abs(facing).max() < (1e-4 if smoothing == 0 else 0.6)
    else:
        assert np.abs(facing - find_headings(walk).angles).max() < 1e-4
    assert_same_body(walk, put_on(still, way), 1e-4)


def test_an_even_way_is_taken_out_whole_and_the_sway_stays() -> None:
    walk = make_sample("walk_normal", 60.0).clip
    way = np.arange(400)[:, None] / 60.0 * np.array([[0.9, 0.0, 0.5]])
    sway = 0.05 * np.sin(2 * np.pi * np.arange(400) / 60.0)
    root = way + np.column_stack([0 * sway, 0 * sway + 1.0, sway])
    pose = replace(walk, rotations=np.repeat(walk.rotations[:1], 400, axis=0), root=root.astype(np.float32))
    still = take_out(pose, find_trajectory(pose, turn="keep"))
    inner = still.root[80:-80].astype(np.float64)
    hips = walk.world(np.float64).positions[0, walk.skeleton.roles["hips"]] - walk.root[0]
    assert np.abs(inner[:, 0] + hips[0]).max() < 1e-3
    assert np.abs(inner[:, 2] + hips[2] - sway[80:-80]).max() < 0.004


def test_plants_say_that_they_are_in_place(walk: Clip) -> None:
    plants, way = plants_for(walk), find_trajectory(walk)
    still = take_out(walk, way, plants)
    assert still.plants is not None
    assert still.plants.source == IN_PLACE
    assert np.array_equal(still.plants.left.heel, plants.left.heel)
    assert not still.plants.standing().left.plant.any()
    assert plants.standing() is plants
    for part in (
        still.plants.cut(3, 9),
        still.plants.picked([1, 2]),
        still.plants.mirrored(),
        join_plants([still.plants] * 2),
    ):
        assert part.source == IN_PLACE
    mixed = join_plants([plants, still.plants])
    assert mixed.source == CARRIED
    assert mixed.left.plant.sum() == plants.left.plant.sum()
    back = put_on(still, way, still.plants)
    assert back.plants is not None
    assert back.plants.source == CARRIED


def test_extract_adds_a_root_and_moves_nothing(walk: Clip) -> None:
    way = find_trajectory(walk)
    made = extract(walk.with_plants(plants_for(walk)), way, height=0.02)
    assert made.skeleton.names[0] == "root"
    assert made.skeleton.roles["hips"] == walk.skeleton.roles["hips"] + 1
    assert_same_body(walk, made, 1e-5)
    assert np.allclose(made.root[:, [0, 2]], way.places, atol=1e-5)
    assert np.allclose(made.root[:, 1], 0.02)
    forward = made.world(np.float64).rotations[:, 0]
    assert np.abs(np.unwrap(2 * np.arctan2(forward[:, 2], forward[:, 0])) - way.headings).max() % (2 * np.pi) < 1e-4
    assert made.plants is not None
    assert len(made.skeleton.end_joints) == len(walk.skeleton.end_joints)
    again = extract(made, find_trajectory(made))  # a root is there already
    assert again.skeleton is made.skeleton
    assert_same_body(made, again, 1e-5)


def test_a_root_that_stands_still_gets_the_way_and_all_its_children_stay() -> None:
    walk = make_sample("walk_normal", 60.0).clip
    rooted = add_root(walk)
    assert_same_body(walk, rooted, 1e-6)
    assert not rooted.root.any()
    way = find_trajectory(rooted)
    made = extract(rooted, way)
    assert_same_body(rooted, made, 1e-5, but=("root",))
    still = take_out(rooted, way)
    assert np.abs(still.root).max() < 1e-5  # the root itself stands
    assert_same_body(rooted, put_on(still, way), 1e-4, but=("root",))


def test_names_of_roots_that_are_taken() -> None:
    walk = make_sample("stand", 60.0).clip
    twice = add_root(add_root(walk))
    assert twice.skeleton.names[:2] == ("root_motion", "root")
    many = twice
    for _ in range(3):
        many = add_root(many)
    assert len(set(many.skeleton.names)) == len(walk.skeleton) + 5


def test_put_root_where_it_was(walk: Clip) -> None:
    same = put_root(walk, walk.root.astype(np.float64), walk.rotations[:, 0].astype(np.float64))
    assert_same_body(walk, same, 1e-5)


def test_a_moved_clip_has_the_moved_way(walk: Clip) -> None:
    way = find_trajectory(walk)
    moved = find_trajectory(move_rigidly(walk, (1.0, 0.0, 2.0), 0.7))
    assert np.abs(np.diff(moved.headings) - np.diff(way.headings)).max() < 1e-5
    assert np.abs(moved.speeds - way.speeds).max() < 1e-3
    a, b = take_out(walk, way), take_out(move_rigidly(walk, (1.0, 0.0, 2.0), 0.7), moved)
    assert_same_body(a, b, 1e-4)


@pytest.mark.parametrize("file", ["cmu-bvh/16_15.bvh", "cmu-bvh/05_02.bvh", "characters/khronos/CesiumMan.glb"])
def test_recordings(corpus: Path, file: str) -> None:
    clip = load(corpus / file)
    for turn in ("keep", "remove"):
        way = find_trajectory(clip, turn=turn)  # type: ignore[arg-type]
        assert_same_body(clip, put_on(take_out(clip, way), way), 1e-4, but=clip.skeleton.names[:1])
        assert_same_body(
            clip, extract(clip, way), 1e-5, but=clip.skeleton.names[:1] if clip.skeleton.roles["hips"] else ()
        )
