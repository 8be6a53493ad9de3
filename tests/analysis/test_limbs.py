"""Limbs by roles and by symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.analysis.limbs import chain_length, find_limbs, rest_positions
from reenact.core.skeleton import Skeleton


def test_roles_give_the_limbs(body: Skeleton) -> None:
    limbs = find_limbs(body)
    assert limbs is not None
    assert limbs.named
    assert limbs.feet == (body.joint("left_foot"), body.joint("right_foot"))
    assert limbs.soles == (body.joint("left_toes"), body.joint("right_toes"))
    assert limbs.head == body.joint("head")
    assert limbs.leg == pytest.approx(0.83)


def test_symmetry_finds_the_same_limbs_without_names(body: Skeleton, nameless: Skeleton) -> None:
    by_roles, by_shape = find_limbs(body), find_limbs(nameless)
    assert by_roles is not None
    assert by_shape is not None
    assert not by_shape.named
    for part in ("hips", "feet", "soles", "knees", "thighs", "arms", "hands", "head"):
        assert getattr(by_shape, part) == getattr(by_roles, part), part
    assert by_shape.leg == pytest.approx(by_roles.leg)


def test_a_rope_has_no_limbs() -> None:
    rope = Skeleton(tuple("abcd"), np.array([-1, 0, 1, 2]), np.tile([0.0, 1.0, 0.0], (4, 1)))
    assert find_limbs(rope) is None


def test_feet_that_hang_on_no_thigh_are_not_taken_from_roles(body: Skeleton) -> None:
    crossed = body.with_roles({**body.roles, "left_foot": body.joint("right_hand")})
    limbs = find_limbs(crossed)
    assert limbs is not None
    assert not limbs.named


def test_lengths_and_rest_positions(body: Skeleton) -> None:
    assert chain_length(body, body.joint("hips"), body.joint("head")) == pytest.approx(0.64)
    places = rest_positions(body)
    np.testing.assert_allclose(places[body.joint("left_hand")], [0.71, 0.44, 0], atol=1e-12)
    np.testing.assert_allclose(places[0], 0)
