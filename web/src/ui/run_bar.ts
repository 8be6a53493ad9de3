/** Run, always in view: what is missing before, how far the work is, and what came of it, with what can be done about it. */

import { api, sentence } from "../api/client";
import type { ErrorDetail, Job, OperationForm, RemedyInfo, Span } from "../generated/messages";
import { formatDuration } from "../player/timeline_maths";
import type { Studio } from "../studio";
import { h, icon, iconButton, nameParts, refill } from "./dom";
import { isOver } from "./job_list";
import { titleOf } from "./operation_words";

const MOST_JUMPS = 3;

export interface RunBarActions {
  /** Puts a remedy into the form and runs again. */
  remedy(remedy: RemedyInfo): void;
  /** Shows the whole report. */
  report(job: Job): void;
  undo(job: Job): void;
}

export class RunBar {
  readonly element: HTMLElement;
  readonly button = h("button", { type: "submit", class: "button primary" }, "Run");
  private readonly missing = h("p", { class: "missing", hidden: true });
  private readonly outcome = h("div", { class: "outcome", role: "status", "aria-live": "polite", hidden: true });
  private job: Job | null = null;
  /** Jobs whose results were taken back here. */
  private readonly gone = new Set<string>();
  private begun = 0;
  private ticking = 0;

  constructor(
    private readonly studio: Studio,
    private readonly actions: RunBarActions,
  ) {
    this.element = h("div", { class: "run-bar" }, this.outcome, this.missing, h("div", { class: "form-actions" }, this.button));
    this.button.setAttribute("aria-describedby", (this.missing.id = "run-missing"));
  }

  /** Says what keeps the operation from running; empty: it can. */
  setMissing(text: string): void {
    this.button.disabled = text !== "";
    this.missing.hidden = text === "";
    if (this.missing.textContent !== text) this.missing.textContent = text;
  }

  /** Forgets what was run: another operation was chosen. */
  clear(): void {
    this.job = null;
    this.outcome.hidden = true;
  }

  get jobId(): string {
    return this.job?.id ?? "";
  }

  /** Shows this job from now on. */
  follow(job: Job, form: OperationForm): void {
    this.begun = performance.now();
    this.show(job, form);
  }

  show(job: Job, form: OperationForm): void {
    this.job = job;
    this.outcome.hidden = false;
    this.outcome.className = `outcome ${job.state}`;
    clearTimeout(this.ticking);
    if (!isOver(job)) {
      this.showProgress(job);
      this.ticking = setTimeout(() => this.job === job && this.show(job, form), 1000) as unknown as number;
    } else if (job.state === "failed") this.fail(job.error ?? { code: "", message: "No reason was given.", where: "" }, form);
    else if (job.state === "done") this.showDone(job);
    else refill(this.outcome, h("p", {}, "Cancelled."));
  }

  /** Says why it was refused, before or after it began. */
  fail(error: ErrorDetail, form: OperationForm): void {
    const known = new Set(form.parameters.map((field) => field.name));
    const remedies = (error.remedies ?? []).filter((one) => Object.keys(one.parameters).every((name) => known.has(name)));
    this.outcome.hidden = false;
    this.outcome.className = "outcome failed";
    refill(
      this.outcome,
      h("p", { class: "outcome-head" }, icon("warning"), h("span", {}, error.message)),
      remedies.length > 0 &&
        h(
          "div",
          { class: "remedies", role: "group", "aria-label": "What helps" },
          ...remedies.map((remedy) =>
            h(
              "button",
              { type: "button", class: "button", onclick: () => this.actions.remedy(remedy) },
              `${remedy.text.charAt(0).toUpperCase()}${remedy.text.slice(1).replace(/ \(--[^)]*\)/, "")} and run`,
            ),
          ),
        ),
    );
  }

  private takeBack(job: Job): void {
    this.gone.add(job.id);
    this.actions.undo(job);
    refill(this.outcome, h("p", {}, "Taken back."));
  }

  private showProgress(job: Job): void {
    const percent = Math.round(100 * job.progress);
    const seconds = Math.floor((performance.now() - this.begun) / 1000);
    const told = job.state === "queued" ? "Waiting for its turn" : titleCase(job.message) || "Working";
    refill(
      this.outcome,
      h(
        "p",
        { class: "outcome-head" },
        h("span", { class: "grow ellipsis" }, told),
        h("span", { class: "quiet" }, `${job.state === "queued" ? "" : `${percent} %, `}${seconds} s`),
        iconButton(
          "close",
          `Cancel ${titleOf(job.operation)}`,
          () => void api.cancel(job.id).catch((thrown: unknown) => this.studio.notify(sentence(thrown), "bad")),
          "small",
        ),
      ),
      h("progress", { max: 1, value: job.progress, "aria-label": `${titleOf(job.operation)}: ${percent} %` }),
    );
  }

  private showDone(job: Job): void {
    const { results } = job;
    const name = results.length === 0 ? "Done" : results.length === 1 ? results[0]!.name : `${results.length} clips`;
    const length = results.length === 1 ? `, ${formatDuration(results[0]!.seconds)}` : "";
    const made = `${name}${length}`;
    const known = results.length > 0 && job.new.length === 0;
    const there = job.new.length > 0 && !this.gone.has(job.id);
    refill(
      this.outcome,
      h(
        "p",
        { class: "outcome-head" },
        icon(job.doubts.length > 0 ? "warning" : "check"),
        h(
          "span",
          { class: known ? "grow" : "one-line grow", title: made },
          ...(known ? [`The library had this very motion already: ${made}`] : [...nameParts(name), length]),
        ),
        results.length > 0 && this.createShow(),
        Object.keys(job.report).length > 0 &&
          h("button", { type: "button", class: "link", onclick: () => this.actions.report(job) }, "Report"),
        there &&
          h("button", { type: "button", class: "link", onclick: () => this.takeBack(job) }, "Undo"),
      ),
      job.doubts.length > 0 && h("ul", { class: "doubts", "aria-label": "Doubts" }, ...job.doubts.map((one) => h("li", {}, one))),
      results.length === 1 && this.createJumps(job, job.marks),
      ...job.files.map((file) =>
        h(
          "p",
          { class: "written" },
          icon("download", 14),
          h("a", { class: "link", href: api.resultAddress(file.address), download: file.name }, file.name),
        ),
      ),
    );
  }

  /** Where the stage is hidden behind the form, as on a telephone: the way to what was made. */
  private createShow(): HTMLElement {
    const show = (): void => this.studio.prefer({ narrowPane: "stage" });
    return h("button", { type: "button", class: "link only-narrow", onclick: show }, "Show");
  }

  /** Buttons that show the frames the report speaks of. */
  private createJumps(job: Job, marks: readonly Span[]): HTMLElement | null {
    const fps = job.results[0]!.fps;
    const shown = marks.filter((mark) => mark.label !== "changed").slice(0, MOST_JUMPS);
    if (shown.length === 0) return null;
    const go = (mark: Span): void => this.studio.transport.seek(((mark.start + mark.end - 1) / 2 / fps) * this.studio.clock.fps);
    return h(
      "p",
      { class: "jumps" },
      ...shown.map((mark) => {
        const frames = mark.end - mark.start > 1 ? `${mark.start}–${mark.end - 1}` : String(mark.start);
        return h(
          "button",
          { type: "button", class: "link", title: "Go there", onclick: () => go(mark) },
          `${titleCase(mark.label)} at ${frames}`,
        );
      }),
    );
  }
}

function titleCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
