/** How the stage is shown: style, overlays, camera; and which clips are on it. */

import { isHuman } from "../motion/human";
import type { OpenClip } from "../state/news";
import type { Studio } from "../studio";
import type { Style } from "../viewer/body";
import type { TraceChoice } from "../viewer/traces";
import { VIEWS } from "../viewer/viewer";
import { h, icon, iconButton, nameParts, refill } from "./dom";
import { createTint } from "./whose";

const STYLES: readonly (readonly [Style, string, string])[] = [
  ["body", "Body", "Body (1)"],
  ["skeleton", "Skeleton", "Skeleton (2)"],
  ["mesh", "Mesh", "The clip's own mesh, or a person (3)"],
];

const PATH_CHOICES: readonly (readonly [TraceChoice, string])[] = [
  ["leaves", "limbs"],
  ["selected", "joint"],
  ["root", "root"],
];

export function createStageBar(studio: Studio): HTMLElement {
  const { viewer } = studio;
  const styles = STYLES.map(([style, text, title]) =>
    h(
      "button",
      { type: "button", role: "radio", title, "data-style": style, onclick: () => studio.preferView({ style }) },
      text,
    ),
  );
  const toggle = (text: string, title: string, key: "ghosts" | "paths" | "lockRoot" | "follow"): HTMLButtonElement =>
    h(
      "button",
      {
        type: "button",
        class: "toggle",
        title,
        "data-option": key,
        onclick: () => studio.preferView({ [key]: !studio.preferences.view[key] }),
      },
      text,
    );
  const toggles = [
    toggle("Follow", "The camera follows the body (F)", "follow"),
    toggle("Lock root", "Neutral frame: over the origin, facing forward (L)", "lockRoot"),
    toggle("Trace", "Poses along the way (4)", "ghosts"),
    toggle("Paths", "Paths of joints (5)", "paths"),
  ];
  const ghostStep = h("input", {
    type: "number",
    class: "compact number",
    min: 1,
    step: 1,
    placeholder: "auto",
    "aria-label": "Frames between poses",
    title: "Frames between poses",
  });
  ghostStep.addEventListener("change", () =>
    studio.preferView({ ghostStep: Math.max(0, Math.round(Number(ghostStep.value) || 0)) }),
  );
  const every = h("label", { class: "field-inline" }, h("span", {}, "every"), ghostStep);
  const pathChoice = h(
    "select",
    { class: "compact", "aria-label": "Paths of" },
    ...PATH_CHOICES.map(([value, text]) => h("option", { value }, text)),
  );
  pathChoice.addEventListener("change", () => studio.preferView({ pathChoice: pathChoice.value as TraceChoice }));
  const arrangement = h(
    "button",
    {
      type: "button",
      class: "toggle",
      title: "Clips overlaid or side by side (O)",
      onclick: () => studio.toggleArrangement(),
    },
    "Side by side",
  );
  const cameras = h(
    "select",
    { class: "compact", "aria-label": "Look from" },
    h("option", { value: "" }, "View"),
    ...Object.keys(VIEWS).map((name) => h("option", { value: name }, name)),
  );
  cameras.addEventListener("change", () => {
    const view = VIEWS[cameras.value];
    if (view) viewer.look(view);
    cameras.value = "";
    studio.writeAddress();
  });
  const update = (): void => {
    const { view } = studio.preferences;
    for (const button of styles) {
      const chosen = button.dataset["style"] === view.style;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    for (const button of toggles)
      button.setAttribute("aria-pressed", String(view[button.dataset["option"] as "ghosts"]));
    arrangement.setAttribute("aria-pressed", String(studio.arrangement === "side"));
    arrangement.hidden = studio.cast.open.length < 2;
    styles[2].disabled = !studio.cast.open.some(
      (clip) => clip.detail?.summary.has_character || (clip.tree && isHuman(clip.tree)),
    );
    every.hidden = !view.ghosts;
    pathChoice.hidden = !view.paths;
    pathChoice.value = view.pathChoice;
    if (document.activeElement !== ghostStep) ghostStep.value = view.ghostStep ? String(view.ghostStep) : "";
  };
  studio.on("preferences", update);
  studio.on("open", update);
  update();
  return h(
    "div",
    { class: "stage-bar", role: "toolbar", "aria-label": "View" },
    createRadioGroup("Style", styles),
    h("span", { class: "divider" }),
    ...toggles.slice(0, 3),
    every,
    toggles[3],
    pathChoice,
    arrangement,
    h("span", { class: "grow" }),
    cameras,
    iconButton("camera", "Camera back to the body (C)", () => viewer.look(VIEWS["three-quarter"])),
  );
}

/** The open clips with their tints; the leading one is marked. */
export function createCast(studio: Studio): HTMLElement {
  const list = h("ul", { class: "cast", "aria-label": "Open clips" });
  const draw = (): void => refill(list, ...studio.cast.open.map((clip, k) => createMember(studio, clip, k)));
  studio.on("open", draw);
  studio.on("active", draw);
  return list;
}

function createMember(studio: Studio, clip: OpenClip, index: number): HTMLElement {
  const several = studio.cast.open.length > 1;
  return h(
    "li",
    { class: `member ${clip.state}${several && clip.id === studio.cast.activeId ? " leading" : ""}${clip.result ? " result" : ""}` },
    createTint(index),
    h(
      "button",
      {
        type: "button",
        class: "member-name",
        title: several ? `${clip.name}: lead with this clip` : clip.name,
        "aria-pressed": String(clip.id === studio.cast.activeId),
        onclick: () => studio.cast.activate(clip.id),
      },
      ...nameParts(clip.name),
    ),
    clip.result && h("span", { class: "badge" }, "result"),
    clip.state === "loading" && h("span", { class: "spinner", role: "status", "aria-label": "Loading" }),
    clip.state === "failed" &&
      h(
        "button",
        { type: "button", class: "link", title: clip.message, onclick: () => void studio.cast.retry(clip.id) },
        icon("warning"),
        "Try again",
      ),
    several &&
      iconButton(
        clip.visible ? "eye" : "hidden",
        clip.visible ? `Hide ${clip.name}` : `Show ${clip.name}`,
        () => studio.cast.setVisible(clip.id, !clip.visible),
        "small",
      ),
    iconButton("close", `Close ${clip.name}`, () => void studio.cast.closeClip(clip.id), "small"),
  );
}

/** Buttons of which one is chosen; the arrow keys go from one to the next and choose it, and mean nothing else there. */
export function createRadioGroup(label: string, buttons: readonly HTMLButtonElement[]): HTMLElement {
  const group = h("div", { class: "segmented", role: "radiogroup", "aria-label": label }, ...buttons);
  group.addEventListener("keydown", (event) => {
    const ways: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const way = ways[event.key];
    if (way === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const free = buttons.filter((button) => !button.disabled);
    const at = free.indexOf(event.target as HTMLButtonElement);
    const next = free[(at + way + free.length) % free.length];
    next?.focus();
    next?.click();
    next?.focus();
  });
  return group;
}
