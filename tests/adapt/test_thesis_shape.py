"""Every capability of É. Lyard's thesis on shape (2008) is here; the table of docs/adapting-table.md says with what, and what shows it.

What other tests of this folder and of tests/body show already is not shown again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact import kernels
from reenact.adapt.adaptation import adapt_clip
from reenact.adapt.circle_splines import smooth_corrections
from reenact.adapt.contact_body import contact_body
from reenact.adapt.control_points import place_control_points
from reenact.adapt.degrees import Degree, Degrees, Link
from reenact.adapt.fast_path import fast_stages
from reenact.adapt.forearm_surface import forearm_surface
from reenact.adapt.many_starts import chained, grid_of, sampled_costs, sides_of
from reenact.adapt.parameters import AdaptParameters
from reenact.adapt.planar_limb import move_limb, solve_plane
from reenact.adapt.root_travel import fit_height, set_height, set_height_by_frame
from reenact.adapt.skin_planting import plant_by_skin, sole_skin
from reenact.adapt.space_time import solve_curves
from reenact.adapt.stages import arm_stage, elbow_degree, leg_stage, study
from reenact.adapt.terms import Residuals
from reenact.adapt.transfer import real_roots
from reenact.adapt.volume_overlaps import volume_overlaps, volume_pairs
from reenact.body.growth import GrowthParameters, grow, grow_parts
from reenact.body.volumes import limb_volumes
from reenact.core import rotations as R
from reenact.core.foot_plants import FootContact
from reenact.errors import FormatError
from reenact.formats.plants_text import read_plants, write_plants
from reenact.render.adapt_studies import reach_map, surface_picture

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "adapting-table.md"


@pytest.fixture(scope="module")
def stout(body):
    return grow(body, GrowthParameters(girth=1.2, trunk=1.4, joints=False))


def test_every_capability_has_a_row_and_every_name_in_it_is_there():
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| C")]
    said = [int(number) for row in rows for number in re.findall(r"C(\d\d)", row.split("|")[1])]
    assert set(range(1, 52)) <= set(said)
    for row in rows:
        cells = row.split("|")
        for name in re.findall(r"`([\w.]+:[\w.]+)`", cells[2]):
            module, _, attribute = name.partition(":")
            found = import_module(f"reenact.{module}")
            for word in attribute.split("."):
                found = getattr(found, word)
        for file, test in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", cells[3]):
            text = (ROOT / file).read_text()
            assert not test or f"def {test}(" in text, f"{file} has no {test}"
        for file in re.findall(r"`((?:tools|benchmarks)/[\w/]+\.py)`", cells[3]):
            assert (ROOT / file).is_file()


def test_feet_are_chosen_alike_however_large_and_wherever_a_body_walks(body, walk):
    skin = sole_skin(body, walk)
    root = walk.root.astype(np.float64)
    first = plant_by_skin(skin, root, walk.fps)
    turn = R.exp(np.array([0.0, 1.1, 0.0]))
    turned = replace(skin, places=R.rotate(np.broadcast_to(turn, (*skin.places.shape[:2], 4)), skin.places))
    there = plant_by_skin(turned, R.rotate(np.tile(turn, (len(root), 1)), root), walk.fps)
    assert np.mean(there.feet == first.feet) > 0.99
    large = plant_by_skin(replace(skin, places=1.4 * skin.places), 1.4 * root, walk.fps)
    assert np.mean(large.feet == first.feet) > 0.99


def test_a_planting_file_edited_by_hand_is_honoured(tmp_path, body, walk):
    plants = reenact.detect_plants(walk)
    none = np.zeros(len(walk), np.bool_)
    write_plants(replace(plants, right=FootContact(none, none)), tmp_path / "edited.txt")
    made = reenact.ground(walk, body, plants=read_plants(tmp_path / "edited.txt"))
    assert not made.plants.right.plant.any()
    assert np.array_equal(made.plants.left.plant, made.plants.left.plant & plants.left.plant)
    (tmp_path / "torn.txt").write_text((tmp_path / "edited.txt").read_text()[:40] + "\n[[[")
    with pytest.raises(FormatError):
        read_plants(tmp_path / "torn.txt")


def test_a_hundred_thousand_cubics():
    rng = np.random.default_rng(0)
    worst = 0.0
    for row in rng.normal(size=(100_000, 4)):
        d, c, b, a = row
        for x in real_roots(row):
            size = abs(d) + abs(c * x) + abs(b * x * x) + abs(a * x**3)
            worst = max(worst, abs(d + x * (c + x * (b + x * a))) / size)
    assert worst < 1e-12


def test_one_offset_and_scale_add_no_jitter_and_the_frame_by_frame_way_does(body, walk):
    skin = sole_skin(body, walk)
    root = walk.root.astype(np.float64)
    planting = plant_by_skin(skin, root, walk.fps)

    def fast(heights):
        power = np.abs(np.fft.rfft(heights - heights.mean())) ** 2
        return power[np.fft.rfftfreq(len(heights), 1 / walk.fps) > 6].sum() / power.sum()

    scaled = set_height(root, fit_height(skin, root, planting))[:, 1]
    by_frame = set_height_by_frame(skin, root)[:, 1]
    assert fast(scaled) == pytest.approx(fast(root[:, 1]), rel=1e-6)
    assert fast(by_frame) > 1.1 * fast(scaled)


def test_two_of_four_answers_reach_and_the_reach_is_a_ring():
    rng = np.random.default_rng(1)
    count = 100_000
    thigh = np.stack([-rng.uniform(0.3, 0.5, count), rng.normal(0, 0.15, count)], axis=1)
    shank = np.stack([-rng.uniform(0.3, 0.5, count), rng.normal(0, 0.15, count)], axis=1)
    moved = rng.uniform(-0.4, 0.4, (count, 2))
    found = solve_plane(thigh, shank, moved)
    upper, lower = np.hypot(*thigh.T), np.hypot(*shank.T)
    far = np.linalg.norm(thigh + shank + moved, axis=1)
    np.testing.assert_array_equal(found.reached, (far <= upper + lower) & (far >= np.abs(upper - lower)))
    assert set(found.valid.sum(axis=1)[found.reached]) == {2}
    assert not found.valid[~found.reached].any()
    hip, knee, ankle = found.best.T
    end = _turned(thigh, hip) + _turned(shank, -ankle)
    assert np.abs(end - thigh - shank - moved)[found.reached].max() < 1e-9
    np.testing.assert_allclose(np.sin(hip + knee + ankle), 0, atol=1e-9)  # the last link keeps its orientation
    others = np.where(found.valid, np.abs(found.angles[:, :, 0]), np.inf).min(axis=1)
    np.testing.assert_array_equal(np.abs(hip)[found.reached], others[found.reached])


def _turned(vector, angle):
    y, z = vector.T
    return np.stack([y * np.cos(angle) + z * np.sin(angle), -y * np.sin(angle) + z * np.cos(angle)], axis=1)


def test_what_lies_off_the_plane_of_a_leg_is_reached_by_a_swing():
    rng = np.random.default_rng(2)
    count = 3000
    root = np.zeros((count, 3))
    mid = (0.0, -0.42, 0.15) + rng.normal(0, 0.01, (count, 3))
    end = mid + (0.0, -0.4, -0.15) + rng.normal(0, 0.01, (count, 3))
    way = rng.normal(size=(count, 3))
    way *= rng.uniform(0, 0.05, (count, 1)) / np.linalg.norm(way, axis=1, keepdims=True)
    long = np.linalg.norm(mid, axis=1) + np.linalg.norm(end - mid, axis=1)
    within = np.linalg.norm(end + way, axis=1) < 0.99 * long
    left = [move_limb(root, mid, end, way, rounds=rounds).residual[within].max() for rounds in (0, 1, 2)]
    assert left[0] > 0.01
    assert left[1] < 1e-3
    assert left[2] < 1e-5
    path = np.linspace(0, 1, 50)[:, None] * (0.03, 0.04, 0.03)
    made = move_limb(*(np.tile(one[0], (50, 1)) for one in (root, mid, end)), path)
    assert R.angle_between(made.root_turn[1:], made.root_turn[:-1]).max() < 0.02  # the same answer all along
    np.testing.assert_allclose(made.end, end[0] + path, atol=1e-6)


def test_the_reach_is_drawn_as_a_disc_with_two_answers():
    picture = np.asarray(reach_map((-0.42, 0.1), (-0.42, -0.1), 200))
    grey = (picture == (176, 182, 190)).all(axis=2)
    y, x = np.mgrid[:200, :200]
    far = np.hypot(x - 99.5, y - 99.5) / 100 * 1.12 * 2 * np.hypot(0.42, 0.1)
    off = grey != (far > 2 * np.hypot(0.42, 0.1))
    assert off.mean() < 0.02
    assert len({tuple(colour) for colour in picture[~grey]}) >= 3  # two answers and the limb


def test_ellipsoids_are_found_again():
    from reenact.body.volumes import _spread

    rng = np.random.default_rng(3)
    halves = np.array([0.05, 0.2, 0.05])
    u = rng.normal(size=(40_000, 3))
    places = u / np.linalg.norm(u, axis=1, keepdims=True) * halves
    weights = np.linalg.norm(u / np.linalg.norm(u, axis=1, keepdims=True) / halves, axis=1)  # area a sample stands for
    _, _, found = _spread(places, weights, np.array([0.0, 1.0, 0.0]))
    # a cylinder's spread is half its radius squared, that of this surface less: by the share of its area at each height
    share = (weights * (places[:, 0] ** 2 + places[:, 2] ** 2)).sum() / weights.sum() / halves[0] ** 2
    np.testing.assert_allclose(found, np.sqrt(share) * halves[0], rtol=0.05)


def test_capsules_overlap_as_points_spread_in_them_say():
    rng = np.random.default_rng(4)
    count = 2000
    starts = rng.uniform(-0.3, 0.3, (count, 2, 3))
    ends = starts + rng.normal(0, 0.25, (count, 2, 3))
    radii = np.array([0.08, 0.11])
    pairs = np.array([[0, 1]], np.int32)
    depth = kernels.overlaps.capsule_depths(starts, ends, radii, pairs)[:, 0]
    share = np.linspace(0, 1, 200)
    lines = [starts[:, n, None] + share[:, None] * (ends - starts)[:, n, None] for n in (0, 1)]
    least = np.full(count, np.inf)
    for n in range(len(share)):
        least = np.minimum(least, np.linalg.norm(lines[0][:, n : n + 1] - lines[1], axis=2).min(axis=1))
    true = radii.sum() - least
    assert np.mean((depth > 0) == (true > 0)) > 0.99
    deep = true > 0.01
    assert np.abs(depth - true)[deep].max() < 0.02 * radii.min()
    swapped = kernels.overlaps.capsule_depths(starts[:, ::-1].copy(), ends[:, ::-1].copy(), radii[::-1].copy(), pairs)
    np.testing.assert_allclose(swapped[:, 0], depth, atol=1e-9)
    turn = np.broadcast_to(R.exp(np.array([0.3, -0.8, 0.5])), (count, 2, 4))
    moved = [R.rotate(turn, one) + (1.0, 2.0, 3.0) for one in (starts, ends)]
    np.testing.assert_allclose(kernels.overlaps.capsule_depths(*moved, radii, pairs)[:, 0], depth, atol=1e-9)


def test_the_quick_test_of_volumes_misses_few_contacts(body, walk):
    """Of the frames in which skin overlaps, how many the capsules tell, too."""
    stout = grow(body, GrowthParameters(girth=1.0, legs=1.7, trunk=1.5, joints=False))
    volumes = limb_volumes(stout)
    pairs = volume_pairs(volumes)
    quick = volume_overlaps(volumes, walk.world(np.float64), pairs)
    contacts = contact_body(stout)
    found = contacts.contacts(walk.world(np.float64), reach=0.0)
    names = [part.name for part in contacts.skin.parts]
    told = seen = 0
    for number, (a, b) in enumerate(pairs):
        if (volumes[a].part.kind, volumes[b].part.kind) not in (("thigh", "thigh"), ("shank", "shank")):
            continue  # the pair of the thesis: the legs; a foot is no capsule, and half of its contacts are missed
        both = {volumes[a].part.name, volumes[b].part.name}
        own = [n for n, (c, d) in enumerate(contacts.pairs) if {names[c], names[d]} == both]
        deep = np.isin(found.pairs, own) & (found.depths > 0.005)
        frames = np.unique(found.frames[deep])
        seen += len(frames)
        told += int((quick[frames, number] > -0.01).sum())
    assert seen > 50
    assert told >= 0.95 * seen


def test_arms_do_not_depend_on_which_comes_first(stout, walk):
    contacts = contact_body(stout)
    alone = {side: arm_stage(study(walk, 0.12), contacts, side).layer for side in ("left", "right")}
    assert not alone["left"].empty
    from reenact.adapt.corrections import Corrections

    after = Corrections(len(walk), (alone["left"],)).apply(walk)
    right = arm_stage(study(after, 0.12), contacts, "right").layer
    assert right.turns.keys() == alone["right"].turns.keys()
    for name, turn in right.turns.items():
        np.testing.assert_array_equal(turn, alone["right"].turns[name])


def test_frames_far_from_any_contact_are_what_they_were(stout, walk):
    """Of both arms and all control points, those further than the fade from a violated frame stay at zero."""
    contacts = contact_body(stout)
    stage = arm_stage(study(walk, 0.12), contacts, "left")
    pairs = contacts.chosen(("upper_arm", "trunk"), ("upper_arm", "head"))
    hit = np.unique(contacts.contacts(walk.world(np.float64), pairs).frames)
    reach = (3 + 4) * stage.control.spacing + 2
    far = np.array([np.abs(hit - frame).min() > reach for frame in range(len(walk))])
    for turn in stage.layer.turns.values():
        np.testing.assert_array_equal(turn[far], 0)
    assert stage.control.spacing / walk.fps < 0.5  # two control points in a cycle of a walk, and more


def test_stouter_trunks_turn_arms_further(body, walk):
    sizes = []
    for trunk in (1.0, 1.3, 1.6):
        made = arm_stage(
            study(walk, 0.12), contact_body(grow_parts(body, {"trunk": trunk}, joints=False)), "left"
        ).layer
        sizes.append(0.0 if made.empty else float(np.sqrt(np.mean(np.sum(made.turns["LeftArm"] ** 2, axis=1)))))
    assert sizes[0] <= sizes[1] < sizes[2]


class _TwoValleys:
    """A low valley at 0.2 radians, a ridge, and a lower one at 1.2."""

    name, weight = "valleys", 1.0

    def residuals(self, posed):
        x = posed.values[:, 0]
        cost = 3 * (x - 0.2) ** 2 * (x - 1.2) ** 2 * 8 + 0.5 * (1.2 - x) ** 2 + 0.01
        slope = 48 * (x - 0.2) * (x - 1.2) * (2 * x - 1.4) - (1.2 - x)
        root = np.sqrt(2 * cost)
        return Residuals(np.arange(len(x), dtype=np.int32), root, (slope / root)[:, None])


def test_many_starts_find_the_lower_of_two_valleys(walk):
    arm = walk.skeleton.roles["left_upper_arm"]
    axis = np.tile((0.0, 0.0, 1.0), (len(walk), 1))
    degrees = Degrees(walk, [Degree("turn", (Link(arm, axis),), np.pi / 2)])
    control = place_control_points(len(walk), walk.fps, 0.2)
    frames = np.arange(len(walk), dtype=np.int32)
    term = _TwoValleys()
    alone = solve_curves(degrees, control, frames, [term], [], steps=40)
    at = np.clip(np.round(control.frames).astype(int), 0, len(walk) - 1)
    few = replace(walk, rotations=walk.rotations[at], root=walk.root[at])
    there = Degrees(few, [Degree("turn", (Link(arm, axis[at]),), np.pi / 2)])
    grid = grid_of(sides_of(there, 0.1))
    start = chained(sampled_costs(there, [term], grid), grid)
    many = solve_curves(degrees, control, frames, [term], [], steps=40, start=start)
    assert np.median(control.values(alone.points, frames)) < 0.5
    assert np.median(control.values(many.points, frames)) == pytest.approx(1.2, abs=0.1)
    assert many.costs[-1] < 0.7 * alone.costs[-1]


def test_the_way_through_samples_does_not_jump_for_a_little():
    grid = np.array([[0.0], [1.0]])
    costs = np.tile((1.0, 1.1), (9, 1))
    costs[4] = (1.0, 0.9)  # a moment in which the other one is a little lower
    assert not chained(costs, grid).any()
    costs[4] = (40.0, 0.9)
    assert chained(costs, grid)[4, 0] == 1.0


def test_the_surface_of_a_forearm_has_its_least_where_nothing_is_wrong(body, walk):
    before = walk.world(np.float64)
    surface = forearm_surface(walk, contact_body(grow(body, GrowthParameters(girth=0.6))), "left", 50, before, 0.1)
    np.testing.assert_allclose(surface.least, (0, 0), atol=1e-9)
    assert surface.costs.min() < 1e-6
    picture = surface_picture(surface, 4)
    assert picture.size == (4 * len(surface.twist), 4 * len(surface.elbow))


def test_the_elbow_of_an_arm_that_shakes_about_itself_bends_less(walk):
    upper, lower = walk.skeleton.require_roles("left_upper_arm", "left_lower_arm")
    calm = np.linalg.norm(elbow_degree(study(walk, 0.12), "left").links[0].axis, axis=1)
    world = walk.world(np.float64)
    way = world.positions[:, lower] - world.positions[:, upper]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    angle = np.zeros(len(walk))
    angle[80:100] = 0.4 * (np.arange(20) % 2)
    local = R.rotate(R.conjugate(world.rotations[:, walk.skeleton.parents[upper]]), way)
    turned = walk.rotations.astype(np.float64)
    turned[:, upper] = R.multiply(R.exp(angle[:, None] * local), turned[:, upper])
    shaken = np.linalg.norm(elbow_degree(study(replace(walk, rotations=turned), 0.12), "left").links[0].axis, axis=1)
    assert calm.min() > 0.9
    assert shaken[85:95].max() < 0.2
    assert shaken[:50].min() > 0.9


def test_a_dear_pelvis_leaves_more_to_the_thighs(body, walk):
    stout = contact_body(grow(body, GrowthParameters(girth=1.0, legs=1.5, joints=False)))
    ratios = []
    for dear in (0.4, 4.0, 40.0):
        made = leg_stage(study(walk, 0.12), stout, dear)
        yaw, apart = (np.sqrt(np.mean(column**2)) for column in made.solved.points.T)
        ratios.append(apart / max(yaw, 1e-9))
        joints = [walk.skeleton.roles[f"{side}_upper_leg"] for side in ("left", "right")]
        assert np.abs(made.solved.points[:, 1]).max() <= np.pi / 6 + 1e-9
        assert {walk.skeleton.names[joint] for joint in joints} <= set(made.layer.turns)
    assert ratios[0] < ratios[1] < ratios[2]


def test_less_threshold_leans_more(body, walk):
    asked = AdaptParameters(girth=1.3, stages="balance")
    leans = []
    for threshold in (1.0, 0.5):
        made = adapt_clip(walk, body, replace(asked, threshold=threshold))
        layers = [layer for layer in made.corrections.layers if layer.name == "balance"]
        turns = [np.linalg.norm(turn, axis=1) for layer in layers for turn in layer.turns.values()]
        leans.append(sum(float(np.mean(turn)) for turn in turns))
        assert max((turn.max() for turn in turns), default=0.0) <= 2 * np.pi / 8
    assert leans[1] > leans[0]


def test_growing_turns_no_triangle_over(body):
    for girth in (0.6, 1.4, 1.8):
        grown = grow(body, GrowthParameters(girth=girth, joints=False))
        ways = []
        for one in (body, grown):
            corners = one.vertices.astype(np.float64)[body.faces]
            ways.append(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        large = np.linalg.norm(ways[0], axis=1) > 1e-9
        assert np.all((ways[0] * ways[1]).sum(axis=1)[large] > 0)


def test_legs_of_the_fast_way_take_equal_halves(body, walk):
    stout = contact_body(grow(body, GrowthParameters(girth=1.0, legs=1.5, joints=False)))
    legs = next(stage for stage in fast_stages(study(walk, 0.12), stout) if stage.layer.name == "legs")
    sizes = [np.linalg.norm(turn, axis=1).mean() for turn in legs.layer.turns.values()]
    assert len(sizes) == 2
    assert sizes[0] == pytest.approx(sizes[1], rel=0.35)


def test_smoothing_takes_nine_tenths_of_the_jerk():
    rng = np.random.default_rng(5)
    frames = np.arange(200.0)
    need = np.maximum(0, np.sin(frames / 15) - 0.5) * (1 + 0.3 * rng.normal(size=200))
    raw = np.column_stack([0.3 * need, -0.2 * need])
    smooth = smooth_corrections(raw, frames, frames)
    jerk = [np.mean(np.diff(one, 3, axis=0) ** 2) for one in (raw, smooth)]
    assert jerk[1] < 0.1 * jerk[0]


def test_the_tables_of_the_thesis_agree_with_each_other():
    """With the two cells that are misprints there: a share of 7.75 % that is 7.57, a leg of 5383 g that is 24770."""
    measured = np.array([4690, 4846, 4570, 29955, 9766, 10154])
    np.testing.assert_allclose(100 * measured / 63982, (7.33, 7.57, 7.14, 46.82, 15.26, 15.87), atol=0.006)
    by_clip = np.array(
        [
            (0, 0, 12864, 13419, 37413, 104),
            (0, 9090, 8804, 27288, 18568, 50),
            (0, 8363, 0, 0, 26754, 28682),
            (0, 13912, 13446, 11270, 0, 24768),
            (4922, 1866, 5162, 33127, 8391, 10323),
            (0, 0, 0, 58417, 0, 5383),
            (3074, 0, 2564, 6777, 26615, 24770),
            (0, 16737, 12845, 0, 34217, 0),
        ]
    )
    assert by_clip[6].sum() == 63800
    np.testing.assert_allclose(by_clip.mean(axis=0), (999, 6246, 6960, 18787, 18994, 11760), atol=2)
    np.testing.assert_allclose(by_clip.std(axis=0, ddof=1), (1915, 6736, 5786, 19942, 14752, 12414), atol=40)
    far = np.array(
        [
            (0.77, 0.93, 6.61),
            (2.38, 3.18, 7.81),
            (1.77, 0.97, 17.25),
            (1.02, 1.33, 9.20),
            (0.63, 0.74, 1.85),
            (0.84, 1.02, 3.54),
            (2.21, 2.77, 13.54),
            (1.73, 1.80, 12.89),
        ]
    )
    np.testing.assert_allclose(far.mean(axis=0), (1.42, 1.59, 9.09), atol=0.006)
