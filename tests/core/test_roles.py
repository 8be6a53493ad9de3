"""The vocabulary of roles."""

from __future__ import annotations

from reenact.core.roles import ROLES, SIDED, other_side


def test_every_sided_role_has_its_other_side() -> None:
    assert len(set(ROLES)) == 5 + 2 * len(SIDED)
    for role in ROLES:
        assert other_side(role) in ROLES
        assert other_side(other_side(role)) == role
        assert (other_side(role) == role) == (not role.startswith(("left_", "right_")))
