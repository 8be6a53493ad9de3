/** Whose data a pane shows: said where several clips are open, with the way to another one. */

import type { Studio } from "../studio";
import { cssColour, tintOf } from "../viewer/palette";
import { h, shortName } from "./dom";

const MOST_LETTERS = 22;

/** The leading clip, to be changed; null where there is no other. */
export function whose(studio: Studio): HTMLElement | null {
  const { open, activeId } = studio.cast;
  if (open.length < 2) return null;
  const choice = h(
    "select",
    { class: "compact", "aria-label": "Shown clip", title: studio.cast.active?.name },
    ...open.map((clip) => h("option", { value: clip.id, selected: clip.id === activeId }, shortName(clip.name, MOST_LETTERS))),
  );
  choice.addEventListener("change", () => studio.cast.activate(Number(choice.value)));
  const at = open.findIndex((clip) => clip.id === activeId);
  return h("label", { class: "whose" }, createTint(at), choice);
}

/** The colours of the clip in this place of the stage. */
export function createTint(index: number): HTMLElement {
  const sides = [tintOf(Math.max(0, index)).left, tintOf(Math.max(0, index)).right].map((colour) => {
    const side = h("i", {});
    side.style.background = cssColour(colour);
    return side;
  });
  return h("span", { class: "tint", "aria-hidden": "true" }, ...sides);
}
