/** Keys that work everywhere but in inputs; `help.ts` lists them for people. */

import type { Studio } from "../studio";
import { VIEWS } from "../viewer/viewer";

/** True where a key belongs to what has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, select, textarea, dialog, [contenteditable]") !== null;
}

/** Ctrl+Z undoes, Ctrl+Shift+Z and Ctrl+Y redo; in a text they belong to the text. */
function historyKey(event: KeyboardEvent): "undo" | "redo" | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : null;
}

export function listenToKeys(studio: Studio, actions: { help(): void; search(): void }): void {
  const { clock, viewer } = studio;
  const view = (): Studio["preferences"]["view"] => studio.preferences.view;
  const plain: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => studio.transport.togglePlaying(),
    ArrowLeft: (event) => studio.transport.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => studio.transport.step(event.shiftKey ? 10 : 1),
    ArrowUp: (event) => (event.shiftKey ? viewer.raise(0.05) : viewer.zoom(0.9)),
    ArrowDown: (event) => (event.shiftKey ? viewer.raise(-0.05) : viewer.zoom(1 / 0.9)),
    Home: () => studio.transport.seek(clock.start),
    End: () => studio.transport.seek(clock.end - 1),
    "[": () => studio.transport.limit(clock.shown, clock.end),
    "]": () => studio.transport.limit(clock.start, clock.shown + 1),
    "\\": () => studio.transport.limit(0, clock.frames),
    "+": () => changeSpeed(1),
    "=": () => changeSpeed(1),
    "-": () => changeSpeed(-1),
    "1": () => studio.preferView({ style: "body" }),
    "2": () => studio.preferView({ style: "skeleton" }),
    "3": () => studio.preferView({ style: "mesh" }),
    "4": () => studio.preferView({ ghosts: !view().ghosts }),
    "5": () => studio.preferView({ paths: !view().paths }),
    f: () => studio.preferView({ follow: !view().follow }),
    l: () => studio.preferView({ lockRoot: !view().lockRoot }),
    o: () => studio.toggleArrangement(),
    c: () => viewer.look(VIEWS["three-quarter"]),
    a: () => viewer.orbit(0.12, 0),
    d: () => viewer.orbit(-0.12, 0),
    w: () => viewer.orbit(0, 0.08),
    s: () => viewer.orbit(0, -0.08),
    "/": () => actions.search(),
    "?": () => actions.help(),
    Escape: () => studio.cast.selectJoint(-1),
  };
  const changeSpeed = (way: 1 | -1): void => {
    clock.shiftSpeed(way);
    studio.setSpeed(clock.speed);
  };
  addEventListener("keydown", (event) => {
    const way = historyKey(event);
    if (way && !isTyping(event.target)) {
      event.preventDefault();
      void studio.library[way]();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const onButton = event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
    const action = plain[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || onButton) return;
    event.preventDefault();
    action(event);
    studio.writeAddress(); // a link holds the camera, too
  });
  releaseFocus();
}

/** After a click or a choice with the pointer the keys belong to the stage again; who tabs through the page keeps the focus. */
function releaseFocus(): void {
  addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (event.detail > 0 && button && !button.closest("dialog")) button.blur();
  });
  addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && event.target.classList.contains("compact")) event.target.blur();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.classList.contains("compact"))
      event.target.blur();
  });
}
