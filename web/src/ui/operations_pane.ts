/** Operations: a form made from each one's parameters, the equivalent command line, and work under way. */

import { api, RequestError, sentence } from "../api/client";
import type { FormField, Job, OperationForm, OperationRequest, RemedyInfo } from "../generated/messages";
import type { Studio } from "../studio";
import { debounce, freshId, h, iconButton, refill } from "./dom";
import type { FileSource } from "./file_choice";
import { createFieldInput, type FieldInput } from "./form_field";
import { initialText, parseForm, textOfValue } from "./form_values";
import { JobList } from "./job_list";
import { makesClips, missingOf, titleOf } from "./operation_words";
import { RunBar } from "./run_bar";
import { Targets } from "./targets";

/** Clips of the library that a file can be chosen from, beside those on the stage. */
const MOST_CHOICES = 500;

export class OperationsPane {
  readonly element = h("div", { class: "operations" });
  private readonly choice = h("select", { id: freshId("operation") });
  private readonly help = h("p", { class: "quiet help" });
  private readonly essentials = h("div", { class: "form-fields" });
  private readonly others = h("div", { class: "form-fields" });
  private readonly foldText = h("summary", {});
  private readonly fold = h("details", { class: "more-fields" }, this.foldText, this.others);
  private readonly command = h("code", { class: "command-text", tabindex: 0, "aria-label": "Command line" });
  private readonly note = h("p", { class: "quiet help" });
  private readonly resultName: HTMLInputElement;
  private readonly naming: HTMLElement;
  private readonly targets: Targets;
  private readonly runBar: RunBar;
  private readonly jobs: JobList;
  private texts: Record<string, string> = {};
  private inputs = new Map<string, FieldInput>();
  private readonly kept = new Map<string, Record<string, string>>();
  private current: OperationForm | null = null;
  private asking: AbortController | null = null;
  private readonly askSoon = debounce(() => void this.askCommand(), 220);

  constructor(private readonly studio: Studio) {
    this.targets = new Targets(studio);
    this.jobs = new JobList(studio, (job) => this.receive(job));
    this.runBar = new RunBar(studio, {
      remedy: (remedy) => this.remedy(remedy),
      report: (job) => this.jobs.reveal(job.id),
      undo: (job) => this.jobs.undo(job),
    });
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
      { class: "operation", novalidate: true, onsubmit: (event: Event) => (event.preventDefault(), void this.run()) },
      h(
        "div",
        { class: "operation-body" },
        h(
          "div",
          { class: "form" },
          h("div", { class: "field" }, h("label", { for: this.choice.id }, "Operation"), this.choice),
          this.help,
          this.targets.element,
          this.essentials,
          this.fold,
          this.naming,
          h(
            "div",
            { class: "command" },
            h("div", { class: "command-head" }, h("span", {}, "The same in a terminal"), copy),
            this.command,
          ),
          this.note,
        ),
        this.jobs.element,
      ),
      this.runBar.element,
    );
    this.element.append(form);
    studio.on("open", () => this.showTarget());
    studio.on("active", () => this.showTarget());
    studio.on("range", () => this.takeRange());
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
    const first = (field: FormField): boolean =>
      field.required || form.essentials.length === 0 || form.essentials.includes(field.name);
    const order = (field: FormField): number => form.essentials.indexOf(field.name);
    const shown = form.parameters.filter(first).sort((a, b) => order(a) - order(b));
    refill(this.essentials, ...shown.map((field) => this.createField(field)));
    refill(this.others, ...form.parameters.filter((field) => !first(field)).map((field) => this.createField(field)));
    this.fold.hidden = this.others.childElementCount === 0;
    this.fold.open = false;
    this.runBar.clear();
    this.takeRange();
    this.showTarget();
  }

  private createField(field: FormField): HTMLElement {
    const input = createFieldInput(
      field,
      this.texts[field.name] ?? "",
      (text) => {
        this.texts[field.name] = text;
        this.check();
      },
      { moment: () => this.momentOf(field), files: this.files },
    );
    this.inputs.set(field.name, input);
    return input.element;
  }

  private readonly files: FileSource = {
    clips: async () => {
      const { clips } = await api.clips("", 0, MOST_CHOICES);
      const { open } = this.studio.cast;
      return { open, others: clips.filter((clip) => !open.some((one) => one.id === clip.id)) };
    },
    failed: (message) => this.studio.notify(message, "bad"),
  };

  private setText(name: string, text: string): void {
    this.texts[name] = text;
    this.inputs.get(name)?.set(text);
  }

  /** A frame of the time line as this parameter means it: of the clip it speaks of, whatever leads the stage. */
  private momentOf(field: FormField): string | null {
    const { clock } = this.studio;
    if (!this.current || clock.frames === 0) return null;
    const clips = this.targets.clips(this.current);
    const clip = clips[field.moment === "second" ? 1 : 0];
    if (!clip?.motion) return null;
    const limited = clock.limited;
    const frame = field.moment === "start" && limited ? clock.start : field.moment === "end" && limited ? clock.end : clock.shown;
    const there = Math.round((frame / clock.fps) * clip.motion.fps);
    return String(Math.min(there, field.moment === "end" ? clip.motion.frames : clip.motion.frames - 1));
  }

  /** A range set on the time line is the range of an operation that keeps one. */
  private takeRange(): void {
    const form = this.current;
    if (!form) return;
    const fields = form.parameters.filter(
      (field) => (field.moment === "start" || field.moment === "end") && form.essentials.includes(field.name),
    );
    for (const field of fields) {
      const text = this.studio.clock.limited ? this.momentOf(field) : null;
      if (text !== null) this.setText(field.name, text);
      else if (this.studio.clock.frames > 0 && this.ranged) this.setText(field.name, initialText(field));
    }
    if (fields.length > 0) this.ranged = this.studio.clock.limited;
    this.check();
  }
  private ranged = false;

  private request(parameters: OperationRequest["parameters"]): OperationRequest {
    const clips = this.current ? this.targets.clips(this.current) : [];
    const request: OperationRequest = { clips: clips.map((clip) => clip.id), parameters: parameters ?? {} };
    const name = this.resultName.value.trim();
    if (name && this.current && makesClips(this.current)) request.result_name = name;
    return request;
  }

  private showTarget(): void {
    if (!this.current) return;
    this.targets.show(this.current);
    this.check();
  }

  private check(): void {
    const form = this.current;
    if (!form) return;
    this.asking?.abort(); // its answer would be about what was chosen before
    const parsed = parseForm(form, this.texts);
    for (const [name, input] of this.inputs) input.fail(parsed.errors[name] ?? "");
    const folded = form.parameters.filter((field) => !field.required && !form.essentials.includes(field.name));
    const changed = folded.filter((field) => (this.texts[field.name] ?? "") !== initialText(field)).length;
    this.foldText.textContent = `More (${folded.length}${changed ? `, ${changed} changed` : ""})`;
    if (folded.some((field) => parsed.errors[field.name])) this.fold.open = true;
    const writable = this.studio.session?.writable !== false;
    const missing = missingOf(form, this.targets.clips(form).length, parsed, writable);
    this.runBar.setMissing(missing);
    if (missing === "" && this.studio.preferences.tab === "operations") this.askSoon();
    else this.command.textContent = `reenact ${form.name} …`;
    if (missing !== "") this.note.textContent = "";
  }

  private async askCommand(): Promise<void> {
    if (!this.current || this.runBar.button.disabled) return;
    const parsed = parseForm(this.current, this.texts);
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await api.command(this.current.name, this.request(parsed.parameters), this.asking.signal);
      this.command.textContent = answer.command;
      this.note.textContent = answer.note;
    } catch (thrown) {
      if (thrown instanceof DOMException) return;
      this.showProblem(thrown);
    }
  }

  private showProblem(thrown: unknown): void {
    const place = thrown instanceof RequestError ? this.inputs.get(thrown.where) : undefined;
    this.runBar.setMissing(sentence(thrown));
    if (!place || !(thrown instanceof RequestError)) return;
    place.fail(sentence(thrown));
    if (this.others.contains(place.element)) this.fold.open = true;
  }

  private async run(): Promise<void> {
    const form = this.current;
    if (!form || this.runBar.button.disabled) return;
    const parsed = parseForm(form, this.texts);
    this.runBar.button.disabled = true;
    try {
      const job = await this.studio.run(form.name, this.request(parsed.parameters));
      this.runBar.follow(job, form);
      this.jobs.follow(job);
      this.runBar.button.disabled = false;
    } catch (thrown) {
      this.showProblem(thrown);
    }
  }

  /** News of any job: the one that was started last is told above the button. */
  private receive(job: Job): void {
    if (this.current && job.id === this.runBar.jobId) this.runBar.show(job, this.current);
    if (job.state !== "failed" || job.id !== this.runBar.jobId || !job.error) return;
    const place = this.inputs.get(job.error.where);
    place?.fail(job.error.message);
    if (place && this.others.contains(place.element)) this.fold.open = true;
  }

  private remedy(remedy: RemedyInfo): void {
    const form = this.current;
    if (!form) return;
    for (const [name, value] of Object.entries(remedy.parameters)) {
      const field = form.parameters.find((one) => one.name === name);
      if (!field) continue;
      this.setText(name, textOfValue(field, value));
      if (this.others.contains(this.inputs.get(name)?.element ?? null)) this.fold.open = true;
    }
    this.check();
    void this.run();
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
