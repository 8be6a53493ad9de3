from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reenact.analysis.classify import classify
from reenact.core import rotations as R
from reenact.graft.believability import Believability, find_collisions, measure_believability
from reenact.graft.composition_rules import CLASSES, allowed_pairs
from reenact.graft.grafting import GraftParameters, build_graft
from reenact.graft.torso_screen import find_safe_frames

FINE = Believability(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "worse",
    [
        {"phase": 0.3},
        {"balance_mm": 50.0},
        {"collision": 0.2},
        {"push": 4.0},
        {"lean_degrees": 20.0},
        {"spine_degrees": 70.0},
    ],
)
def test_every_figure_lowers_the_score(worse: dict[str, float]) -> None:
    assert FINE.score == 1.0
    assert 0 < replace(FINE, **worse).score < 0.75
    assert replace(FINE, phase=None).score == 1.0


def test_a_motion_grafted_on_itself_is_believable(sample) -> None:
    walk = sample("walk_normal")
    found = measure_believability(build_graft(walk, walk))
    assert found.score > 0.95
    assert found.safe == 1.0
    assert found.collision == 0.0
    assert found.lean_degrees == pytest.approx(0.0, abs=0.05)


def test_an_arm_through_the_body_collides(sample) -> None:
    walk, wave = sample("walk_normal"), sample("wave_walking")
    graft = build_graft(walk, wave, GraftParameters(chains="right_arm"))
    assert find_collisions(graft).mean() < 0.05
    upper, lower = (walk.skeleton.roles[f"right_{part}"] for part in ("upper_arm", "lower_arm"))
    bad = graft.made.clip.rotations.copy()
    bad[:, upper] = R.multiply(bad[:, upper], R.from_axis_angle((0, 0, 1.0), 0.0)).astype(np.float32)
    positions = graft.made.clip.world().positions
    aim = positions[:, walk.skeleton.roles["chest"]] - positions[:, lower]
    turn = R.between(
        R.normalize(positions[:, walk.skeleton.roles["right_hand"]] - positions[:, lower]), R.normalize(aim)
    )
    world = graft.made.clip.world(np.float64).rotations
    bad[:, lower] = R.multiply(R.conjugate(world[:, upper]), R.multiply(turn, world[:, lower]))
    through = replace(graft, made=replace(graft.made, clip=replace(graft.made.clip, rotations=bad)))
    assert find_collisions(through).mean() > 0.3


def test_trunks_that_are_bent_otherwise_are_not_safe(sample) -> None:
    walk, low = sample("walk_normal"), sample("pick_up")
    same = find_safe_frames(build_graft(walk, sample("walk_brisk"), GraftParameters(chains="arms")))
    bent = find_safe_frames(build_graft(walk, low, GraftParameters(chains="arms", correlate="natural")))
    assert same.mean() > 0.8
    assert bent.mean() < same.mean()


def test_on_recordings_screened_arms_collide_less(corpus: Path, recording) -> None:
    """Arms exchanged between recordings drawn by chance: frames that pass the screen of the trunks collide less than all of them."""
    names = [path.stem for path in sorted((corpus / "cmu-bvh").glob("*.bvh"))][::3]
    types = {name: classify(recording(name)).type for name in names if recording(name).seconds >= 1}
    pairs = allowed_pairs({name: kind for name, kind in types.items() if kind in CLASSES})
    drawn = np.random.default_rng(2009).choice(len(pairs), 80, replace=False)
    asked = GraftParameters(chains="arms", keep="local", map=True)
    frames = hit = safe = safe_hit = 0
    for base, source in (pairs[int(n)] for n in drawn):
        graft = build_graft(recording(base), recording(source), asked, types=(types[base], types[source]))
        hits, fine = find_collisions(graft), find_safe_frames(graft)
        frames, hit = frames + len(hits), hit + int(hits.sum())
        safe, safe_hit = safe + int(fine.sum()), safe_hit + int((hits & fine).sum())
    assert hit > 50
    assert 0.2 * frames < safe < 0.9 * frames
    assert safe_hit / safe < hit / frames
