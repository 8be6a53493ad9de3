"""Weights of the motions of a blend."""

from __future__ import annotations

import numpy as np
import pytest

from reenact.blend.weights import check_weights, constant_weights, others_of, passing_weights, weights_of
from reenact.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5", "2 motions need 2 weights, not 1"),
        ("1,2,3", "2 motions need 2 weights, not 3"),
        ("-1,2", "-0.2 to 1.2 of their sum.*-1, 2 make -1, 2"),
        ("-0.21,1.21", "-0.2 to 1.2 of their sum"),
        ("-1,2,1", "-0.2 to 1.2 of their sum.* make -0.5, 1, 0.5"),
        ("0,0", "must sum to more than 0, not 0, 0"),
        ("1,-1", "must sum to more than 0, not 1, -1"),
        ("nan,1", "must be finite"),
        ("a,1", "'a' in 'a,1' is not a number"),
        ("0:1,0; x:0,1", "'x' in 'x:0,1' is not a number"),
        ("0:1,0; 1:0,1,1", "2 motions need 2 weights, not 3"),
        ("0:1,0; 100%:0,1", "every moment in seconds, or every one in %"),
        ("1:1,0; 0:0,1", "must rise"),
    ],
)
def test_weights_that_do_not_fit_are_refused(text, message):
    with pytest.raises(ParameterError, match=message):
        weights_of(text, 3 if text.startswith("-1,2,1") else 2)


def test_weights_may_lead_a_little_beyond():
    assert np.allclose(check_weights([-0.2, 1.2], 2), [-0.2, 1.2])
    assert np.allclose(check_weights([-1, 6], 2), [-0.2, 1.2])
    assert np.allclose(weights_of("0%:1.2,-0.2; 100%:0,1", 2).at(0, 0), [1.2, -0.2])
    assert constant_weights([1.2, -0.2], 2).alone() is None
    assert constant_weights([1.0, 0.1, -0.1], 3).alone() is None
    assert constant_weights([0, 3], 2).alone() == 1


def test_what_the_others_have():
    weights = np.array([[1.0, 0.0, 0.0], [1.2, -0.2, 0.0], [0.5, 0.25, 0.25]])
    assert np.allclose(others_of(weights), [[0, 1, 1], [0.2, 1.2, 1.4], [0.5, 0.75, 0.75]])


def test_a_function_is_checked_where_it_is_asked():
    plan = weights_of(lambda t: [1 - t, t], 2)
    assert np.allclose(plan.at(0.25, 0.9), [0.75, 0.25])
    with pytest.raises(ParameterError, match=r"-0\.2 to 1\.2"):
        plan.at(2.0, 1.0)


def test_constant_weights_are_scaled_to_one():
    for source in ("1,3", [1, 3], "0.25,0.75"):
        plan = weights_of(source, 2)
        assert np.allclose(plan.at(3.0, 0.1), [0.25, 0.75])
        assert plan.describe() == [0.25, 0.75]
    assert np.allclose(weights_of("", 3).at(0, 0), 1 / 3)
    assert np.allclose(constant_weights([2, 2], 2).typical(), 0.5)


def test_keys_in_seconds_and_in_shares():
    seconds, shares = weights_of("0:1,0; 2:0,1", 2), weights_of("0%:1,0; 100%:0,1", 2)
    for t in np.linspace(-0.5, 2.5, 31):
        p = np.clip(t / 2, 0, 1)
        wanted = 3 * p**2 - 2 * p**3
        assert np.allclose(seconds.at(t, 0.0), [1 - wanted, wanted])
        assert np.allclose(shares.at(0.0, t / 2), [1 - wanted, wanted])
    assert np.allclose(shares.typical(), 0.5, atol=1e-3)


def test_a_transition_passes_every_motion():
    plan = passing_weights(3)
    assert np.allclose([plan.at(0, share) for share in (0, 0.5, 1)], np.eye(3))
    steps = np.array([plan.at(0, share) for share in np.linspace(0, 1, 400)])
    assert np.allclose(steps.sum(axis=1), 1)
    assert steps.min() >= 0
    assert np.abs(np.diff(steps, axis=0)).max() < 1.5 * 2 / 399 * 1.01


def test_one_motion_alone():
    assert weights_of("0,1", 2).alone() == 1
    assert weights_of("0:1,0; 2:1,0", 2).alone() == 0
    for source in ("0.5,0.5", "0:1,0; 2:0,1", lambda t: [1, 0]):
        assert weights_of(source, 2).alone() is None


def test_check_weights_gives_shares():
    assert np.allclose(check_weights([2, 6], 2), [0.25, 0.75])
