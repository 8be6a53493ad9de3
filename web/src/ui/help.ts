/** Every key the studio knows. */

import { h, iconButton } from "./dom";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Time",
    [
      ["Space", "play or pause"],
      ["← →", "one frame back or on"],
      ["Shift ← →", "ten frames"],
      ["Home End", "first or last frame of the range"],
      ["[ ]", "the range starts or ends here"],
      ["\\", "play the whole clip"],
      ["+ −", "faster or slower"],
    ],
  ],
  [
    "View",
    [
      ["1 2 3", "body, skeleton, mesh"],
      ["4", "poses along the way"],
      ["5", "paths of joints"],
      ["F", "follow the body"],
      ["L", "lock the root: neutral frame"],
      ["O", "overlaid or side by side"],
      ["C", "camera back to the body"],
    ],
  ],
  [
    "Camera",
    [
      ["↑ ↓", "nearer or farther"],
      ["Shift ↑ ↓", "look higher or lower"],
      ["A D W S", "orbit"],
      ["Drag", "orbit; right button pans, wheel zooms"],
      ["Click", "select a joint"],
    ],
  ],
  [
    "Library",
    [
      ["/", "search"],
      ["Enter", "open the clip"],
      ["Ctrl click", "add or take away (Ctrl Space)"],
      ["Shift click", "open all in between"],
      ["Ctrl+Z", "undo: add, remove, rename, tag"],
      ["Ctrl+Shift+Z", "redo"],
      ["Esc", "nothing selected"],
      ["?", "this help"],
    ],
  ],
];

export function createHelp(): { element: HTMLDialogElement; show(): void } {
  const dialog = h("dialog", { class: "dialog help-dialog", "aria-label": "Keys" });
  dialog.append(
    h(
      "header",
      {},
      h("h2", {}, "Keys"),
      h("span", { class: "grow" }),
      iconButton("close", "Close", () => dialog.close()),
    ),
    h(
      "div",
      { class: "help-groups" },
      ...GROUPS.map(([title, keys]) =>
        h(
          "section",
          {},
          h("h3", {}, title),
          h("dl", {}, ...keys.flatMap(([key, text]) => [h("dt", {}, ...splitKeys(key)), h("dd", {}, text)])),
        ),
      ),
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return { element: dialog, show: () => dialog.showModal() };
}

function splitKeys(text: string): Node[] {
  return text.split(" ").map((key) => h("kbd", {}, key));
}
