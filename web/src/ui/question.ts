/** A question that must be answered before something is lost. */

import { h } from "./dom";

/** Asks in a modal dialog; true when the person agrees. */
export function askFirst(title: string, text: string, agree: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog", "aria-label": title });
    const close = (answer: boolean): void => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    dialog.append(
      h("h2", {}, title),
      h("p", {}, text),
      h(
        "div",
        { class: "form-actions" },
        h("button", { type: "button", class: "button", onclick: () => close(false) }, "Cancel"),
        h("button", { type: "button", class: "button danger", onclick: () => close(true) }, agree),
      ),
    );
    dialog.addEventListener("cancel", () => close(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}
