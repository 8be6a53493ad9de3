"""Motions fitted to bodies: the facade, its stages, balance."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import reenact
from reenact.adapt.adaptation import adapt_clip, describe
from reenact.adapt.balance import measure_balance
from reenact.adapt.balancing_moves import _Problem, _Way
from reenact.adapt.parameters import AdaptParameters
from reenact.adapt.stages import study
from reenact.adapt.support_area import support_areas
from reenact.body.masses import body_masses
from reenact.core import rotations as R
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError, SkeletonError


@pytest.fixture(scope="module")
def stout(body, walk):
    return adapt_clip(walk, body, AdaptParameters(girth=1.5, stages="arms,forearms,legs,collisions,gaze,feet,balance"))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"girth": 9}, "girth"),
        ({"stages": "arms,wings"}, "wings"),
        ({"method": "magic"}, "magic"),
        ({"without": "x"}, "no stage 'x'"),
    ],
)
def test_bad_parameters_are_refused(options, match):
    with pytest.raises(ParameterError, match=match):
        AdaptParameters(**options)


def test_bodies_that_are_none_are_refused(body, walk):
    with pytest.raises(ParameterError, match="must be a character"):
        reenact.adapt(walk, walk)
    with pytest.raises(ParameterError, match="no mesh"):
        reenact.adapt(walk, replace(body, faces=np.zeros((0, 3), np.int32)))
    two = Skeleton(("a", "b"), (-1, 0), ((0, 0, 0), (0, 1, 0)))
    rod = replace(
        body, skeleton=two, weight_joints=np.zeros_like(body.weight_joints), inverse_binds=np.tile(np.eye(4), (2, 1, 1))
    )
    with pytest.raises(SkeletonError, match="hips"):
        reenact.adapt(walk, rod)


def test_frames_that_hold_no_numbers_are_named(body, walk):
    root = walk.root.copy()
    root[7] = np.nan
    with pytest.raises(ParameterError, match="1 frames from 7 on"):
        reenact.adapt(replace(walk, root=root), body)


def test_an_open_mesh_works(body, walk):
    opened = replace(body, faces=body.faces[np.arange(len(body.faces)) % 40 > 0])
    made = adapt_clip(walk, opened, AdaptParameters(girth=1.4))
    assert made.overlap[1].sum() < 0.2 * made.overlap[0].sum()


def test_no_stage_gives_the_mapped_motion(body, walk):
    made = adapt_clip(walk, body, AdaptParameters(stages="none"))
    assert np.array_equal(made.clip.rotations, made.source.rotations)
    assert np.array_equal(made.clip.root, made.source.root)


def test_limbs_come_free_and_feet_stay(stout):
    told = describe(stout)
    assert told["overlap_mm"][1] < 0.1 * told["overlap_mm"][0]
    assert told["slip_mm_after"] < 3
    json.dumps(told)


def test_joints_of_no_stage_are_what_they_were(stout):
    names = stout.source.skeleton.names
    touched = set(stout.corrections.joints())
    assert touched
    for joint, name in enumerate(names):
        if name not in touched:
            assert np.array_equal(stout.clip.rotations[:, joint], stout.source.rotations[:, joint])


def test_the_gaze_stays(stout):
    head = stout.source.skeleton.roles["head"]
    worlds = [
        stout.source.world(np.float64),
        stout.corrections.without("feet", "balance").apply(stout.source).world(np.float64),
    ]
    assert R.angle_between(worlds[0].rotations[:, head], worlds[1].rotations[:, head]).max() < 1e-3


def test_layers_can_be_left_out(body, walk, stout):
    assert (
        stout.corrections.without(*{layer.name for layer in stout.corrections.layers}).apply(stout.source)
        is stout.source
    )
    made = adapt_clip(walk, body, AdaptParameters(girth=1.5, without="arms,forearms,legs,collisions,feet"))
    assert np.array_equal(made.clip.rotations, made.source.rotations)


def test_balance_is_no_worse_than_recorded(stout):
    recorded, adapted, balanced = stout.balance
    assert balanced.mean <= max(recorded.mean, adapted.mean) + 0.001
    assert balanced.mean < adapted.mean + 1e-9


def test_slopes_of_balance_are_those_of_differences(stout):
    clip, plants = stout.source, stout.plants
    seen = study(clip, 0.12)
    way = _Way(seen, body_masses(stout.character), plants, plants.floor.height)
    areas = support_areas(stout.character, seen.few.world(np.float64), plants.picked(seen.frames, seen.few.fps))
    problem = _Problem(way, seen, areas, np.zeros(len(seen.frames)))
    points = np.random.default_rng(0).normal(0, 0.02, (seen.control.count, 4))
    _, residuals = problem.cost(points)
    over, out, ways, posed, smooth, pulls, moment = residuals
    slopes = problem._slopes(over, ways, posed, smooth, pulls, moment)
    step = 1e-6
    for k, d in ((3, 0), (6, 1), (9, 2), (12, 3)):
        moved = points.copy()
        moved[k, d] += step
        _, later = problem.cost(moved)
        now, then = dict(zip(over, out, strict=True)), dict(zip(later[0], later[1], strict=True))
        rows = [n for n, frame in enumerate(over) if frame in then]
        found = np.array([(then[over[n]] - now[over[n]]) / step for n in rows])
        np.testing.assert_allclose(slopes[rows, k * 4 + d], found, atol=2e-3 * max(1.0, np.abs(found).max()))


def test_planted_ankles_stay_when_legs_lean(stout):
    clip, plants = stout.source, stout.plants
    seen = study(clip, 0.12)
    way = _Way(
        replace(seen, few=clip, frames=np.arange(len(clip), dtype=np.int32)), body_masses(stout.character), plants, 0.0
    )
    posed, _ = way.pose(np.tile((0.1, -0.07, 0.05, 0.0), (len(clip), 1)))
    alone = plants.left.plant & (way.carries[:, 0] > 1 - 1e-5)
    before = clip.world(np.float64)
    ankle = clip.skeleton.roles["left_foot"]
    assert alone.any()
    assert np.abs(posed.world.positions[alone, ankle] - before.positions[alone, ankle]).max() < 1e-5
    assert R.angle_between(posed.world.rotations[:, ankle], before.rotations[:, ankle]).max() < 1e-6


def test_balance_grow_and_volumes(body, walk):
    kept = reenact.balance(walk, body, girth=1.3)
    assert set(kept.report["balance"]) == {"recorded", "adapted", "balanced"}
    grown = reenact.grow(walk, body, girth=1.3)
    assert grown.report["kilogrammes"][1] > 1.5 * grown.report["kilogrammes"][0]
    assert np.ptp(grown.character.vertices[:, 2]) > np.ptp(body.vertices[:, 2])
    told = reenact.volumes(body)
    assert told["kilogrammes"] == pytest.approx(sum(row["kilogrammes"] for row in told["parts"]), abs=0.02)
    with pytest.raises(ParameterError, match="must be a character"):
        reenact.volumes(walk)


def test_what_was_made_is_written_with_its_body(tmp_path, body, walk):
    made = reenact.grow(walk, body, girth=1.3)
    from reenact.cli.making import save_made
    from reenact.formats.loaded import WriteOptions
    from reenact.loading import load_all

    save_made(made, tmp_path / "stout.glb", WriteOptions(), [body], None)
    back = load_all(tmp_path / "stout.glb").characters[0]
    np.testing.assert_allclose(np.ptp(back.vertices, axis=0), np.ptp(made.character.vertices, axis=0), atol=1e-5)


def test_the_balance_of_a_walk_is_that_of_people(body, walk):
    made = reenact.grow(walk, body)
    found = measure_balance(made.clip, body, made.plants)
    assert 0 <= found.mean < 0.15


def test_what_is_no_body_is_named(body, walk):
    one = Skeleton(("root",), (-1,), ((0, 0, 0),))
    single = replace(
        body,
        skeleton=one,
        weight_joints=np.zeros_like(body.weight_joints),
        inverse_binds=np.eye(4)[None],
        name="statue",
    )
    with pytest.raises(SkeletonError, match=r"statue.*not skinned.*rig"):
        reenact.adapt(walk, single)
    two = Skeleton(("a", "b"), (-1, 0), ((0, 0, 0), (0, 1, 0)))
    rod = replace(single, skeleton=two, inverse_binds=np.tile(np.eye(4), (2, 1, 1)), name="rod")
    for verb in (reenact.adapt, reenact.balance, reenact.ground, reenact.grow):
        with pytest.raises(SkeletonError, match=r"rod.*no hips and legs"):
            verb(walk, rod)


def test_a_giant_is_doubted(body, walk):
    from reenact.body.scaling import ScaleParameters, scale_character

    giant = scale_character(body, ScaleParameters(height=20.0))
    made = adapt_clip(reenact.cut(walk, start=0, end=60).clip, giant, AdaptParameters(stages="arms"))
    assert any("20 m tall" in doubt for doubt in describe(made)["doubts"])
