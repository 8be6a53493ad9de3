/** A bar between panes that changes a size, with the pointer or the arrow keys. */

import { h } from "./dom";

export interface SplitterSettings {
  readonly label: string;
  readonly axis: "x" | "y";
  /** 1 when the pane grows to the right or down, -1 when it grows the other way. */
  readonly direction: 1 | -1;
  readonly low: number;
  readonly high: () => number;
  get(): number;
  set(size: number): void;
}

export function createSplitter(settings: SplitterSettings): HTMLElement {
  const { axis, direction, low, high } = settings;
  const bar = h("div", {
    class: `splitter ${axis}`,
    role: "separator",
    tabindex: 0,
    "aria-label": settings.label,
    "aria-orientation": axis === "x" ? "vertical" : "horizontal",
    "aria-valuemin": low,
  });
  const apply = (size: number): void => {
    const held = Math.round(Math.max(low, Math.min(high(), size)));
    settings.set(held);
    bar.setAttribute("aria-valuenow", String(held));
    bar.setAttribute("aria-valuemax", String(Math.round(high())));
  };
  bar.setAttribute("aria-valuenow", String(settings.get()));
  bar.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const begin = axis === "x" ? event.clientX : event.clientY;
    const size = settings.get();
    const move = (moved: PointerEvent): void =>
      apply(size + direction * ((axis === "x" ? moved.clientX : moved.clientY) - begin));
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
  });
  bar.addEventListener("keydown", (event) => {
    const keys = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const way = keys.indexOf(event.key);
    if (way < 0) return;
    event.preventDefault();
    event.stopPropagation();
    apply(settings.get() + direction * (way ? 16 : -16));
  });
  return bar;
}
