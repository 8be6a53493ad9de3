/** One parameter as an input with its label, unit, help and error; frames can be taken from the time line. */

import type { FormField } from "../generated/messages";
import { freshId, h, iconButton } from "./dom";
import { type FileSource, FileChoice } from "./file_choice";
import { inputStep, rangeText } from "./form_values";

const PLACEHOLDERS: Partial<Record<FormField["kind"], string>> = {
  numbers: "numbers with spaces",
  texts: "one or more, with ; between",
};

const MOMENTS: Record<Exclude<FormField["moment"], "">, string> = {
  start: "Take the start of the range",
  end: "Take the end of the range",
  first: "Take the frame of the play head",
  second: "Take the frame of the play head",
};

export interface FieldInput {
  readonly element: HTMLElement;
  /** Shows another text. */
  set(text: string): void;
  /** Shows what is wrong; empty: nothing. */
  fail(message: string): void;
  focus(): void;
}

export interface FieldSources {
  /** The text for "take it from the time line", null where there is none now. */
  moment(): string | null;
  /** Where files come from. */
  readonly files: FileSource;
}

/**
 * @param text what it shows at first.
 * @param changed is told every text a person gives.
 */
export function createFieldInput(
  field: FormField,
  text: string,
  changed: (text: string) => void,
  { moment, files }: FieldSources,
): FieldInput {
  const id = freshId("field");
  const error = h("span", { class: "field-error", id: `${id}-error`, hidden: true });
  const described = { id, "aria-describedby": `${id}-help ${id}-error` };
  const file = field.kind === "file" ? new FileChoice(field, described, files, changed) : null;
  const input = file?.select ?? createInput(field, described, changed);
  const plainFlag = field.kind === "flag" && !field.nullable; // else not to say is an answer, too
  const set = (value: string): void => {
    if (plainFlag) (input as HTMLInputElement).checked = value === "true";
    else if (file) file.set(value);
    else input.value = value;
  };
  set(text);
  const range = rangeText(field);
  const help = [field.help, range && `(${range})`].filter(Boolean).join(" ");
  const label = h(
    "label",
    { for: id },
    field.label || field.name,
    field.required && h("span", { class: "needed", title: "needed" }, " *"),
  );
  const united =
    field.unit && field.kind !== "flag"
      ? h("span", { class: "with-unit" }, input, h("span", { class: "unit" }, field.unit))
      : input;
  const take = (): void => {
    const found = moment();
    if (found === null) return;
    set(found);
    changed(found);
  };
  const control = file
    ? file.element
    : field.moment
    ? h("span", { class: "field-row" }, united, iconButton("playhead", `${MOMENTS[field.moment]}: ${field.label}`, take))
    : united;
  return {
    element: h(
      "div",
      { class: plainFlag ? "field flag" : "field", "data-field": field.name },
      label,
      control,
      h("span", { class: "field-help quiet", id: `${id}-help` }, help),
      error,
    ),
    set,
    fail: (message) => {
      error.hidden = message === "";
      error.textContent = message;
      input.setAttribute("aria-invalid", String(message !== ""));
    },
    focus: () => input.focus(),
  };
}

function createInput(
  field: FormField,
  described: Record<string, string>,
  changed: (text: string) => void,
): HTMLInputElement | HTMLSelectElement {
  if (field.kind === "choice") {
    const choice = h("select", described, ...field.choices.map((one) => h("option", { value: one }, one)));
    if (field.nullable) choice.prepend(h("option", { value: "" }, "–"));
    choice.addEventListener("change", () => changed(choice.value));
    return choice;
  }
  if (field.kind === "flag" && field.nullable) {
    const options = [["", "–"], ["true", "yes"], ["false", "no"]] as const;
    const choice = h("select", described, ...options.map(([value, text]) => h("option", { value }, text)));
    choice.addEventListener("change", () => changed(choice.value));
    return choice;
  }
  if (field.kind === "flag") {
    const box = h("input", { ...described, type: "checkbox", class: "switch", role: "switch" });
    box.addEventListener("change", () => changed(String(box.checked)));
    return box;
  }
  const numeric = field.kind === "number" || field.kind === "integer";
  const input = h("input", {
    ...described,
    type: numeric ? "number" : "text",
    step: numeric ? (field.kind === "integer" ? 1 : "any") : null,
    min: numeric ? (field.low ?? field.above) : null,
    max: numeric ? field.high : null,
    placeholder: field.nullable ? "not set" : (PLACEHOLDERS[field.kind] ?? null),
    autocomplete: "off",
    spellcheck: "false",
    onkeydown: (event: KeyboardEvent) => numeric && stepByKey(event, field),
  });
  input.addEventListener("input", () => changed(input.value));
  return input;
}

/** Arrow keys change a number by a step that suits it, without making values in between invalid. */
function stepByKey(event: KeyboardEvent, field: FormField): void {
  const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
  if (way === 0) return;
  event.preventDefault();
  const input = event.currentTarget as HTMLInputElement;
  const size = inputStep(field) * (event.shiftKey ? 10 : 1);
  const value = Number(input.value || 0) + way * size;
  const held = Math.min(field.high ?? Infinity, Math.max(field.low ?? -Infinity, value));
  input.value = String(Number(held.toPrecision(10)));
  input.dispatchEvent(new Event("input"));
}
