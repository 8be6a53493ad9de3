/** Short messages in a corner; read aloud, and gone after a while unless they ask something. */

import type { Notice } from "../state/news";
import type { Studio } from "../studio";
import { h, icon, iconButton } from "./dom";

const SECONDS = { info: 5, good: 6, bad: 10 } as const;

export function createToasts(studio: Studio): HTMLElement {
  const list = h("div", { class: "toasts", role: "status", "aria-live": "polite", "aria-label": "Messages" });
  studio.on("notice", (notice) => list.append(createToast(notice)));
  return list;
}

function createToast(notice: Notice): HTMLElement {
  const toast = h(
    "div",
    { class: `toast ${notice.tone}` },
    icon(notice.tone === "bad" ? "warning" : notice.tone === "good" ? "check" : "clip"),
    h("span", { class: "toast-text" }, notice.text),
  );
  if (notice.action) {
    const { label, run } = notice.action;
    toast.append(h("button", { type: "button", class: "link", onclick: () => (toast.remove(), run()) }, label));
  }
  toast.append(iconButton("close", "Dismiss", () => toast.remove(), "small"));
  let timer = 0;
  const start = (): void => {
    timer = setTimeout(
      () => toast.remove(),
      1000 * (SECONDS[notice.tone] + (notice.action ? 6 : 0)),
    ) as unknown as number;
  };
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", start);
  start();
  return toast;
}
