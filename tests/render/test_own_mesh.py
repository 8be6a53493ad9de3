"""What came with a mesh is drawn with it: its skin, its textures, its holes."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image as Picture

import reenact
from reenact.body.character import Character
from reenact.body.materials import Image, Material, Texture
from reenact.cli.main import main
from reenact.core.made import Made
from reenact.render.mesh_paint import paint_of
from reenact.render.people import shown_as
from reenact.render.strip import StripParameters, render_strip

_LOOK = StripParameters(mode="row", count=1, traces=False, caption=False, view="front")


def _halves() -> Image:
    """A picture, red on its left half and green on its right."""
    colours = np.zeros((8, 8, 3), np.uint8)
    colours[:, :4, 0] = colours[:, 4:, 1] = 255
    stream = io.BytesIO()
    Picture.fromarray(colours).save(stream, "PNG")
    return Image(stream.getvalue(), "image/png")


def _board(skeleton, **material) -> Character:
    """A square metre that looks forward and follows the hips."""
    corners = np.array([[-0.5, 0.4, 0.2], [0.5, 0.4, 0.2], [0.5, 1.4, 0.2], [-0.5, 1.4, 0.2]])
    bind = np.tile(np.eye(4), (len(skeleton), 1, 1))
    bind[0, :3, 3] = (0, -0.9, 0)
    return Character(
        skeleton,
        corners,
        np.array([[0, 1, 2], [0, 2, 3]]),
        np.zeros((4, 1), int),
        np.ones((4, 1)),
        bind,
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]]),
        materials=(Material("board", **material),),
    )


def _share(picture: Picture.Image, *, red: bool) -> tuple[float, float]:
    """(share of the picture, mean place across it 0..1) of what is plainly red, or green."""
    pixels = np.asarray(picture.convert("RGB"), np.float64)
    this, other = (0, 1) if red else (1, 0)
    found = pixels[..., this] > 2.5 * np.maximum(pixels[..., other], 20)
    return float(found.mean()), float(np.nonzero(found)[1].mean() / found.shape[1]) if found.any() else np.nan


def test_the_mesh_of_a_clip_is_drawn_with_its_texture(make_clip, person):
    clip = make_clip(3)
    board = _board(person, base_color_texture=Texture(_halves()))
    picture = render_strip(Made(clip, character=board), _LOOK)
    red, green = _share(picture, red=True), _share(picture, red=False)
    assert min(red[0], green[0]) > 0.1
    assert abs(red[0] - green[0]) < 0.02
    # +X is the character's left, which a camera in front of it sees on the right
    assert red[1] < green[1]
    assert _share(render_strip(clip, _LOOK), red=False)[0] < 0.01


def test_another_figure_can_be_asked_for(make_clip, person):
    made = Made(make_clip(2), character=_board(person, base_color_texture=Texture(_halves())))
    assert shown_as(made, "auto").materials[0].name == "board"
    generated = shown_as(made, "person")
    assert generated is not None
    assert len(generated.vertices) > 1000
    assert shown_as(made, "sticks") is None
    assert shown_as(made.clip, "auto").materials[0].name != "board"


def test_a_mesh_of_other_joints_is_not_put_on(make_clip, person):
    board = _board(person)
    names = tuple(f"{name}_of_somebody" for name in person.names)
    other = reenact.Skeleton(names, person.parents, person.offsets)
    stranger = Character(other, board.vertices, board.faces, board.weight_joints, board.weights, board.inverse_binds)
    clip = make_clip(2)
    short = clip.with_skeleton(clip.skeleton)
    assert shown_as(Made(short, character=stranger), "auto") is not stranger


def test_masks_cut_holes(make_clip, person):
    clear = np.full((4, 4, 4), 255, np.uint8)
    clear[:, :2, 3] = 0
    stream = io.BytesIO()
    Picture.fromarray(clear).save(stream, "PNG")
    texture = Texture(Image(stream.getvalue(), "image/png"))
    look = {"base_color": (1.0, 0.0, 0.0, 1.0), "base_color_texture": texture}
    whole = render_strip(Made(make_clip(2), character=_board(person, **look)), _LOOK)
    holed = render_strip(Made(make_clip(2), character=_board(person, **look, alpha_mode="mask")), _LOOK)
    assert _share(holed, red=True)[0] == pytest.approx(_share(whole, red=True)[0] / 2, rel=0.05)


@pytest.mark.parametrize(
    ("wrap", "u", "wanted"),
    [("repeat", 1.25, 0), ("repeat", -0.25, 1), ("clamp", -3.0, 0), ("clamp", 9.0, 1), ("mirror", 1.25, 1)],
)
def test_what_lies_beyond_the_image(person, wrap, u, wanted):
    board = _board(person, base_color_texture=Texture(_halves(), wrap=(wrap, "repeat")))
    moved = Character(
        person, board.vertices, board.faces, board.weight_joints, board.weights, board.inverse_binds,
        uvs=np.full((4, 2), [u, 0.5]), materials=board.materials,
    )  # fmt: skip
    colours, opaque = paint_of(moved).at(np.array([0]), np.full((1, 3), 1 / 3))
    assert colours[0].argmax() == wanted
    assert colours[0].max() == pytest.approx(255)
    assert opaque.tolist() == [1.0]


def test_images_that_cannot_be_read_leave_the_plain_colour(person):
    board = _board(
        person, base_color=(0.0, 0.0, 1.0, 1.0), base_color_texture=Texture(Image(b"no picture", "image/png"))
    )
    colours, _ = paint_of(board).at(np.array([1]), np.full((1, 3), 1 / 3))
    assert colours[0].tolist() == pytest.approx([0, 0, 255])


def test_the_command_draws_the_mesh_of_a_file(make_clip, person, tmp_path):
    clip, board = make_clip(3), _board(person, base_color_texture=Texture(_halves()))
    reenact.save(Made(clip, character=board), tmp_path / "board.glb")
    reenact.save(clip, tmp_path / "bare.bvh")
    for source, options in (("board.glb", ()), ("bare.bvh", ("--character", str(tmp_path / "board.glb")))):
        picture = tmp_path / f"{source}.png"
        words = ["render", str(tmp_path / source), "-o", str(picture), "--count", "1", "--view", "front", *options]
        assert main(words) == 0
        with Picture.open(picture) as shown:
            assert _share(shown, red=False)[0] > 0.05, source
