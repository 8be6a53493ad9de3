"""Matching the plants of registered motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reenact.analysis.plants import detect_plants
from reenact.blend.blend import BlendParameters, blend
from reenact.blend.plant_matching import match_plants, plants_on_curve
from reenact.blend.preparing import bring_together
from reenact.blend.registration import RegistrationParameters, register
from reenact.core.cutting import cut_frames
from reenact.core.foot_plants import FootContact, FootPlants, intervals_of, mask_of
from reenact.errors import ParameterError


def _curve(clips, plants):
    return register(clips, RegistrationParameters(trim="off", gate="off"), plants)


def test_a_clip_and_itself(sample):
    clips, plants = bring_together([sample("walk_normal"), sample("walk_normal")])
    curve, matching = match_plants(_curve(clips, plants))
    for kind, found in matching.kinds.items():
        side, _, point = kind.partition("_")
        own = intervals_of(getattr(plants[0].foot(side), point))
        assert len(found.matches) == len(own)
        assert found.cuts == 0
        for (first, second), (start, end) in zip(curve.matches[kind], own, strict=True):
            assert np.allclose(first, second, atol=1e-3)
            assert abs(first[0] - max(start - 0.5, 0)) < 0.02
            assert abs(first[1] - min(end - 0.5, curve.length)) < 0.02


def test_intervals_are_held_to_the_curve(sample):
    clips, plants = bring_together([sample("walk_normal"), sample("walk_brisk")])
    curve = _curve(clips, plants)
    for motion in (0, 1):
        for low, high in plants_on_curve(curve, "left_heel", motion):
            assert 0 <= low < high <= curve.length
    assert plants_on_curve(replace(curve, plants=(None, plants[1])), "left_heel", 0) == ()


def test_plants_that_hardly_overlap_are_no_match(sample):
    """One motion puts its foot down half a second later: the blend cannot hold it."""
    clip = sample("walk_normal")
    frames, fps = len(clip), clip.fps
    none = np.zeros(frames, bool)

    def planted(start: int, end: int) -> FootPlants:
        mask = mask_of([(start, end)], frames)
        return FootPlants(FootContact(mask, mask), FootContact(none, none), fps)

    late = round(0.3 * fps)
    for shift, wanted in ((2, 1), (late, 0)):
        plants = (planted(100, 170), planted(100 + shift, 170 + shift))
        curve = replace(_curve([clip, clip], plants), plants=plants)
        found, matching = match_plants(curve)
        assert len(found.matches["left_heel"]) == wanted
        assert matching.describe()["left_heel"]["dropped"] == [1 - wanted, 1 - wanted]


def test_the_overlap_rule_is_an_option(sample):
    """Reference case 5 of the specification, ten frames for each of its units: two plants that hardly touch the long one."""
    clip = cut_frames(sample("walk_normal"), 0, 240)
    none = np.zeros(len(clip), bool)

    def planted(*spans: tuple[int, int]) -> FootPlants:
        mask = mask_of(list(spans), len(clip))
        return FootPlants(FootContact(mask, mask), FootContact(none, none), clip.fps)

    plants = (planted((0, 100)), planted((80, 90), (95, 200)))
    curve = replace(_curve([clip, clip], plants), plants=plants)
    found, matching = match_plants(curve, "vote", "any")
    wanted = [((0, 89.5), (79.5, 89.5)), ((94.5, 99.5), (94.5, 199.5))]
    assert np.allclose(found.matches["left_heel"], wanted, atol=0.02)
    assert matching.kinds["left_heel"].cuts == 1
    strict, matching = match_plants(curve, "vote", "close")
    assert strict.matches["left_heel"] == []
    assert matching.describe()["left_heel"]["dropped"] == [2, 2]
    with pytest.raises(ParameterError, match="overlap must be one of close, any"):
        match_plants(curve, "vote", "some")


def test_a_blend_can_be_asked_for_either_rule(sample):
    """Plants that begin a quarter of a second apart: held as one step, or not at all."""
    clip = cut_frames(sample("walk_normal"), 0, 360)
    own = detect_plants(clip)
    late = round(0.25 * clip.fps)
    other = FootPlants(
        *(FootContact(np.roll(foot.heel, late), np.roll(foot.ball, late)) for foot in (own.left, own.right)), clip.fps
    )
    counts = {}
    for overlap in ("close", "any"):
        asked = BlendParameters(overlap=overlap, enforce=False, trim="off", gate="off")
        report = blend([clip, clip], asked, [own, other]).report
        counts[overlap] = sum(kind["matches"] for kind in report["matches"].values())
    assert counts["any"] > counts["close"]
