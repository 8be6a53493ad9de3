"""Roles by names on many naming customs, by shape with all names removed, and what the findings say."""

from __future__ import annotations

import itertools
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reenact
from reenact.core.role_finding import ESSENTIAL, assign_roles, find_roles
from reenact.core.role_names import pair_names, read_name
from reenact.core.role_topology import find_by_shape
from reenact.core.roles import other_side
from reenact.core.skeleton import Skeleton
from reenact.core.tree import Tree
from reenact.errors import ParameterError

SIDED = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
MIDDLE = ("hips", "spine", "chest", "neck", "head")


def skeleton_from_tree(names, parents, offsets) -> Skeleton:
    """A skeleton of joints listed in any order: parents are put first."""
    order, waiting = [], [joint for joint, parent in enumerate(parents) if parent < 0]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += reversed([child for child, parent in enumerate(parents) if parent == joint])
    place = {joint: n for n, joint in enumerate(order)}
    above = np.array([place.get(int(parents[joint]), -1) for joint in order], np.int32)
    return Skeleton(tuple(names[joint] for joint in order), above, np.asarray(offsets)[order])


def grow(text: str) -> Skeleton:
    """A skeleton from "a > b (c > d | e)": `>` a child, `( | )` several."""
    names: list[str] = []
    parents: list[int] = []
    stack: list[int] = []
    at = -1
    for word in (found.strip() for found in re.findall(r"[()|>]|[^()|>]+", text)):
        if word == "(":
            stack.append(at)
        elif word == "|":
            at = stack[-1]
        elif word == ")":
            at = stack.pop()
        elif word and word != ">":
            names.append(word)
            parents.append(at)
            at = len(names) - 1
    return skeleton_from_tree(names, parents, np.zeros((len(names), 3)))


def expect(middle: str, left: str, right: str) -> dict[str, str]:
    """Names in the order of MIDDLE and SIDED; "-" for a role the skeleton lacks."""
    pairs = [*zip(MIDDLE, middle.split(","), strict=True)]
    for side, text in (("left", left), ("right", right)):
        pairs += [(f"{side}_{part}", name) for part, name in zip(SIDED, text.split(","), strict=True)]
    return {role: name.strip() for role, name in pairs if name.strip() != "-"}


def mirrored(text: str, *swaps: tuple[str, str]) -> str:
    for left, right in swaps:
        text = text.replace(left, right)
    return text


def two_sided(tree: str, middle: str, left: str, *swaps: tuple[str, str]) -> tuple[str, dict[str, str]]:
    """`tree` has {arm} and {leg}-like parts written once for the left in braces; the right is made by the swaps."""
    whole = re.sub(r"\{([^{}]*)\}", lambda found: f"{found[1]} | {mirrored(found[1], *swaps)}", tree)
    return whole, expect(middle, left, mirrored(left, *swaps))


CUSTOMS: dict[str, tuple[str, dict[str, str]]] = {
    "Mixamo": two_sided(
        "mixamorig:Hips (mixamorig:Spine > mixamorig:Spine1 > mixamorig:Spine2 (mixamorig:Neck > mixamorig:Head > "
        "mixamorig:HeadTop_End | "
        "{mixamorig:LeftShoulder > mixamorig:LeftArm > mixamorig:LeftForeArm > mixamorig:LeftHand (mixamorig:LeftHandThumb1 | "
        "mixamorig:LeftHandIndex1 > mixamorig:LeftHandIndex2)}) | {mixamorig:LeftUpLeg > mixamorig:LeftLeg > mixamorig:LeftFoot > "
        "mixamorig:LeftToeBase > mixamorig:LeftToe_End})",
        "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine2, mixamorig:Neck, mixamorig:Head",
        "mixamorig:LeftShoulder, mixamorig:LeftArm, mixamorig:LeftForeArm, mixamorig:LeftHand, mixamorig:LeftUpLeg, mixamorig:LeftLeg, "
        "mixamorig:LeftFoot, mixamorig:LeftToeBase",
        ("Left", "Right"),
    ),
    "3ds Max Biped": two_sided(
        "Bip01 > Bip01 Pelvis > Bip01 Spine ({Bip01 L Thigh > Bip01 L Calf (Bip01 L Foot > Bip01 L Toe0 > Bip01 L Toe0Nub | "
        "Bip01 L CalfTwist)} | Bip01 Spine1 > Bip01 Spine2 > Bip01 Neck (Bip01 Head > Bip01 HeadNub | {Bip01 L Clavicle > "
        "Bip01 L UpperArm > Bip01 L Forearm > Bip01 L Hand > Bip01 L Finger0}))",
        "Bip01 Pelvis, Bip01 Spine, Bip01 Spine2, Bip01 Neck, Bip01 Head",
        "Bip01 L Clavicle, Bip01 L UpperArm, Bip01 L Forearm, Bip01 L Hand, Bip01 L Thigh, Bip01 L Calf, Bip01 L Foot, Bip01 L Toe0",
        (" L ", " R "),
    ),
    "Valve": two_sided(
        "ValveBiped.Bip01_Pelvis (ValveBiped.Bip01_Spine > ValveBiped.Bip01_Spine1 > ValveBiped.Bip01_Spine4 (ValveBiped.Bip01_Neck1 > "
        "ValveBiped.Bip01_Head1 | {ValveBiped.Bip01_L_Clavicle > ValveBiped.Bip01_L_UpperArm > ValveBiped.Bip01_L_Forearm > "
        "ValveBiped.Bip01_L_Hand}) | {ValveBiped.Bip01_L_Thigh > ValveBiped.Bip01_L_Calf > ValveBiped.Bip01_L_Foot > "
        "ValveBiped.Bip01_L_Toe0})",
        "ValveBiped.Bip01_Pelvis, ValveBiped.Bip01_Spine, ValveBiped.Bip01_Spine4, ValveBiped.Bip01_Neck1, ValveBiped.Bip01_Head1",
        "ValveBiped.Bip01_L_Clavicle, ValveBiped.Bip01_L_UpperArm, ValveBiped.Bip01_L_Forearm, ValveBiped.Bip01_L_Hand, "
        "ValveBiped.Bip01_L_Thigh, ValveBiped.Bip01_L_Calf, ValveBiped.Bip01_L_Foot, ValveBiped.Bip01_L_Toe0",
        ("_L_", "_R_"),
    ),
    "SMPL": two_sided(
        "Pelvis ({L_Hip > L_Knee > L_Ankle > L_Foot} | Spine1 > Spine2 > Spine3 (Neck > Head | {L_Collar > L_Shoulder > L_Elbow > "
        "L_Wrist > L_Hand}))",
        "Pelvis, Spine1, Spine3, Neck, Head",
        "L_Collar, L_Shoulder, L_Elbow, L_Wrist, L_Hip, L_Knee, L_Ankle, L_Foot",
        ("L_", "R_"),
    ),
    "SMPL-X": two_sided(
        "pelvis ({left_hip > left_knee > left_ankle > left_foot} | spine1 > spine2 > spine3 (neck > head (jaw | left_eye_smplhf | "
        "right_eye_smplhf) | {left_collar > left_shoulder > left_elbow > left_wrist (left_index1 > left_index2 | left_thumb1)}))",
        "pelvis, spine1, spine3, neck, head",
        "left_collar, left_shoulder, left_elbow, left_wrist, left_hip, left_knee, left_ankle, left_foot",
        ("left", "right"),
    ),
    "SMPL FBX": two_sided(
        "m_avg_root > m_avg_Pelvis ({m_avg_L_Hip > m_avg_L_Knee > m_avg_L_Ankle > m_avg_L_Foot} | m_avg_Spine1 > m_avg_Spine2 > "
        "m_avg_Spine3 (m_avg_Neck > m_avg_Head | {m_avg_L_Collar > m_avg_L_Shoulder > m_avg_L_Elbow > m_avg_L_Wrist > m_avg_L_Hand}))",
        "m_avg_Pelvis, m_avg_Spine1, m_avg_Spine3, m_avg_Neck, m_avg_Head",
        "m_avg_L_Collar, m_avg_L_Shoulder, m_avg_L_Elbow, m_avg_L_Wrist, m_avg_L_Hip, m_avg_L_Knee, m_avg_L_Ankle, m_avg_L_Foot",
        ("_L_", "_R_"),
    ),
    "Unreal": two_sided(
        "root (pelvis (spine_01 > spine_02 > spine_03 (neck_01 > head | {clavicle_l > upperarm_l (upperarm_twist_01_l | lowerarm_l ("
        "lowerarm_twist_01_l | hand_l > index_01_l > index_02_l))}) | {thigh_l (thigh_twist_01_l | calf_l (calf_twist_01_l | "
        "foot_l > ball_l))}) | ik_foot_root > ik_foot_l | ik_hand_root > ik_hand_gun > ik_hand_l)",
        "pelvis, spine_01, spine_03, neck_01, head",
        "clavicle_l, upperarm_l, lowerarm_l, hand_l, thigh_l, calf_l, foot_l, ball_l",
        ("_l", "_r"),
    ),
    "Rigify": two_sided(
        "spine (spine.001 > spine.002 > spine.003 (spine.004 > spine.005 > spine.006 | {shoulder.L > upper_arm.L > forearm.L > hand.L > "
        "palm.01.L > f_index.01.L} | breast.L | breast.R) | pelvis.L | pelvis.R | {thigh.L > shin.L > foot.L (toe.L | heel.02.L)})",
        "spine, spine.001, spine.003, spine.004, spine.006",
        "shoulder.L, upper_arm.L, forearm.L, hand.L, thigh.L, shin.L, foot.L, toe.L",
        (".L", ".R"),
    ),
    "Rigify deform": two_sided(
        "DEF-spine (DEF-spine.001 > DEF-spine.002 > DEF-spine.003 (DEF-spine.004 > DEF-spine.005 > DEF-spine.006 | {DEF-shoulder.L > "
        "DEF-upper_arm.L > DEF-upper_arm.L.001 > DEF-forearm.L > DEF-forearm.L.001 > DEF-hand.L}) | {DEF-thigh.L > DEF-thigh.L.001 > "
        "DEF-shin.L > DEF-shin.L.001 > DEF-foot.L > DEF-toe.L})",
        "DEF-spine, DEF-spine.001, DEF-spine.003, DEF-spine.004, DEF-spine.006",
        "DEF-shoulder.L, DEF-upper_arm.L, DEF-forearm.L, DEF-hand.L, DEF-thigh.L, DEF-shin.L, DEF-foot.L, DEF-toe.L",
        (".L", ".R"),
    ),
    "VRM humanoid": two_sided(
        "hips (spine > chest > upperChest (neck > head (leftEye | rightEye | jaw) | {leftShoulder > leftUpperArm > "
        "leftLowerArm > leftHand > "
        "leftThumbMetacarpal}) | {leftUpperLeg > leftLowerLeg > leftFoot > leftToes})",
        "hips, spine, upperChest, neck, head",
        "leftShoulder, leftUpperArm, leftLowerArm, leftHand, leftUpperLeg, leftLowerLeg, leftFoot, leftToes",
        ("left", "right"),
    ),
    "VRoid": two_sided(
        "Root > J_Bip_C_Hips (J_Bip_C_Spine > J_Bip_C_Chest > J_Bip_C_UpperChest (J_Bip_C_Neck > J_Bip_C_Head | J_Sec_L_Bust1 | "
        "J_Sec_R_Bust1 | {J_Bip_L_Shoulder > J_Bip_L_UpperArm > J_Bip_L_LowerArm > J_Bip_L_Hand > J_Bip_L_Index1}) | "
        "{J_Bip_L_UpperLeg > J_Bip_L_LowerLeg > J_Bip_L_Foot > J_Bip_L_ToeBase})",
        "J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head",
        "J_Bip_L_Shoulder, J_Bip_L_UpperArm, J_Bip_L_LowerArm, J_Bip_L_Hand, J_Bip_L_UpperLeg, J_Bip_L_LowerLeg, J_Bip_L_Foot, "
        "J_Bip_L_ToeBase",
        ("_L_", "_R_"),
    ),
    "Xsens": two_sided(
        "Pelvis (L5 > L3 > T12 > T8 (Neck > Head | {LeftShoulder > LeftUpperArm > LeftForeArm > LeftHand}) | {LeftUpperLeg > "
        "LeftLowerLeg > LeftFoot > LeftToe})",
        "Pelvis, L5, T8, Neck, Head",
        "LeftShoulder, LeftUpperArm, LeftForeArm, LeftHand, LeftUpperLeg, LeftLowerLeg, LeftFoot, LeftToe",
        ("Left", "Right"),
    ),
    "OptiTrack": two_sided(
        "Hip (Ab > Chest (Neck > Head | {LShoulder > LUArm > LFArm > LHand > LIndex1}) | {LThigh > LShin > LFoot > LToe})",
        "Hip, Ab, Chest, Neck, Head",
        "LShoulder, LUArm, LFArm, LHand, LThigh, LShin, LFoot, LToe",
        (" L", " R"),
        ("{L", "{R"),
        ("LShoulder", "RShoulder"),
        ("LThigh", "RThigh"),
    ),
    "HumanIK": two_sided(
        "Character1_Reference > Character1_Hips (Character1_Spine > Character1_Spine1 (Character1_Neck > Character1_Head | "
        "{Character1_LeftShoulder > Character1_LeftArm (Character1_LeftArmRoll | Character1_LeftForeArm (Character1_LeftForeArmRoll | "
        "Character1_LeftHand > Character1_LeftHandThumb1))}) | {Character1_LeftUpLeg (Character1_LeftUpLegRoll | Character1_LeftLeg > "
        "Character1_LeftFoot > Character1_LeftToeBase)})",
        "Character1_Hips, Character1_Spine, Character1_Spine1, Character1_Neck, Character1_Head",
        "Character1_LeftShoulder, Character1_LeftArm, Character1_LeftForeArm, Character1_LeftHand, Character1_LeftUpLeg, "
        "Character1_LeftLeg, Character1_LeftFoot, Character1_LeftToeBase",
        ("Left", "Right"),
    ),
    "ARKit": two_sided(
        "root > hips_joint ({left_upLeg_joint > left_leg_joint > left_foot_joint > left_toes_joint > "
        "left_toesEnd_joint} | spine_1_joint > "
        "spine_2_joint > spine_7_joint (neck_1_joint > neck_2_joint > head_joint | {left_shoulder_1_joint > left_arm_joint > "
        "left_forearm_joint > left_hand_joint}))",
        "hips_joint, spine_1_joint, spine_7_joint, neck_1_joint, head_joint",
        "left_shoulder_1_joint, left_arm_joint, left_forearm_joint, left_hand_joint, left_upLeg_joint, left_leg_joint, left_foot_joint, "
        "left_toes_joint",
        ("left", "right"),
    ),
    "Kinect": two_sided(
        "SpineBase (SpineMid > SpineShoulder (Neck > Head | {ShoulderLeft > ElbowLeft > WristLeft > HandLeft > "
        "HandTipLeft}) | {HipLeft > "
        "KneeLeft > AnkleLeft > FootLeft})",
        "SpineBase, SpineMid, SpineShoulder, Neck, Head",
        "-, ShoulderLeft, ElbowLeft, WristLeft, HipLeft, KneeLeft, AnkleLeft, FootLeft",
        ("Left", "Right"),
    ),
    "Daz": two_sided(
        "hip (pelvis > {lThighBend > lThighTwist > lShin > lFoot > lMetatarsals > lToe > lSmallToe1} | abdomenLower > abdomenUpper > "
        "chestLower > chestUpper (neckLower > neckUpper > head | {lCollar > lShldrBend > lShldrTwist > lForearmBend > "
        "lForearmTwist > lHand}))",
        "hip, abdomenLower, chestUpper, neckLower, head",
        "lCollar, lShldrBend, lForearmBend, lHand, lThighBend, lShin, lFoot, lToe",
        ("lThigh", "rThigh"),
        ("lShin", "rShin"),
        ("lFoot", "rFoot"),
        ("lMeta", "rMeta"),
        ("lToe", "rToe"),
        ("lSmall", "rSmall"),
        ("lCollar", "rCollar"),
        ("lShldr", "rShldr"),
        ("lForearm", "rForearm"),
        ("lHand", "rHand"),
    ),
    "Character Creator": two_sided(
        "CC_Base_BoneRoot > CC_Base_Hip (CC_Base_Pelvis > {CC_Base_L_Thigh (CC_Base_L_ThighTwist01 | CC_Base_L_Calf > CC_Base_L_Foot > "
        "CC_Base_L_ToeBase)} | CC_Base_Waist > CC_Base_Spine01 > CC_Base_Spine02 (CC_Base_NeckTwist01 > "
        "CC_Base_NeckTwist02 > CC_Base_Head | "
        "{CC_Base_L_Clavicle > CC_Base_L_Upperarm (CC_Base_L_UpperarmTwist01 | CC_Base_L_Forearm > CC_Base_L_Hand)}))",
        "CC_Base_Hip, CC_Base_Waist, CC_Base_Spine02, CC_Base_NeckTwist01, CC_Base_Head",
        "CC_Base_L_Clavicle, CC_Base_L_Upperarm, CC_Base_L_Forearm, CC_Base_L_Hand, CC_Base_L_Thigh, CC_Base_L_Calf, CC_Base_L_Foot, "
        "CC_Base_L_ToeBase",
        ("_L_", "_R_"),
    ),
    "DeepMimic": two_sided(
        "root (chest (neck | {left_shoulder > left_elbow > left_wrist}) | {left_hip > left_knee > left_ankle})",
        "root, chest, chest, neck, neck",
        "-, left_shoulder, left_elbow, left_wrist, left_hip, left_knee, left_ankle, -",
        ("left", "right"),
    ),
    "MikuMikuDance": two_sided(
        "センター (下半身 > {左足 > 左ひざ > 左足首 > 左つま先} | 上半身 > 上半身2 (首 > 頭 | {左肩 > 左腕 > 左ひじ > 左手首}))",
        "センター, 上半身, 上半身2, 首, 頭",
        "左肩, 左腕, 左ひじ, 左手首, 左足, 左ひざ, 左足首, 左つま先",
        ("左", "右"),
    ),
    "Acclaim": two_sided(
        "root ({lhipjoint > lfemur > ltibia > lfoot > ltoes} | lowerback > upperback > thorax (lowerneck > "
        "upperneck > head | {lclavicle > "
        "lhumerus > lradius > lwrist (lhand > lfingers | lthumb)}))",
        "root, lowerback, thorax, lowerneck, head",
        "lclavicle, lhumerus, lradius, lwrist, lfemur, ltibia, lfoot, ltoes",
        *((f"l{word}", f"r{word}") for word in ("hipjoint", "femur", "tibia", "foot", "toes", "clavicle", "humerus")),
        *((f"l{word}", f"r{word}") for word in ("radius", "wrist", "hand", "fingers", "thumb")),
    ),
    "ozz": two_sided(
        "Hips > Pelvis > Spine (Spine1 > Spine2 > Spine3 > Neck (Head > Bip01 HeadNub | {LeftShoulder > LeftArm > "
        "LeftForeArm > LeftHand > "
        "LeftHandThumb1}) | {LeftUpLeg > LeftLeg > LeftFoot > LeftFootThumb1 > Bip01LeftToe0Nub})",
        "Hips, Spine, Spine3, Neck, Head",
        "LeftShoulder, LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftFoot, LeftFootThumb1",
        ("Left", "Right"),
    ),
    "generic Maya": two_sided(
        "rig:pelvis_jnt (rig:spine1_jnt > rig:chest_jnt (rig:neck_jnt > rig:head_jnt > rig:head_end_jnt | {rig:lf_clavicle_jnt > "
        "rig:lf_arm_jnt > rig:lf_elbow_jnt > rig:lf_wrist_jnt}) | {rig:lf_leg_jnt > rig:lf_knee_jnt > "
        "rig:lf_ankle_jnt > rig:lf_ball_jnt})",
        "rig:pelvis_jnt, rig:spine1_jnt, rig:chest_jnt, rig:neck_jnt, rig:head_jnt",
        "rig:lf_clavicle_jnt, rig:lf_arm_jnt, rig:lf_elbow_jnt, rig:lf_wrist_jnt, rig:lf_leg_jnt, rig:lf_knee_jnt, rig:lf_ankle_jnt, "
        "rig:lf_ball_jnt",
        ("lf_", "rt_"),
    ),
}


def named(skeleton: Skeleton, roles) -> dict[str, str]:
    return {role: skeleton.names[joint] for role, joint in roles.items()}


@pytest.mark.parametrize("custom", CUSTOMS)
def test_every_naming_custom_is_understood(custom: str) -> None:
    tree, wanted = CUSTOMS[custom]
    skeleton = grow(tree)
    found = find_roles(skeleton)
    assert named(skeleton, found.roles) == wanted
    assert found.method == "names"
    assert found.overall > 0.9


@pytest.mark.parametrize("custom", CUSTOMS)
def test_side_swapped_names_swap_the_roles(custom: str) -> None:
    skeleton = grow(CUSTOMS[custom][0])
    pairs = pair_names(skeleton.names)
    swapped = replace(skeleton, names=tuple(skeleton.names[pairs.get(j, j)] for j in range(len(skeleton))))
    before, after = find_roles(skeleton).roles, find_roles(swapped).roles
    assert {other_side(role): joint for role, joint in before.items()} == dict(after)


def test_a_hip_joint_that_never_turns_is_not_the_hip() -> None:
    skeleton = grow(
        "Hips (LHipJoint > LeftUpLeg > LeftLeg > LeftFoot | RHipJoint > RightUpLeg > RightLeg > RightFoot | Spine > Head)"
    )
    assert named(skeleton, find_roles(skeleton).roles)["left_upper_leg"] == "LeftUpLeg"
    skeleton = grow(
        "Hips (LHipJoint > LeftHip > LeftKnee > LeftAnkle | RHipJoint > RightHip > RightKnee > RightAnkle | Chest > Head)"
    )
    assert named(skeleton, find_roles(skeleton).roles)["right_upper_leg"] == "RightHip"


def test_the_pelvis_carries_legs_and_trunk() -> None:
    skeleton = grow("Root (Spine1 > Spine2 (Neck > Head | Arm_L > LoArm_L > Hand_L | Arm_R > LoArm_R > Hand_R) | Hips (UpLeg_L > LoLeg_L > "
                    "Foot_L | UpLeg_R > LoLeg_R > Foot_R))")  # fmt: skip
    found = named(skeleton, find_roles(skeleton).roles)
    assert found["hips"] == "Root"
    assert found["spine"] == "Spine1"


def test_feet_that_do_not_hang_on_the_leg_are_not_taken() -> None:
    skeleton = grow(
        "Bone (Foot.L | Foot.R | Body (Hips > Torso > Head | UpperLeg.L > LowerLeg.L | UpperLeg.R > LowerLeg.R))"
    )
    found = find_roles(skeleton)
    assert "left_foot" not in found.roles
    assert any(finding.code == "roles.incomplete" and "left_foot" in finding.message for finding in found.findings)


def test_one_sided_limbs_are_doubted() -> None:
    found = find_roles(grow("Hips (Spine > Head | LeftLeg)"))
    assert found.confidence["left_upper_leg"] < 0.9
    assert found.overall < 0.5
    assert [finding.code for finding in found.findings] == ["roles.found", "roles.incomplete"]


def test_nothing_is_found_where_there_is_nothing() -> None:
    for text in ("Bone > Bone.001", "Sphere", "a > b (c | d > e)"):
        found = find_roles(grow(text))
        assert not found.roles
        assert found.method == "none"
        assert found.overall == 0
        assert "roles.incomplete" in [finding.code for finding in found.findings]


def test_forelegs_stand_for_arms_with_low_confidence() -> None:
    skeleton = grow("Hips (Spine_1 > Spine_2 (Head | Front_Leg_Shoulder_L > Front_Leg_Upper_L > Front_Leg_Lower_L > Front_Leg_Ankle_L | "
                    "Front_Leg_Shoulder_R > Front_Leg_Upper_R > Front_Leg_Lower_R > "
                    "Front_Leg_Ankle_R) | Back_Leg_Upper_L > Back_Leg_Lower_L > "
                    "Back_Leg_Ankle_L | Back_Leg_Upper_R > Back_Leg_Lower_R > Back_Leg_Ankle_R)")  # fmt: skip
    found = find_roles(skeleton)
    assert named(skeleton, found.roles)["left_upper_arm"] == "Front_Leg_Upper_L"
    assert named(skeleton, found.roles)["right_foot"] == "Back_Leg_Ankle_R"
    assert found.overall <= 0.6


@pytest.mark.parametrize(
    ("name", "side", "kind"),
    [
        ("LeftForeArmRoll", "left", ""),
        ("RightHandEnd", "right", ""),
        ("LeftHandThumb1", "left", ""),
        ("L5", "left", ""),
        ("T8", "", ""),
        ("radius", "", "lower_arm"),
        ("lradius", "left", "lower_arm"),
        ("ball", "", "toes"),
        ("handIK.l", "left", ""),
        ("__UpLeg_L", "", ""),
        ("RIGHT_KNEE", "right", "lower_leg"),
        ("thighr", "right", "upper_leg"),
        ("Model:Bip001 R UpperArm", "right", "upper_arm"),
        ("", "", ""),
        ("...", "", ""),
    ],
)
def test_names_are_read(name: str, side: str, kind: str) -> None:
    reading = read_name(name)
    assert (reading.side, reading.kind) == (side, kind)


def test_names_are_paired_by_their_side_alone() -> None:
    names = (
        "hips",
        "lThumb1",
        "rThumb1",
        "LeftEye",
        "RightEye",
        "lfingers",
        "rfingers",
        "Toe_L",
        "Toe_R",
        "left",
        "tail",
    )
    assert pair_names(names) == {1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 8, 8: 7}


def test_roles_are_taken_over_by_the_skeleton() -> None:
    skeleton, found = assign_roles(grow(CUSTOMS["SMPL"][0]))
    assert dict(skeleton.roles) == dict(found.roles)
    assert skeleton.names[skeleton.joint("left_hand")] == "L_Wrist"


def test_the_answer_for_equal_trees_is_kept() -> None:
    one, two = grow(CUSTOMS["Unreal"][0]), grow(CUSTOMS["Unreal"][0])
    assert dict(find_roles(one).roles) == dict(find_roles(two).roles)


def test_wrong_positions_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"positions must have shape \(frames, 2, 3\)"):
        find_roles(grow("a > b"), np.zeros((4, 3, 3)))


@given(st.integers(0, 100_000))
def test_no_tree_and_no_names_make_it_fail(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 25))
    words = [
        "Left",
        "Right",
        "L_",
        "r",
        "Arm",
        "Leg",
        "Hip",
        "Foot",
        "Spine",
        "Head",
        "Toe",
        "ForeArm",
        "Neck",
        "Wrist",
        "x",
        "1",
        "_",
    ]
    names = tuple("".join(rng.choice(words, 3)) + f".{n}" for n in range(count))
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, count))]
    skeleton = Skeleton(names, np.array(parents), rng.normal(size=(count, 3)) * rng.choice([0, 1]))
    for positions in (None, rng.normal(size=(3, count, 3)), np.zeros((1, count, 3))):
        found = find_roles(skeleton, positions)
        assert all(0 <= joint < count for joint in found.roles.values())
        assert all(0 <= value <= 1 for value in found.confidence.values())
        tree = Tree(skeleton.parents)
        for side in ("left", "right"):
            leg = [found.roles[f"{side}_{part}"] for part in SIDED[4:] if f"{side}_{part}" in found.roles]
            assert all(tree.is_above(above, below) for above, below in itertools.pairwise(leg))


# the real corpus


def bvh_files(corpus: Path) -> list[Path]:
    others = [
        *corpus.glob("bvh-other/*.bvh"),
        *corpus.glob("characters/makehuman/*.bvh"),
        *corpus.glob("noncommercial/*/*.bvh"),
    ]
    return [*sorted(others), *sorted(corpus.glob("cmu-bvh/*.bvh"))[::9]]


def glb_skeleton(path: Path) -> Skeleton:
    """The joints of a GLB's skins with their rest positions, all frames turned like the world's."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20 : 20 + length])
    nodes = document["nodes"]
    parent = {child: index for index, node in enumerate(nodes) for child in node.get("children", ())}
    joints = {joint for skin in document["skins"] for joint in skin["joints"]}

    def matrix(index: int) -> np.ndarray:
        node = nodes[index]
        if "matrix" in node:
            local = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        else:
            x, y, z, w = node.get("rotation", (0, 0, 0, 1))
            turn = np.array([
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ])  # fmt: skip
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = turn * node.get("scale", (1, 1, 1)), node.get("translation", (0, 0, 0))
        return local if index not in parent else matrix(parent[index]) @ local

    order = sorted(joints)
    above = []
    for index in order:
        at = parent.get(index, -1)
        while at >= 0 and at not in joints:
            at = parent.get(at, -1)
        above.append(order.index(at) if at >= 0 else -1)
    points = np.array([matrix(index)[:3, 3] for index in order])
    offsets = points - np.where(np.array(above)[:, None] >= 0, points[above], 0)
    return skeleton_from_tree([nodes[index]["name"] for index in order], above, offsets)


GLB = {
    "kaykit/Knight.glb": expect(
        "hips, spine, chest, -, head",
        "-, upperarm.l, lowerarm.l, wrist.l, upperleg.l, lowerleg.l, foot.l, toes.l",
        "-, upperarm.r, lowerarm.r, wrist.r, upperleg.r, lowerleg.r, foot.r, toes.r",
    ),
    "khronos/CesiumMan.glb": expect(
        "Skeleton_torso_joint_1, Skeleton_torso_joint_2, torso_joint_3, Skeleton_neck_joint_1, Skeleton_neck_joint_2",
        "-, Skeleton_arm_joint_L__4_, Skeleton_arm_joint_L__3_, Skeleton_arm_joint_L__2_, leg_joint_L_1, leg_joint_L_2, leg_joint_L_3, "
        "leg_joint_L_5",
        "-, Skeleton_arm_joint_R, Skeleton_arm_joint_R__2_, Skeleton_arm_joint_R__3_, leg_joint_R_1, leg_joint_R_2, leg_joint_R_3, "
        "leg_joint_R_5",
    ),
    "khronos/RiggedFigure.glb": expect(
        "torso_joint_1, torso_joint_2, torso_joint_3, neck_joint_1, neck_joint_2",
        "-, arm_joint_L_1, arm_joint_L_2, arm_joint_L_3, leg_joint_L_1, leg_joint_L_2, leg_joint_L_3, leg_joint_L_5",
        "-, arm_joint_R_1, arm_joint_R_2, arm_joint_R_3, leg_joint_R_1, leg_joint_R_2, leg_joint_R_3, leg_joint_R_5",
    ),
    "mesh2motion/human-male.glb": expect(
        "pelvis, spine_01, spine_03, neck_01, head",
        "clavicle_l, upperarm_l, lowerarm_l, hand_l, thigh_l, calf_l, foot_l, ball_l",
        "clavicle_r, upperarm_r, lowerarm_r, hand_r, thigh_r, calf_r, foot_r, ball_r",
    ),
    "threejs/RobotExpressive.glb": expect(
        "Body, Abdomen, Torso, Neck, Head",
        "Shoulder.L, UpperArm.L, LowerArm.L, Palm2.L, UpperLeg.L, LowerLeg.L, -, -",
        "Shoulder.R, UpperArm.R, LowerArm.R, Palm2.R, UpperLeg.R, LowerLeg.R, -, -",
    ),
    "khronos/Fox.glb": expect(
        "b_Hip_01, b_Spine01_02, b_Spine02_03, b_Neck_04, b_Head_05",
        "-, b_LeftUpperArm_09, b_LeftForeArm_010, b_LeftHand_011, b_LeftLeg01_015, b_LeftLeg02_016, b_LeftFoot01_017, b_LeftFoot02_018",
        "-, b_RightUpperArm_06, b_RightForeArm_07, b_RightHand_08, b_RightLeg01_019, b_RightLeg02_020, b_RightFoot01_021, "
        "b_RightFoot02_022",
    ),
}


@pytest.mark.corpus
@pytest.mark.parametrize("file", GLB)
def test_roles_of_characters(corpus: Path, file: str) -> None:
    skeleton = glb_skeleton(corpus / "characters" / file)
    assert named(skeleton, find_roles(skeleton).roles) == GLB[file]


CMU = two_sided(
    "",
    "Hips, LowerBack, Spine1, Neck, Head",
    "LeftShoulder, LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftFoot, LeftToeBase",
    ("Left", "Right"),
)[1]
BANDAI = two_sided(
    "",
    "Hips, Spine, Chest, Neck, Head",
    "Shoulder_L, UpperArm_L, LowerArm_L, Hand_L, UpperLeg_L, LowerLeg_L, Foot_L, Toes_L",
    ("_L", "_R"),
)[1]
LAFAN = two_sided(
    "",
    "Hips, Spine, Spine2, Neck, Head",
    "LeftShoulder, LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftFoot, LeftToe",
    ("Left", "Right"),
)[1]
MAKEHUMAN = two_sided(
    "",
    "root, spine05, spine01, neck01, head",
    "clavicle.L, upperarm01.L, lowerarm01.L, wrist.L, upperleg01.L, lowerleg01.L, foot.L, toe1-1.L",
    (".L", ".R"),
)[1]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("cmu-bvh/02_01.bvh", CMU),
        ("noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh", BANDAI),
        ("noncommercial/lafan1/test2.bvh", LAFAN),
        ("characters/makehuman/tpose.bvh", MAKEHUMAN),
    ],
)
def test_roles_of_recordings(corpus: Path, file: str, wanted: dict[str, str]) -> None:
    skeleton = reenact.load(corpus / file).skeleton
    assert named(skeleton, find_roles(skeleton).roles) == wanted


@pytest.mark.corpus
def test_every_recorded_skeleton_has_its_essential_roles(corpus: Path) -> None:
    for path in bvh_files(corpus):
        if path.name == "rotation_first_root.bvh":
            continue
        found = find_roles(reenact.load(path).skeleton)
        assert found.method == "names", path
        assert not [role for role in ESSENTIAL if role not in found.roles], path
        assert found.overall > 0.9, path


def shapes(corpus: Path) -> Iterator[tuple[str, Skeleton, np.ndarray | None]]:
    for path in bvh_files(corpus):
        if path.name != "rotation_first_root.bvh":
            clip = reenact.load(path)
            yield path.name, clip.skeleton, clip.world().positions
    for file in GLB:
        if "Fox" not in file and "Robot" not in file:
            yield file, glb_skeleton(corpus / "characters" / file), None


@pytest.mark.corpus
def test_roles_by_shape_with_all_names_removed(corpus: Path) -> None:
    """At least 98 of 100 roles are right, no skeleton loses more than four, and no side is ever swapped."""
    right = total = 0
    for name, skeleton, positions in shapes(corpus):
        truth = find_roles(skeleton).roles
        bare = replace(skeleton, names=tuple(f"j{n}" for n in range(len(skeleton))))
        found = find_roles(bare, positions)
        assert found.method == "topology", name
        assert "roles.guessed" in [finding.code for finding in found.findings]
        agreed = [role for role, joint in truth.items() if found.roles.get(role) == joint]
        crossed = [role for role, joint in found.roles.items() if "_" in role and truth.get(other_side(role)) == joint]
        assert not crossed, (name, crossed)
        assert len(truth) - len(agreed) <= 4, (
            name,
            {role: found.roles.get(role) for role in truth if role not in agreed},
        )
        assert found.overall <= 0.9, name
        right, total = right + len(agreed), total + len(truth)
    assert right >= 0.98 * total, f"{right} of {total}"


@pytest.mark.corpus
def test_a_rest_pose_that_is_a_line_leaves_sides_open(corpus: Path) -> None:
    skeleton = reenact.load(corpus / "noncommercial/bandai-namco/dataset-1_walk_normal_001.bvh").skeleton
    bare = replace(skeleton, names=tuple(f"j{n}" for n in range(len(skeleton))))
    found = find_roles(bare)
    assert set(found.roles) == {"hips", "spine", "chest", "neck", "head"}
    assert any("left and right" in finding.message for finding in found.findings)


@pytest.mark.corpus
def test_four_legs_are_no_body_to_be_sure_of(corpus: Path) -> None:
    for file in ("khronos/Fox.glb", "mesh2motion/fox-animations.glb"):
        skeleton = glb_skeleton(corpus / "characters" / file)
        found = find_by_shape(skeleton)
        assert all(value <= 0.4 for value in found.confidence.values())


@pytest.mark.corpus
def test_missing_names_are_filled_in_by_shape(corpus: Path) -> None:
    clip = reenact.load(corpus / "cmu-bvh/02_01.bvh")
    wanted = dict(find_roles(clip.skeleton).roles)
    renamed = tuple(name if "Leg" in name or name == "Hips" else f"x{n}" for n, name in enumerate(clip.skeleton.names))
    found = find_roles(replace(clip.skeleton, names=renamed), clip.world().positions)
    assert found.method == "mixed"
    assert dict(found.roles) == wanted
    assert found.confidence["left_upper_leg"] > 0.9 > found.confidence["left_upper_arm"]


@pytest.mark.corpus
def test_a_motion_whose_sides_are_crossed_is_noticed(corpus: Path) -> None:
    for path in bvh_files(corpus):
        clip = reenact.load(path)
        positions = clip.world().positions
        codes = [finding.code for finding in find_roles(clip.skeleton, positions).findings]
        assert "roles.sides" not in codes, path
        if "left_toes" in find_roles(clip.skeleton).roles:
            crossed = find_roles(clip.skeleton, positions * np.array([-1, 1, 1]))
            assert "roles.sides" in [finding.code for finding in crossed.findings], path
            assert crossed.overall <= 0.5


def _branches(counts: list[int]) -> Skeleton:
    """A root with one chain of joints for each count."""
    parents = [-1]
    for count in counts:
        parents += [0, *range(len(parents), len(parents) + count - 1)]
    offsets = np.tile([0.0, 0.1, 0.02], (len(parents), 1))
    return Skeleton(tuple(f"n{k}" for k in range(len(parents))), np.array(parents), offsets)


@pytest.mark.parametrize(
    "counts",
    [[9_999], [2] * 900, [400] * 4, [1000, 1000], [40, 40, 40, 40]],
    ids=["rope", "star", "ropes", "two", "full"],
)
def test_trees_of_any_shape_are_looked_at_in_bounded_time(counts: list[int]) -> None:
    """Pairs of branches and triples of joints grow with the square and the cube: no file may ask for more than a little."""
    found = find_roles(_branches(counts))
    assert set(found.roles.values()) <= set(range(sum(counts) + 1))
    if len(counts) < 4:
        assert not found.roles
