"""Materials, morph targets and parts of a character."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reenact.body.attachments import Attachment
from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.body.dressing import fit_character
from reenact.body.materials import Image, Material, Texture, images_of, materials_from_json, materials_to_json
from reenact.body.morphs import MorphTarget, morphed
from reenact.core.skeleton import Skeleton
from reenact.errors import ParameterError

SKELETON = Skeleton(("hips", "knee", "foot"), np.array([-1, 0, 1]), np.array([[0, 1, 0], [0, -0.5, 0], [0, -0.5, 0.0]]))
SKIN, CLOTH = Image(b"skin", "image/png", "skin"), Image(b"cloth", "image/jpeg")
DRESSED = Material(
    "dressed",
    (0.5, 0.25, 0.125, 0.75),
    Texture(SKIN, wrap=("clamp", "mirror"), mag_filter="nearest", min_filter="linear_mipmap_linear"),
    normal_texture=Texture(CLOTH, 1, offset=(0.5, 0.25), turn=0.3, scale=(2.0, 3.0)),
    emissive=(1.0, 0.5, 0.0),
    alpha_mode="mask",
    extensions='{"KHR_materials_clearcoat":{"clearcoatTexture":{"texture":0}}}',
    extension_textures=(Texture(SKIN),),
)


def two_squares(**more: Any) -> Character:
    rest = rest_world(SKELETON)
    square = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    return Character(
        SKELETON,
        np.vstack([square, square + np.float32([0, 0, 1])]),
        np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]),
        np.full((8, 1), 1),
        np.ones((8, 1)),
        rigid_inverse(rest.positions[0], rest.rotations[0]),
        **more,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"base_color": (0, 0, 0)}, "base_color must be 4 numbers"),
        ({"base_color": (0, 0, 0, 1.5)}, "base_color must be 4 numbers from 0 to 1"),
        ({"emissive": (0, -1, 0)}, "emissive"),
        ({"roughness": 2.0}, "roughness must be from 0 to 1, not 2"),
        ({"metallic": float("nan")}, "metallic"),
        ({"alpha_cutoff": -1.0}, "alpha_cutoff"),
        ({"normal_scale": float("inf")}, "normal_scale"),
    ],
)
def test_materials_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Material(**wrong)


def test_images_and_textures_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="no bytes"):
        Image(b"", "image/png", "empty")
    with pytest.raises(ParameterError, match="image/png, not 'text/html'"):
        Image(b"x", "text/html")
    with pytest.raises(ParameterError, match="not finite"):
        Texture(SKIN, turn=float("nan"))
    with pytest.raises(ParameterError, match="counts from 0"):
        Texture(SKIN, -1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"materials": (Material(),), "face_materials": np.array([0, 0, 1, 0])}, "materials from 0 to 1, there are 1"),
        ({"materials": (Material(),), "face_materials": np.array([0])}, "face_materials"),
        ({"face_materials": np.zeros(4, int)}, "there are 0"),
        ({"parts": ("a",)}, "needs vertex_parts"),
        ({"parts": ("a", "b"), "vertex_parts": np.array([0, 1, 0, 0, 1, 1, 1, 1])}, "within one part"),
        ({"tangents": np.full((8, 4), np.nan)}, "tangents hold values"),
        ({"more_uvs": (np.zeros((3, 2)),)}, "more_uvs"),
        ({"morphs": (MorphTarget("x", np.array([8]), np.zeros((1, 3))),)}, "moves vertex 8, there are 8"),
        ({"morphs": (MorphTarget("x", np.zeros(0), np.zeros((0, 3))),) * 2}, "same name"),
        ({"attachments": (Attachment("cam", 3, np.eye(4)),)}, "joints from 3 to 3, there are 3"),
    ],
)
def test_characters_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        two_squares(**wrong)


def test_morph_targets_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="ascending"):
        MorphTarget("x", np.array([1, 0]), np.zeros((2, 3)))
    with pytest.raises(ParameterError, match="finite"):
        MorphTarget("x", np.array([1]), np.full((1, 3), np.inf))
    with pytest.raises(ParameterError, match="inverted"):
        Attachment("x", 0, np.zeros((4, 4)))


def test_morphing_moves_the_vertices_of_the_targets() -> None:
    raised = MorphTarget("raised", np.array([1, 2]), np.float32([[0, 1, 0], [0, 2, 0]]), weight=0.5)
    aside = MorphTarget("aside", np.array([2]), np.float32([[1, 0, 0]]))
    made = two_squares(morphs=(raised, aside))
    assert morphed(made.vertices, made.morphs)[:3].tolist() == [[0, 0, 0], [1, 0.5, 0], [1, 2, 0]]
    both = morphed(made.vertices, made.morphs, np.array([1.0, 2.0]))
    assert both[:3].tolist() == [[0, 0, 0], [1, 1, 0], [3, 3, 0]]
    assert made.vertices[1].tolist() == [1, 0, 0]


def test_materials_have_a_json_form() -> None:
    plain, images = materials_to_json((DRESSED, Material("bare")))
    assert images == (SKIN, CLOTH) == images_of((DRESSED,))
    again = materials_from_json(json.loads(json.dumps(plain)), images)
    assert again == (DRESSED, Material("bare"))


def test_looks_stay_when_a_character_is_put_on_other_joints() -> None:
    made = two_squares(
        materials=(DRESSED, Material("bare")),
        face_materials=np.array([0, 0, 1, 1]),
        parts=("front", "back"),
        vertex_parts=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        attachments=(Attachment("cam", 2, np.eye(4), camera="{}"),),
    )
    other = Skeleton(
        ("root", "hips", "tail", "knee", "foot"), np.array([-1, 0, 1, 1, 3]), np.zeros((5, 3)) + np.float64([0, 1, 0])
    )
    fitted = fit_character(made, other)
    assert fitted is not None
    assert fitted.materials is made.materials
    assert fitted.weight_joints.tolist() == [[3]] * 8
    assert [(one.name, one.joint) for one in fitted.attachments] == [("cam", 4)]
    assert replace(fitted, name="x").parts == ("front", "back")
