"""The stage: joints, curves, styles, traces, several clips, the neutral frame, the camera."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")


def test_bodies_stand_where_python_says(studio):
    studio.choose("walk_circle_tight_left")
    sample = make_sample("walk_circle_tight_left").clip
    world = sample.world()
    for frame in (0, 133, 419):
        field = studio.page.get_by_role("spinbutton", name="Frame", exact=True)
        field.fill(str(frame))
        field.press("Enter")
        shown = [studio.place(joint)["world"] for joint in range(len(sample.skeleton))]
        assert np.abs(np.array(shown) - world.positions[frame]).max() < 1e-4


def test_a_joint_is_selected_in_the_tree(studio):
    studio.choose("walk_normal")
    panel = studio.tab("Joints")
    panel.get_by_role("treeitem", name="LeftLeg", exact=False).first.click()
    names = make_sample("walk_normal").clip.skeleton.names
    assert names[studio.joint()] == "LeftLeg"
    panel.get_by_role("tree").focus()
    studio.press("ArrowDown")
    assert names[studio.joint()] == "LeftFoot"
    studio.press("ArrowLeft", "ArrowLeft")
    assert names[studio.joint()] == "LeftLeg", "first it folds, then it goes to the parent"
    studio.press("Escape")
    assert studio.joint() == -1


def test_a_joint_is_selected_by_a_click_in_the_view(studio):
    studio.choose("walk_normal")
    skeleton = make_sample("walk_normal").clip.skeleton
    for name in ("RightHand", "LeftFoot", "RightLeg"):
        joint = skeleton.names.index(name)
        x, y = studio.place(joint)["page"]
        studio.page.mouse.click(x, y)
        assert skeleton.names[studio.joint()] == name
        expect(studio.page.locator(f"#joint-{joint}")).to_have_attribute("aria-selected", "true")
    box = studio.page.locator("canvas.view").bounding_box()
    studio.page.mouse.click(box["x"] + box["width"] - 12, box["y"] + box["height"] - 12)
    assert studio.joint() == -1, "a click beside the body selects nothing"


def drawn_colours(page) -> list[int]:
    """For every plot the number of its coloured pixels."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".plot canvas")].map((canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let i = 0; i < data.length; i += 4) {
                const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
                if (data[i + 3] > 100 && spread > 60) count++;
            }
            return count;
        })"""
    )


def test_curves_of_the_selected_joint_are_drawn(studio):
    studio.choose("walk_normal")
    joint = make_sample("walk_normal").clip.skeleton.names.index("LeftLeg")
    studio.page.locator(f"#joint-{joint}").click()
    panel = studio.tab("Curves")
    expect(panel.locator(".tab-bar strong")).to_have_text("LeftLeg")
    expect(panel.locator(".plot").first).to_be_visible()
    studio.until("document.querySelectorAll('.plot canvas').length >= 2")
    studio.drawn()
    assert min(drawn_colours(studio.page)) > 200
    before = panel.locator("output").all_inner_texts()
    studio.page.locator("canvas.view").focus()
    studio.press("Shift+ArrowRight", "Shift+ArrowRight")
    studio.drawn()
    assert panel.locator("output").all_inner_texts() != before, "the readings follow the cursor"
    panel.get_by_role("combobox", name="Rotations as").select_option("vector")
    studio.drawn()
    assert min(drawn_colours(studio.page)) > 200
    area = panel.locator(".plot-area").first.bounding_box()
    studio.page.mouse.click(area["x"] + 0.75 * area["width"], area["y"] + 0.5 * area["height"])
    assert studio.frame() > 200, "a click in a plot goes to that frame"


def test_every_view_mode_draws_something_else(studio):
    studio.choose("walk_normal")
    studio.page.locator("canvas.view").focus()
    studio.press("Shift+ArrowRight")
    pictures = {"body": studio.picture()}
    studio.page.get_by_role("radio", name="Skeleton").click()
    pictures["skeleton"] = studio.picture()
    studio.page.get_by_role("button", name="Trace", exact=True).click()
    pictures["trace"] = studio.picture()
    step = studio.page.get_by_role("spinbutton", name="Frames between poses")
    step.fill("60")
    step.press("Enter")
    pictures["trace every 60"] = studio.picture()
    studio.page.get_by_role("button", name="Trace", exact=True).click()
    studio.page.get_by_role("button", name="Paths", exact=True).click()
    pictures["paths of leaves"] = studio.picture()
    studio.page.get_by_role("combobox", name="Paths of").select_option("root")
    pictures["path of the root"] = studio.picture()
    studio.page.get_by_role("combobox", name="Look from").select_option("top")
    pictures["from above"] = studio.picture()
    assert len(set(pictures.values())) == len(pictures)


def test_a_clip_without_a_mesh_is_shown_as_a_person(studio):
    """The person comes when it has been made; the bones are shown until then, and instead of it on request."""
    with studio.page.expect_response(lambda answer: "figure=person" in answer.url) as answer:
        studio.choose("walk_normal")
    assert answer.value.ok
    expect(studio.page.get_by_role("radio", name="Mesh")).to_be_checked()
    studio.page.get_by_role("radio", name="Body").click()
    body = studio.picture()
    studio.page.get_by_role("radio", name="Mesh").click()
    for _ in range(100):
        person = studio.picture()
        if person != body:
            break
        studio.page.wait_for_timeout(100)
    assert person != body


def test_people_wear_the_colours_of_their_clips(studio):
    """Several at once are told from each other, as the marks beside their names say."""
    numbers = []
    for name, more in (("walk_normal", ()), ("run", ("Control",))):
        with studio.page.expect_response(lambda answer: "figure=person" in answer.url):
            numbers.append(studio.choose(name, *more))
    studio.page.get_by_role("button", name="Side by side").click()
    chest = make_sample("walk_normal").clip.skeleton.roles["chest"]

    def shirts() -> list[list[int]]:
        studio.drawn()
        shown = np.asarray(Image.open(io.BytesIO(studio.page.screenshot())).convert("RGB"), int)
        places = [studio.place(chest, number)["page"] for number in numbers]
        return [
            shown[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4].mean((0, 1)).tolist() for x, y in places
        ]

    for _ in range(100):
        (_, green, blue), (_, other_green, other_blue) = shirts()
        if blue > green + 30 and other_green > other_blue + 10:
            break
        studio.page.wait_for_timeout(100)
    assert blue > green + 30, "the first wears blue"
    assert other_green > other_blue + 10, "the second green"


def test_two_clips_overlaid_and_side_by_side(studio):
    walk = studio.choose("walk_normal")
    run = studio.choose("run", "Control")
    assert studio.open_names() == ["walk_normal", "run"]
    over = [studio.place(0, number)["world"] for number in (walk, run)]
    assert np.hypot(over[0][0] - over[1][0], over[0][2] - over[1][2]) < 0.5, "each where it was recorded"
    studio.page.get_by_role("button", name="Side by side").click()
    studio.drawn()
    beside = [studio.place(0, number)["world"] for number in (walk, run)]
    assert abs(beside[0][0] - beside[1][0]) == pytest.approx(1.4, abs=0.1)
    studio.page.get_by_role("button", name="Hide walk_normal").click()
    hidden = studio.picture()
    studio.page.get_by_role("button", name="Show walk_normal").click()
    assert studio.picture() != hidden
    studio.page.get_by_role("button", name="Close run").click()
    expect(studio.page.locator(".cast .member-name")).to_have_text(["walk_normal"])
    expect(studio.page.get_by_role("button", name="Side by side")).to_be_hidden()


def test_clips_of_unequal_length_share_the_time(studio):
    studio.choose("run")  # 300 frames
    studio.choose("walk_normal", "Control")  # 420 frames
    expect(studio.page.get_by_role("slider", name="Frame")).to_have_attribute("aria-valuemax", "419")


def test_locking_the_root_keeps_it_in_place(studio):
    studio.choose("walk_circle_tight_left")
    hips = make_sample("walk_circle_tight_left").clip.skeleton.roles["hips"]
    studio.page.get_by_role("button", name="Lock root").click()
    studio.page.locator("canvas.view").focus()
    places, heights = [], []
    for _ in range(6):
        studio.press(*["Shift+ArrowRight"] * 5)
        world = studio.place(hips)["world"]
        places.append((world[0], world[2]))
        heights.append(world[1])
    assert np.abs(places).max() < 1e-5
    assert np.ptp(heights) > 0.005, "heights stay as they were recorded"
    studio.page.get_by_role("button", name="Lock root").click()
    studio.drawn()
    world = studio.place(hips)["world"]
    assert np.hypot(world[0], world[2]) > 0.3


def test_the_camera_follows_and_can_be_moved(studio):
    studio.choose("run")
    canvas = studio.page.locator("canvas.view")
    box = canvas.bounding_box()
    middle = box["x"] + 0.5 * box["width"]
    hips = make_sample("run").clip.skeleton.roles["hips"]
    canvas.focus()
    studio.press("End")
    assert abs(studio.place(hips)["page"][0] - middle) < 0.1 * box["width"], "the body is in the middle"
    studio.page.get_by_role("button", name="Follow").click()
    studio.press("Home")
    away = studio.place(hips)["page"]
    assert abs(away[0] - middle) > 0.15 * box["width"], "the camera stays where it was"
    studio.page.get_by_role("button", name="Camera back to the body").click()
    studio.drawn()
    near = studio.place(hips)["page"]
    assert abs(near[0] - middle) < 0.1 * box["width"]
    feet = make_sample("run").clip.skeleton.roles["left_foot"]

    def height() -> float:
        return abs(studio.place(feet)["page"][1] - studio.place(hips)["page"][1])

    before = height()
    canvas.focus()
    studio.press("ArrowUp", "ArrowUp", "ArrowUp")
    assert height() > 1.1 * before, "the arrow goes nearer"
    studio.page.mouse.move(middle, box["y"] + 40)
    studio.page.mouse.wheel(0, 600)
    studio.page.wait_for_timeout(100)
    studio.drawn()
    assert height() < 1.5 * before
    at = studio.place(hips)["page"]
    studio.press("Shift+ArrowUp", "Shift+ArrowUp")
    assert studio.place(hips)["page"][1] > at[1] + 5, "looking higher moves the body down"
    turned = studio.place(feet)["page"]
    studio.press("a", "a", "a")
    assert np.hypot(*np.subtract(studio.place(feet)["page"], turned)) > 1
