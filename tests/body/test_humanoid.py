"""Generated people: bad wishes first, then that the skin is closed and whole, and that every control does what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import reenact
from reenact.body.body_plan import BodyPlan
from reenact.body.humanoid import PRESETS, HumanoidParameters, plan_of
from reenact.body.soles import soles
from reenact.core.role_finding import find_roles
from reenact.errors import ParameterError
from reenact.samples import sample_skeleton

SHAPES: list[dict[str, Any]] = [
    {},
    *({"preset": preset, "outfit": number} for number, preset in enumerate(PRESETS) if preset != "adult"),
    {"girth": 0.7},
    {"girth": 1.4},
    {"girth": 1.8},
    {"height": 1.2, "thigh": 1.3, "forearm": 0.7},
]


@pytest.fixture(scope="module", params=SHAPES, ids=str)
def person(request: pytest.FixtureRequest) -> tuple[dict[str, Any], reenact.Character]:
    return request.param, reenact.humanoid(**request.param)


def volume(character: reenact.Character) -> float:
    a, b, c = np.moveaxis(character.vertices.astype(np.float64)[character.faces], 1, 0)
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6)


def girth_at(character: reenact.Character, place: np.ndarray, way: np.ndarray) -> float:
    """Metres around the skin where a plane cuts it: the closed line nearest to `place`."""
    vertices, faces = character.vertices.astype(np.float64), character.faces
    sides = (vertices - place) @ way
    ends = []
    for k in range(3):
        a, b = faces[:, k], faces[:, (k + 1) % 3]
        share = np.where((sides[a] < 0) != (sides[b] < 0), sides[a] / (sides[a] - sides[b] + 1e-300), np.nan)
        ends.append(vertices[a] * (1 - share[:, None]) + vertices[b] * share[:, None])
    cut = np.stack(ends, axis=1)
    found = np.asarray(np.isfinite(cut).all(axis=2))
    crossed = np.flatnonzero(found.sum(axis=1) == 2)
    lines = np.reshape(cut[crossed][found[crossed]], (-1, 2, 3))
    keys = {}
    owner = list(range(len(lines)))

    def root(one: int) -> int:
        while owner[one] != one:
            one = owner[one]
        return one

    for number, line in enumerate(lines):
        for end in line:
            key = tuple(np.round(end, 6))
            if key in keys:
                owner[root(number)] = root(keys[key])
            keys[key] = number
    roots = np.array([root(one) for one in range(len(lines))])
    near = np.linalg.norm(lines.mean(axis=1) - place, axis=1)
    chosen = roots == roots[int(near.argmin())]
    return float(np.linalg.norm(lines[chosen, 0] - lines[chosen, 1], axis=1).sum())


@pytest.mark.parametrize(
    "wish",
    [
        {"height": 0.1},
        {"girth": 3.0},
        {"preset": "troll"},
        {"thigh": 0.0},
        {"outfit": -1},
        {"hair": "green"},
        {"bust": 2},
    ],
    ids=str,
)
def test_wishes_out_of_range_are_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wish))):
        reenact.humanoid(**wish)


def test_every_edge_lies_between_two_faces_and_the_skin_is_one(
    person: tuple[dict[str, Any], reenact.Character],
) -> None:
    _, made = person
    edges = np.stack([made.faces, np.roll(made.faces, -1, axis=1)], axis=-1).reshape(-1, 2).astype(np.int64)
    keys = edges[:, 0] * len(made.vertices) + edges[:, 1]
    assert len(np.unique(keys)) == len(keys)
    assert np.isin(edges[:, 1] * len(made.vertices) + edges[:, 0], keys).all()
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(made.vertices)
    shells, _ = connected_components(coo_array((np.ones(len(edges)), edges.T), shape=(count, count)))
    assert shells == 1
    assert count - len(edges) // 2 + len(made.faces) == 2  # Euler: a closed surface without holes through it


def crossings(made: reenact.Character) -> int:
    """How many edges of the skin pass through a face that they do not touch."""
    from scipy.spatial import KDTree

    vertices, faces = made.vertices.astype(np.float64), made.faces
    corners = vertices[faces]
    middles = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
    edges = np.unique(np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1), axis=0)
    ends = vertices[edges]
    half = 0.5 * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    centres = ends.mean(axis=1)
    usual = float(np.percentile(reach, 98))  # the few larger faces are tried with everything
    near = KDTree(middles).query_ball_point(centres, half + usual, return_sorted=False)
    edge = np.repeat(np.arange(len(edges)), [len(one) for one in near])
    face = np.concatenate([np.asarray(one, int) for one in near])
    large = np.flatnonzero(reach > usual)
    for one in large:
        close = np.flatnonzero(np.linalg.norm(centres - middles[one], axis=1) < half + reach[one])
        edge, face = np.append(edge, close), np.append(face, np.full(len(close), one))
    apart = (faces[face][:, :, None] != edges[edge][:, None]).all(axis=(1, 2))
    edge, face = edge[apart], face[apart]
    a, b, c = np.moveaxis(corners[face], 1, 0)
    start, way = ends[edge, 0], ends[edge, 1] - ends[edge, 0]
    up = np.cross(b - a, c - a)
    steep = np.einsum("ni,ni->n", up, way)
    share = np.einsum("ni,ni->n", up, a - start) / np.where(np.abs(steep) < 1e-15, np.inf, steep)
    point = start + share[:, None] * way
    inside = (share > 0) & (share < 1)
    for first, last in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ni,ni->n", np.cross(last - first, point - first), up) > 0
    return int(inside.sum())


def test_crossings_are_seen() -> None:
    """The test of the test: a hand pushed through the trunk."""
    made = reenact.humanoid()
    vertices = made.vertices.copy()
    vertices[vertices[:, 0] > 0.5] -= (0.6, 0.0, 0.0)
    assert crossings(replace(made, vertices=vertices)) > 20


@pytest.mark.parametrize("wish", [{"preset": "woman"}, {"girth": 1.6}, {"preset": "chibi"}], ids=str)
def test_skin_does_not_pass_through_itself(wish: dict[str, Any]) -> None:
    assert crossings(reenact.humanoid(**wish)) == 0


def test_size_and_weights(person: tuple[dict[str, Any], reenact.Character]) -> None:
    wish, made = person
    assert 5_000 <= len(made.vertices) <= 20_000
    assert np.abs(made.weights.sum(axis=1) - 1).max() < 1e-5
    assert made.weight_joints.shape[1] <= 4
    used = np.unique(made.weight_joints[made.weights > 0])
    assert set(used) == set(range(len(made.skeleton)))
    height = wish.get("height") or PRESETS[wish.get("preset", "adult")]["height"]
    standing = made.skinned(made.rest_world())[0]
    assert np.ptp(standing[:, 1]) == pytest.approx(height, rel=0.01)


def test_roles_and_soles(person: tuple[dict[str, Any], reenact.Character]) -> None:
    _, made = person
    bare = made.skeleton.with_roles({})
    found = find_roles(bare, made.rest_world().positions)
    assert dict(found.roles) == dict(made.skeleton.roles) == dict(sample_skeleton().roles)
    assert min(found.confidence.values()) >= 0.95
    ground = soles(made)
    assert not ground.findings
    assert [ground[side].how for side in ground.sides] == ["skin", "skin"]
    for side in ("left", "right"):
        assert ground[side].level == pytest.approx(0.0, abs=1e-4)
        assert ground[side].tilt == pytest.approx(0.0, abs=1e-3)
    standing = made.skinned(made.rest_world())[0]
    assert standing[:, 1].min() == pytest.approx(0.0, abs=1e-5)
    toes = made.rest_world().positions[0, made.skeleton.roles["left_toes"]]
    assert toes[2] > made.rest_world().positions[0, made.skeleton.roles["left_foot"]][2]
    assert toes[0] > 0


def test_soles_are_as_large_as_those_of_shoes(person: tuple[dict[str, Any], reenact.Character]) -> None:
    """100 to 450 square centimetres of an adult; big shoes belong to small figures."""
    wish, made = person
    if wish.get("preset") in ("chibi", "toddler"):
        return
    tall = float(np.ptp(made.vertices[:, 1])) / 1.75
    for side in ("left", "right"):
        sole = soles(made)[side]
        assert 100.0 < 1e4 * sole.length * sole.width / tall**2 < 450.0


def test_the_skin_is_alike_on_both_sides(person: tuple[dict[str, Any], reenact.Character]) -> None:
    from scipy.spatial import KDTree

    _, made = person
    vertices = made.vertices.astype(np.float64)
    away, _ = KDTree(vertices).query(vertices * (-1, 1, 1))
    assert away.max() < 0.006 * np.ptp(vertices[:, 1])


def test_bind_pose_is_the_mesh(person: tuple[dict[str, Any], reenact.Character]) -> None:
    _, made = person
    assert np.abs(made.skinned(made.bind_world())[0] - made.vertices).max() < 1e-5


def test_the_same_wish_gives_the_same_person() -> None:
    from reenact.body import humanoid

    first = reenact.humanoid(preset="woman", outfit=3)
    humanoid._mesh.cache_clear()
    again = reenact.humanoid(preset="woman", outfit=3)
    for part in ("vertices", "faces", "weights", "weight_joints", "inverse_binds", "face_materials"):
        np.testing.assert_array_equal(getattr(first, part), getattr(again, part))
    assert first.materials == again.materials
    assert reenact.humanoid(preset="woman", outfit=4).materials != first.materials


def test_volume_is_that_of_a_person() -> None:
    litres = 1000 * volume(reenact.humanoid(height=1.78))
    assert 65 < litres < 85
    assert 1000 * volume(reenact.humanoid(preset="woman", height=1.65)) == pytest.approx(57, abs=8)


def test_volume_grows_with_the_cube_of_the_height() -> None:
    small, tall = (volume(reenact.humanoid(height=height)) for height in (1.5, 2.0))
    assert tall / small == pytest.approx((2.0 / 1.5) ** 3, rel=0.01)


def _thickness(plan: BodyPlan, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a part is measured: a point and the way of its line."""
    points = plan.points
    between = {
        "thigh": ("upper_leg", "lower_leg", 0.62),
        "shank": ("lower_leg", "foot", 0.45),
        "upper_arm": ("upper_arm", "lower_arm", 0.75),
        "forearm": ("lower_arm", "hand", 0.5),
    }
    if part in between:
        near, far, share = between[part]
        way = points[far] - points[near]
        return points[near] + share * way, way / np.linalg.norm(way)
    share = {"waist": 0.42, "chest": 0.76, "hip": 0.15}[part]
    low, high = points["upper_leg"] * (0, 1, 1), points["upper_arm"] * (0, 1, 1)
    return low + share * (high - low), (high - low) / np.linalg.norm(high - low)


@pytest.mark.parametrize("part", ["thigh", "shank", "upper_arm", "forearm", "waist", "chest", "hip"])
@pytest.mark.parametrize("factor", [0.85, 1.25])
def test_girths_do_what_they_say(part: str, factor: float) -> None:
    wish: dict[str, Any] = {f"{part}_girth": factor}
    usual, asked = HumanoidParameters(), HumanoidParameters(**wish)
    before, after = (girth_at(reenact.humanoid(one), *_thickness(plan_of(one), part)) for one in (usual, asked))
    assert after / before == pytest.approx(factor, rel=0.01)


@pytest.mark.parametrize("part", ["thigh", "shank", "upper_arm", "forearm", "waist"])
def test_girth_is_that_of_the_whole_body(part: str) -> None:
    usual, asked = HumanoidParameters(), HumanoidParameters(girth=1.2)
    before, after = (girth_at(reenact.humanoid(one), *_thickness(plan_of(one), part)) for one in (usual, asked))
    assert after / before == pytest.approx(1.2, rel=0.01)


@pytest.mark.parametrize(
    ("part", "near", "far"),
    [
        ("thigh", "upper_leg", "lower_leg"),
        ("shank", "lower_leg", "foot"),
        ("upper_arm", "upper_arm", "lower_arm"),
        ("forearm", "lower_arm", "hand"),
    ],
)
def test_lengths_do_what_they_say(part: str, near: str, far: str) -> None:
    """The height is kept: of two parts of the leg the ratio changes, arms change as they are told."""

    def length(made: reenact.Character, first: str, last: str) -> float:
        places = made.rest_world().positions[0]
        roles = made.skeleton.roles
        return float(np.linalg.norm(places[roles[f"left_{last}"]] - places[roles[f"left_{first}"]]))

    wish: dict[str, Any] = {part: 1.2}
    usual, asked = reenact.humanoid(), reenact.humanoid(**wish)
    other = ("lower_leg", "foot") if part == "thigh" else ("upper_leg", "lower_leg")
    before = length(usual, near, far) / length(usual, *other)
    after = length(asked, near, far) / length(asked, *other)
    assert after / before == pytest.approx(1.2, rel=1e-6)
    tall = [np.ptp(made.skinned(made.rest_world())[0][:, 1]) for made in (usual, asked)]
    assert tall[1] == pytest.approx(tall[0], rel=0.005)
