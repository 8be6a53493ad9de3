/** Operations: a form made from each one's parameters, the equivalent command line, and work under way. */

import { api, RequestError, sentence } from "../api/client";
import type { FormField, OperationForm, OperationRequest } from "../generated/messages";
import type { Studio } from "../studio";
import { debounce, freshId, h, icon, iconButton, refill } from "./dom";
import { initialText, inputStep, type ParsedForm, parseForm, rangeText } from "./form_values";
import { JobList } from "./job_list";

const PLACEHOLDERS: Partial<Record<FormField["kind"], string>> = {
  numbers: "numbers with spaces",
  texts: "one or more, with ; between",
};

export class OperationsPane {
  readonly element = h("div", { class: "tab-body operations" });
  private readonly choice = h("select", { id: freshId("operation") });
  private readonly help = h("p", { class: "quiet help" });
  private readonly fields = h("div", { class: "form-fields" });
  private readonly target = h("p", { class: "target" });
  private readonly command = h("code", { class: "command-text", tabindex: 0, "aria-label": "Command line" });
  private readonly note = h("p", { class: "quiet help" });
  private readonly problem = h("p", { class: "form-error", role: "alert", hidden: true });
  private readonly button = h("button", { type: "submit", class: "button primary" }, "Run");
  private readonly resultName: HTMLInputElement;
  private readonly naming: HTMLElement;
  private readonly jobs: JobList;
  private texts: Record<string, string> = {};
  private inputs = new Map<string, { input: HTMLInputElement | HTMLSelectElement; error: HTMLElement }>();
  private readonly kept = new Map<string, Record<string, string>>();
  private current: OperationForm | null = null;
  private asking: AbortController | null = null;
  private readonly askSoon = debounce(() => void this.askCommand(), 220);

  constructor(private readonly studio: Studio) {
    this.jobs = new JobList(studio);
    this.resultName = h("input", {
      type: "text",
      id: freshId("result"),
      placeholder: "chosen from the clip",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.naming = h(
      "div",
      { class: "field" },
      h("label", { for: this.resultName.id }, "Name of the result"),
      this.resultName,
    );
    this.choice.addEventListener("change", () => this.choose(this.choice.value));
    const copy = iconButton("copy", "Copy the command line", () => void this.copy());
    const form = h(
      "form",
      { class: "form", novalidate: true, onsubmit: (event: Event) => (event.preventDefault(), void this.run()) },
      h("div", { class: "field" }, h("label", { for: this.choice.id }, "Operation"), this.choice),
      this.help,
      this.target,
      this.fields,
      this.naming,
      this.problem,
      h("div", { class: "form-actions" }, this.button),
      h(
        "div",
        { class: "command" },
        h("div", { class: "command-head" }, h("span", {}, "The same in a terminal"), copy),
        this.command,
      ),
      this.note,
    );
    this.element.append(form, this.jobs.element);
    studio.on("open", () => this.showTarget());
    studio.on("active", () => this.showTarget());
  }

  /** Called when the tab comes to the front. */
  refresh(): void {
    this.check();
  }

  /** Called once the session is known. */
  start(): void {
    const operations = this.studio.session?.operations ?? [];
    refill(this.choice, ...operations.map((form) => h("option", { value: form.name }, titleOf(form.name))));
    const wanted = operations.find((form) => form.name === this.studio.preferences.operation) ?? operations[0];
    if (wanted) this.choose(wanted.name);
    else refill(this.element, h("p", { class: "empty" }, "There are no operations."));
    void this.jobs.load();
  }

  private choose(name: string): void {
    const form = this.studio.session?.operations.find((other) => other.name === name);
    if (!form) return;
    this.current = form;
    this.choice.value = name;
    if (this.studio.preferences.operation !== name) this.studio.prefer({ operation: name });
    this.texts =
      this.kept.get(name) ?? Object.fromEntries(form.parameters.map((field) => [field.name, initialText(field)]));
    this.kept.set(name, this.texts);
    this.help.textContent = form.help;
    this.naming.hidden = !makesClips(form);
    this.inputs.clear();
    refill(this.fields, ...form.parameters.map((field) => this.createField(field)));
    this.showTarget();
  }

  private createField(field: FormField): HTMLElement {
    const id = freshId("field");
    const error = h("span", { class: "field-error", id: `${id}-error`, hidden: true });
    const changed = (value: string): void => {
      this.texts[field.name] = value;
      this.check();
    };
    const described = { id, "aria-describedby": `${id}-help ${id}-error` };
    let input: HTMLInputElement | HTMLSelectElement;
    if (field.kind === "choice") {
      input = h("select", described, ...field.choices.map((choice) => h("option", { value: choice }, choice)));
      if (field.nullable) input.prepend(h("option", { value: "" }, "–"));
      input.addEventListener("change", () => changed(input.value));
    } else if (field.kind === "flag") {
      const box = h("input", { ...described, type: "checkbox", class: "switch", role: "switch" });
      box.checked = this.texts[field.name] === "true";
      box.addEventListener("change", () => changed(String(box.checked)));
      input = box;
    } else {
      const numeric = field.kind === "number" || field.kind === "integer";
      input = h("input", {
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
    }
    if (field.kind !== "flag") input.value = this.texts[field.name] ?? "";
    this.inputs.set(field.name, { input, error });
    const range = rangeText(field);
    const help = [field.help, range && `(${range})`].filter(Boolean).join(" ");
    const label = h(
      "label",
      { for: id },
      field.label || field.name,
      field.required && h("span", { class: "needed", title: "needed" }, " *"),
    );
    const control =
      field.unit && field.kind !== "flag"
        ? h("span", { class: "with-unit" }, input, h("span", { class: "unit" }, field.unit))
        : input;
    return h(
      "div",
      { class: field.kind === "flag" ? "field flag" : "field" },
      label,
      control,
      h("span", { class: "field-help quiet", id: `${id}-help` }, help),
      error,
    );
  }

  /** Clips the operation would take: the leading one, or all that are open, in their order. */
  private clips(): number[] {
    const ready = this.studio.open.filter((clip) => clip.state === "ready");
    if (this.current?.takes === "clips") return ready.map((clip) => clip.id);
    return ready.filter((clip) => clip.id === this.studio.activeId).map((clip) => clip.id);
  }

  private request(parameters: OperationRequest["parameters"]): OperationRequest {
    const request: OperationRequest = { clips: this.clips(), parameters: parameters ?? {} };
    const name = this.resultName.value.trim();
    if (name && this.current && makesClips(this.current)) request.result_name = name;
    return request;
  }

  private showTarget(): void {
    if (!this.current) return;
    const ids = this.clips();
    const names = ids.map((id) => this.studio.open.find((clip) => clip.id === id)?.name ?? "");
    const several = this.current.takes === "clips";
    refill(
      this.target,
      icon("clip"),
      ids.length === 0
        ? h("span", { class: "quiet" }, several ? "Open the clips it should take." : "Open a clip first.")
        : h(
            "span",
            { class: "ellipsis", title: names.join("\n") },
            several ? `${ids.length} open clips: ${names.join(", ")}${placesOf(this.current)}` : names[0],
          ),
    );
    this.check();
  }

  private check(): void {
    if (!this.current) return;
    this.asking?.abort(); // its answer would be about what was chosen before
    const parsed = parseForm(this.current, this.texts);
    for (const [name, { input, error }] of this.inputs) showError(input, error, parsed.errors[name] ?? "");
    const fine = Object.keys(parsed.errors).length === 0;
    const open = needsOf(this.current, parsed) !== "";
    const allowed = this.studio.session?.writable !== false || !makesClips(this.current);
    this.button.disabled = !fine || open || this.clips().length === 0 || !allowed;
    this.button.title = allowed ? "" : "This library cannot be written.";
    this.problem.hidden = true;
    if (fine && this.studio.preferences.tab === "operations") this.askSoon();
  }

  private async askCommand(): Promise<void> {
    if (!this.current) return;
    const parsed = parseForm(this.current, this.texts);
    const request = this.request(parsed.parameters);
    const needs = needsOf(this.current, parsed);
    if (request.clips.length === 0 || needs !== "" || Object.keys(parsed.errors).length > 0) {
      this.command.textContent = `reenact ${this.current.name} …`;
      this.note.textContent = needs;
      return;
    }
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await api.command(this.current.name, request, this.asking.signal);
      this.command.textContent = answer.command;
      this.note.textContent = answer.note;
    } catch (thrown) {
      if (thrown instanceof DOMException) return;
      this.showProblem(thrown);
    }
  }

  private showProblem(thrown: unknown): void {
    this.button.disabled = true;
    const place = thrown instanceof RequestError ? this.inputs.get(thrown.where) : undefined;
    if (place) showError(place.input, place.error, sentence(thrown));
    else {
      this.problem.hidden = false;
      this.problem.textContent = sentence(thrown);
    }
  }

  private async run(): Promise<void> {
    if (!this.current || this.button.disabled) return;
    const parsed = parseForm(this.current, this.texts);
    if (Object.keys(parsed.errors).length > 0) return;
    this.button.disabled = true;
    try {
      const job = await this.studio.run(this.current.name, this.request(parsed.parameters));
      this.jobs.follow(job);
      this.button.disabled = false;
    } catch (thrown) {
      this.showProblem(thrown);
    }
  }

  private async copy(): Promise<void> {
    const text = this.command.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      this.studio.notify("The command line was copied.", "good");
    } catch {
      getSelection()?.selectAllChildren(this.command);
      this.studio.notify("Press Ctrl+C to copy the selected command line.", "info");
    }
  }
}

/** What must still be chosen where the defaults alone do not run, empty when nothing must. */
function needsOf(form: OperationForm, parsed: ParsedForm): string {
  return Object.keys(parsed.parameters).length === 0 ? form.needs : "";
}

/** Whether what comes out goes into the library; everything else is shown. */
function makesClips(form: OperationForm): boolean {
  return form.gives === "clip" || form.gives === "clips";
}

/** What stands in which place, where an operation takes several things. */
function placesOf(form: OperationForm): string {
  return form.inputs.length > 1 ? ` (in this order: ${form.inputs.join(", ")})` : "";
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ").replaceAll("_", " ");
}

function showError(input: HTMLElement, error: HTMLElement, message: string): void {
  error.hidden = message === "";
  error.textContent = message;
  input.setAttribute("aria-invalid", String(message !== ""));
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
