import numpy as np
import pytest
from PIL import Image

from reenact.errors import ParameterError
from reenact.render import AnimationParameters, StripParameters, render_strip, save_picture


def test_png_is_the_strip(make_clip, tmp_path):
    path = tmp_path / "strip.PNG"
    options = StripParameters(count=3, height=80)
    save_picture(make_clip(20), path, strip=options)
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        np.testing.assert_array_equal(np.asarray(picture), np.asarray(render_strip(make_clip(20), options)))


@pytest.mark.parametrize(("ending", "head"), [("gif", b"GIF89a"), ("mp4", b"ftyp")])
def test_moving_pictures(make_clip, tmp_path, ending, head):
    path = tmp_path / f"clip.{ending}"
    save_picture([make_clip(4), make_clip(4)], path, animation=AnimationParameters(width=80, height=64))
    assert head in path.read_bytes()[:16]


@pytest.mark.parametrize("name", ["a.jpeg", "a", "a.png.txt", ".png"])
def test_unknown_endings_name_the_choices(make_clip, tmp_path, name):
    with pytest.raises(ParameterError, match=r"\.png, \.gif, \.mp4"):
        save_picture(make_clip(2), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_said(make_clip, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        save_picture(make_clip(2), tmp_path / "nowhere" / "a.png")


def test_pictures_are_stacked_below_one_another() -> None:
    from PIL import Image

    from reenact.render.picture import stack_pictures

    with pytest.raises(ParameterError, match="no picture"):
        stack_pictures([])
    red, blue = Image.new("RGB", (40, 10), "red"), Image.new("RGBA", (30, 20), "blue")
    whole = stack_pictures([red, blue])
    assert whole.size == (40, 30)
    assert whole.getpixel((0, 0)) == (255, 0, 0)
    assert whole.getpixel((0, 29)) == (0, 0, 255)
    assert whole.getpixel((39, 29)) == (255, 0, 0)  # the ground of the first
