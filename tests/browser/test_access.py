"""For everybody: names of controls, keys alone, focus that can be seen, contrast, light and dark, less motion."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")

LEAST = 4.5  # contrast of text on its ground, WCAG 2 level AA

CONTROLS = {
    "button", "textbox", "searchbox", "spinbutton", "combobox", "checkbox", "radio", "slider", "switch", "tab", "tree",
    "listbox", "link", "dialog", "region", "toolbar", "group", "separator", "progressbar", "radiogroup", "tablist",
}  # fmt: skip

SEEN_TEXTS = """() => {
    const parse = (text) => {
        const numbers = (text.match(/[\\d.]+/g) ?? []).map(Number);
        return text.startsWith("color(") ? numbers.map((value, k) => (k < 3 ? 255 * value : value)) : numbers;
    };
    const over = (top, below) => {
        const a = top[3] ?? 1;
        return [0, 1, 2].map((k) => a * top[k] + (1 - a) * below[k]);
    };
    const light = (c) => {
        const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const holder = node.parentElement;
        const text = node.textContent.trim();
        if (!text || !holder.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        if (holder.closest(":disabled, noscript, option, [aria-hidden=true]")) continue;
        if (holder.closest(".stage-canvas") && !holder.closest(".member, .button")) continue; // on a picture
        const grounds = [];
        for (let at = holder; at; at = at.parentElement) grounds.unshift(parse(getComputedStyle(at).backgroundColor));
        const ground = grounds.reduce((below, top) => over(top, below), [255, 255, 255]);
        const colour = over(parse(getComputedStyle(holder).color), ground);
        const [a, b] = [light(colour), light(ground)].sort((x, y) => y - x);
        found.push([(a + 0.05) / (b + 0.05), text.slice(0, 40), holder.className]);
    }
    return found;
}"""


def contrast(first: str, second: str) -> float:
    """Ratio of two colours "#rrggbb" or "#rgb" by WCAG 2."""

    def light(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        values = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(open_page, server, scheme):
    studio = open_page(server.url, color_scheme=scheme)
    assert studio.page.evaluate("document.documentElement.dataset.theme") == scheme
    variables = studio.page.evaluate(
        """() => Object.fromEntries(["text", "quiet", "accent", "accent-fill", "accent-soft", "on-accent", "bad", "bad-soft",
            "good", "warn", "warn-soft", "raised", "sunken", "hover"].map((name) =>
            [name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()]))"""
    )
    pairs = [(text, ground) for text in ("text", "quiet", "accent") for ground in ("raised", "sunken", "hover")]
    pairs += [("on-accent", "accent-fill"), ("accent", "accent-soft"), ("text", "accent-soft"), ("bad", "raised")]
    pairs += [("bad", "bad-soft"), ("good", "raised"), ("warn", "raised"), ("warn", "warn-soft")]
    poor = {pair: contrast(variables[pair[0]], variables[pair[1]]) for pair in pairs}
    assert not {pair: ratio for pair, ratio in poor.items() if ratio < LEAST}
    studio.choose("run")
    studio.choose("walk_normal", "Control")
    for tab in ("Joints", "Curves", "Operations", "Info"):
        studio.tab(tab)
        studio.drawn()
        shown = studio.page.evaluate(SEEN_TEXTS)
        assert len(shown) > 40
        assert not [text for text in shown if text[0] < LEAST], tab


def nameless(studio) -> list[str]:
    """Controls that a screen reader could not name, from the browser's own accessibility tree."""
    session = studio.page.context.new_cdp_session(studio.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    seen = [n for n in nodes if not n.get("ignored") and n.get("role", {}).get("value", "").lower() in CONTROLS]
    assert len(seen) > 20
    return [n["role"]["value"] for n in seen if not n.get("name", {}).get("value", "").strip()]


def test_every_control_has_a_name(studio):
    assert nameless(studio) == []
    studio.choose("run")
    studio.choose("walk_normal", "Control")
    studio.page.get_by_role("button", name="Trace", exact=True).click()
    studio.page.get_by_role("button", name="Paths", exact=True).click()
    for tab in ("Joints", "Curves", "Operations", "Info"):
        studio.tab(tab)
        assert nameless(studio) == []
    studio.page.locator("canvas.view").focus()
    studio.press("?")
    expect(studio.page.get_by_role("dialog", name="Keys")).to_be_visible()
    studio.press("Escape")
    expect(studio.page.get_by_role("dialog", name="Keys")).to_be_hidden()


FOCUSED = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const style = getComputedStyle(at);
    const ringed = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
    const mark = document.createElement("i");
    mark.style.backgroundColor = "var(--accent)";
    document.body.append(mark);
    const filled = style.backgroundColor === getComputedStyle(mark).backgroundColor; // a splitter is all accent
    mark.remove();
    const around = at.closest(":focus-within") && getComputedStyle(at.parentElement);
    const box = at.getBoundingClientRect();
    return {
        name: at.getAttribute("aria-label") || at.title || at.textContent.trim().slice(0, 30) || at.id || at.tagName,
        pane: at.closest("header.top-bar") ? "bar" : at.closest(".library") ? "library" : at.closest(".stage") ? "stage"
            : at.closest("section.side") ? "side" : at.closest(".timeline") ? "timeline" : "between",
        ringed: ringed || filled || (around && (around.outlineStyle !== "none" || around.boxShadow !== "none")),
        seen: box.width > 0 && box.height > 0 && at.checkVisibility(),
    };
}"""


def test_tab_goes_through_everything_in_order_and_can_be_seen(studio):
    studio.choose("run")
    studio.page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); window.scrollTo(0, 0)")
    studio.page.locator("h1").click()
    stops = []
    for _ in range(80):
        studio.press("Tab")
        stop = studio.page.evaluate(FOCUSED)
        if stop is None or (stops and stop == stops[0]):
            break
        stops.append(stop)
    assert 25 < len(stops) < 75
    assert not [stop["name"] for stop in stops if not stop["ringed"]]
    assert not [stop["name"] for stop in stops if not stop["seen"]]
    order = [stop["pane"] for stop in stops if stop["pane"] != "between"]
    assert [pane for k, pane in enumerate(order) if k == 0 or order[k - 1] != pane] == [
        "bar", "library", "stage", "side", "timeline",
    ]  # fmt: skip


def test_work_without_a_mouse(studio):
    """Search, open, add a second clip, play, select a joint, change a view, run an operation: by keys alone."""
    studio.press("/")
    studio.page.keyboard.insert_text("walk")
    expect(studio.page.locator(".library .count")).to_have_text("2 clips")
    studio.press("ArrowDown")
    expect(studio.page.get_by_role("listbox", name="Clips")).to_be_focused()
    upper, lower = studio.page.locator(".row-name").all_inner_texts()
    studio.press("ArrowDown", "Enter")
    expect(studio.page.locator(".cast .member-name")).to_have_text([lower])
    studio.press("ArrowUp", "Control+Space")
    expect(studio.page.locator(".cast .member-name")).to_have_text([lower, upper])
    studio.press("Control+Space")
    expect(studio.page.locator(".cast .member-name")).to_have_text([lower])
    studio.until("reenactStudio.jointPlace(0) !== null")
    studio.press("Space")
    studio.until("reenactStudio.frame() > 2")
    studio.press("Space", "2")
    expect(studio.page.get_by_role("radio", name="Skeleton")).to_have_attribute("aria-checked", "true")
    studio.page.get_by_role("tab", name="Joints").focus()
    studio.press("Tab", "ArrowDown", "ArrowDown")
    assert studio.joint() == 1
    studio.page.get_by_role("tab", name="Joints").focus()
    studio.press("ArrowRight")
    expect(studio.page.get_by_role("tabpanel", name="Curves")).to_be_visible()
    expect(studio.page.get_by_role("tab", name="Curves")).to_be_focused()


def test_keys_in_a_field_are_text(studio):
    studio.choose("run")
    field = studio.page.get_by_role("searchbox")
    field.fill("")
    field.focus()
    studio.page.keyboard.type("run 2 [l] ")
    assert field.input_value() == "run 2 [l] "
    assert not studio.playing()
    expect(studio.page.get_by_role("radio", name="Skeleton")).to_have_attribute("aria-checked", "false")
    expect(studio.page.get_by_role("button", name="Lock root")).to_have_attribute("aria-pressed", "false")


def test_the_theme_can_be_chosen(studio):
    button = studio.page.get_by_role("button", name=re.compile("^Colours"))
    studio.choose("run")
    seen = {}
    for _ in range(3):
        button.click()
        studio.drawn()
        seen[button.get_attribute("aria-label")] = studio.page.evaluate("document.documentElement.dataset.theme")
        page = studio.page.evaluate("getComputedStyle(document.body).backgroundColor")
        dark = sum(map(int, re.findall(r"\d+", page)[:3])) < 200
        assert dark == (list(seen.values())[-1] == "dark")
    assert seen == {"Colours: light": "light", "Colours: dark": "dark", "Colours: as the system": "light"}


def test_less_motion_when_asked(open_page, server):
    studio = open_page(server.url, reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll("*")].filter((e) => {
        const s = getComputedStyle(e);
        return [s.transitionDuration, s.animationDuration].some((d) => d.split(",").some((t) => parseFloat(t) > 0.01));
    }).map((e) => e.className)"""
    assert studio.page.evaluate(moving) == []
    studio.choose("run")
    assert studio.page.evaluate(moving) == []
    # the camera stops at once: nothing glides on after the mouse is let go
    box = studio.page.locator("canvas.view").bounding_box()
    studio.page.mouse.move(box["x"] + 40, box["y"] + 200)
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] + 140, box["y"] + 200, steps=4)
    studio.page.mouse.up()
    studio.drawn()
    place = studio.place(5)["page"]
    studio.page.wait_for_timeout(300)
    assert studio.place(5)["page"] == pytest.approx(place, abs=1e-6)
    studio.press("Space")
    studio.until("reenactStudio.frame() > 2", "motion that was asked for plays all the same")


def test_nothing_is_cut_off_on_a_small_laptop(open_page, server):
    studio = open_page(server.url, viewport={"width": 1280, "height": 680})
    studio.choose("run")
    overflow = studio.page.evaluate(
        "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    assert max(overflow) <= 0
    cut_off = studio.page.evaluate(
        """() => [...document.querySelectorAll("button, select, input")].filter((e) => {
            if (!e.checkVisibility() || e.closest(".tab-body, .chips, [role=tree]")) return false;
            const b = e.getBoundingClientRect();
            return b.right > innerWidth + 1 || b.left < -1 || b.bottom > innerHeight + 1;
        }).map((e) => e.getAttribute("aria-label") || e.textContent)"""
    )
    assert cut_off == []
