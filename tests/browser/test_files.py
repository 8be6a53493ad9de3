"""Files in and out: uploads good and bad, dropped and chosen, and exports that can be read."""

from __future__ import annotations

import base64
import shutil

import numpy as np
import pytest
from playwright.sync_api import expect

import reenact
from reenact.core.cutting import CutParameters, cut
from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def clip():
    return cut(make_sample("jump_up").clip, CutParameters(10, 90))


def upload(studio, *paths) -> None:
    """Choose files in the page's own dialog."""
    with studio.page.expect_file_chooser() as chooser:
        studio.page.locator(".library").get_by_role("button", name="Add files").click()
    chooser.value.set_files([str(path) for path in paths])


def drop(studio, path) -> None:
    """Drag a file over the page and let it go."""
    data = base64.b64encode(path.read_bytes()).decode()
    studio.page.evaluate(
        """([name, data]) => {
            const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
            const held = new DataTransfer();
            held.items.add(new File([bytes], name));
            const stage = document.querySelector("canvas.view");
            for (const kind of ["dragenter", "dragover"])
                stage.dispatchEvent(new DragEvent(kind, {dataTransfer: held, bubbles: true, cancelable: true}));
            window.letGo = () => stage.dispatchEvent(new DragEvent("drop", {dataTransfer: held, bubbles: true, cancelable: true}));
        }""",
        [path.name, data],
    )
    expect(studio.page.get_by_text("Drop to add to the library")).to_be_visible()
    studio.page.evaluate("letGo()")
    expect(studio.page.get_by_text("Drop to add to the library")).to_be_hidden()


def remove_shown(studio, name: str) -> None:
    """Take the clip on the stage out of the library, by the Info tab."""
    studio.watch.allow_gone()
    studio.tab("Info").get_by_role("button", name="Remove from the library").click()
    expect(studio.row(name)).to_have_count(0)
    expect(studio.page.get_by_text("Choose a clip")).to_be_visible()


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_a_good_file_is_added_and_shown(studio, tmp_path, clip, ending):
    path = tmp_path / f"uploaded {ending}.{ending}"
    reenact.save(clip, path)
    upload(studio, path)
    name = reenact.load(path).name or path.stem
    expect(studio.page.locator(".cast .member-name")).to_have_text([name])
    expect(studio.page.get_by_role("slider", name="Frame")).to_have_attribute("aria-valuemax", str(clip.frames - 1))
    expect(studio.page.get_by_text(f"{name} was added.")).to_be_visible()
    studio.until("reenactStudio.jointPlace(0) !== null")
    studio.page.locator("canvas.view").focus()
    studio.press("End")
    where = [studio.place(joint)["world"] for joint in range(len(clip.skeleton))]
    assert np.abs(np.array(where) - clip.world().positions[-1]).max() < 1e-4
    upload(studio, path)
    expect(studio.page.get_by_text(f"{name} was in the library already.")).to_be_visible()
    remove_shown(studio, name)


def test_a_dropped_file_is_added(studio, tmp_path, clip):
    path = tmp_path / "dropped.bvh"
    reenact.save(clip, path)
    drop(studio, path)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["dropped"])
    expect(studio.row("dropped")).to_be_visible()
    remove_shown(studio, "dropped")


BAD = {
    "empty.bvh": b"",
    "noise.bvh": bytes(range(256)) * 20,
    "cut-short.glb": b"glTF\x02\x00\x00\x00\xff\xff\x00\x00",
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
}


def test_bad_files_are_told_and_nothing_is_added(studio, tmp_path):
    studio.watch.allow(r"422.*/upload")
    paths = []
    for name, data in BAD.items():
        (tmp_path / name).write_bytes(data)
        paths.append(tmp_path / name)
    upload(studio, *paths)
    toasts = studio.page.locator(".toast.bad .toast-text")
    expect(toasts).to_have_count(len(BAD))
    told = toasts.all_inner_texts()
    for name, text in zip(BAD, told, strict=True):
        assert text.startswith(f"{name}: ")
        assert len(text) > len(name) + 10
        assert "\n" not in text
        assert str(tmp_path) not in text
        assert "upload-" not in text, "no folder of the server is named"
    expect(studio.page.locator(".library .count")).to_have_text("5 clips")
    expect(studio.page.get_by_text("Choose a clip")).to_be_visible()
    studio.page.locator(".toast").first.get_by_role("button", name="Dismiss").click()
    expect(toasts).to_have_count(len(BAD) - 1)


def test_a_good_file_among_bad_ones(studio, tmp_path, clip):
    studio.watch.allow(r"422.*/upload")
    good, bad = tmp_path / "fine.bvh", tmp_path / "bad.bvh"
    reenact.save(clip, good)
    bad.write_bytes(good.read_bytes()[:300])
    upload(studio, bad, good)
    expect(studio.page.locator(".cast .member-name")).to_have_text(["fine"])
    expect(studio.page.locator(".toast.bad")).to_contain_text("bad.bvh:")
    remove_shown(studio, "fine")


def test_exports_can_be_read(studio, tmp_path):
    studio.choose("run")
    expected = make_sample("run").clip
    panel = studio.tab("Info")
    choice = panel.get_by_role("combobox", name="Export as")
    formats = choice.locator("option").evaluate_all("(options) => options.map((option) => option.value)")
    assert {"bvh", "gltf"} <= set(formats)
    for name in formats:
        choice.select_option(name)
        with studio.page.expect_download() as download:
            panel.get_by_role("button", name="Export", exact=True).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.stem == "run"
        if path.suffix == ".zip":  # a format of several files
            shutil.unpack_archive(path, tmp_path / name)
            path = tmp_path / name / f"run.{name}"
        read = reenact.load(path)
        assert read.frames == expected.frames
        assert read.fps == pytest.approx(expected.fps, rel=1e-4)
        common = [joint for joint in expected.skeleton.names if joint in read.skeleton.names]
        assert len(common) >= len(expected.skeleton) - 1, "Acclaim calls the root by its own name"
        theirs, ours = ([own.names.index(joint) for joint in common] for own in (read.skeleton, expected.skeleton))
        gap = read.world().positions[:, theirs] - expected.world().positions[:, ours]
        assert np.abs(gap).max() < 1e-3


@pytest.mark.corpus
def test_a_character_wears_its_mesh(studio, corpus):
    upload(studio, corpus / "characters" / "khronos" / "CesiumMan.glb")
    expect(studio.page.locator(".cast .member-name")).to_have_text(["CesiumMan"])
    studio.until("reenactStudio.jointPlace(0) !== null")
    mesh = studio.page.get_by_role("radio", name="Mesh")
    expect(mesh).to_be_enabled()
    studio.page.get_by_role("radio", name="Body").click()
    bare = studio.picture()
    mesh.click()
    studio.page.wait_for_load_state("networkidle")
    worn = studio.picture()
    assert worn != bare
    studio.page.locator("canvas.view").focus()
    studio.press("Shift+ArrowRight")
    assert studio.picture() != worn, "the mesh moves with the skeleton"
    remove_shown(studio, "CesiumMan")
