import pytest

from reenact.core.skeleton import Skeleton
from reenact.render.sides import LEFT, MIDDLE, RIGHT, joint_sides


def sides_of(names, roles=None, parents=None):
    parents = parents or [-1] + [0] * (len(names) - 1)
    return joint_sides(Skeleton(tuple(names), parents, [(0, 0, 0)] * len(names), roles=roles or {})).tolist()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("LeftArm", "RightArm"),
        ("mixamorig:LeftArm", "mixamorig:RightArm"),
        ("lfemur", "rfemur"),
        ("LThumb", "RThumb"),
        ("Arm.L", "Arm.R"),
        ("hand_l", "hand_r"),
        ("UpperLeg_L", "UpperLeg_R"),
        ("b_LeftLeg01_015", "b_RightLeg01_019"),
        ("upper_leg.L.001", "upper_leg.R.001"),
        ("FootL", "FootR"),
        ("L_toe_tip_jnt", "R_toe_tip_jnt"),
        ("lCollar", "rCollar"),
    ],
)
def test_names(left, right):
    assert sides_of(["root", left, right]) == [MIDDLE, LEFT, RIGHT]


def test_a_lone_letter_is_no_side():
    assert sides_of(["root", "lowerback", "lfemur", "rfemur", "ribs"]) == [MIDDLE, MIDDLE, LEFT, RIGHT, MIDDLE]


def test_children_follow_their_parent():
    assert sides_of(["root", "LeftHand", "finger"], parents=[-1, 0, 1]) == [MIDDLE, LEFT, LEFT]


def test_roles_count_more_than_names():
    assert sides_of(["root", "LeftThing", "bone"], {"right_hand": 1, "left_foot": 2}) == [MIDDLE, RIGHT, LEFT]
