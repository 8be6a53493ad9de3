/** Work under way and done in this session. Listens to events, and asks by itself while none come. */

import { api, sentence } from "../api/client";
import type { Job } from "../generated/messages";
import type { Studio } from "../studio";
import { h, iconButton, nameParts, refill } from "./dom";
import { createResult, hasResult } from "./result_view";

const MOST = 8;
const POLL_MILLISECONDS = 700;

const STATES: Record<Job["state"], string> = {
  queued: "waiting",
  running: "running",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** Whether a job will not change any more. */
export function isOver(job: Job): boolean {
  return job.state === "done" || job.state === "failed" || job.state === "cancelled";
}

export class JobList {
  readonly element = h("section", { class: "jobs", "aria-label": "Work", hidden: true });
  private readonly list = h("ul", {});
  private readonly jobs = new Map<string, Job>();
  private readonly followed = new Set<string>();
  /** Jobs whose result is unfolded. */
  private readonly opened = new Set<string>();
  private connected = false;
  private polling = false;

  constructor(
    private readonly studio: Studio,
    private readonly told: (job: Job) => void,
  ) {
    this.element.append(h("h3", {}, "Work"), this.list);
    studio.on("job", (job) => this.receive(job));
    studio.on("connected", (open) => {
      this.connected = open;
      void this.poll();
    });
  }

  /** Shows what was done before this page was opened. */
  async load(): Promise<void> {
    const { jobs } = await api.jobs();
    for (const job of [...jobs].reverse()) this.jobs.set(job.id, job);
    this.draw();
  }

  /** Opens the result of this job when it is done. */
  follow(job: Job): void {
    this.followed.add(job.id);
    this.receive(this.jobs.get(job.id) ?? job);
    void this.poll();
  }

  private receive(job: Job): void {
    const before = this.jobs.get(job.id);
    if (before && isOver(before) && !isOver(job)) return; // an event may be older than the answer of the request
    this.jobs.set(job.id, job);
    if (isOver(job) && this.followed.delete(job.id)) this.finish(job);
    this.draw();
    this.told(job);
  }

  /** Unfolds the result of a job and brings it into view. */
  reveal(id: string): void {
    this.opened.add(id);
    this.draw();
    this.list.querySelector(`[data-job="${id}"]`)?.scrollIntoView({ block: "start" });
  }

  /** Takes out of the library again what a job added. */
  undo(job: Job): void {
    void this.takeBack(job).catch((thrown: unknown) => this.studio.notify(sentence(thrown), "bad"));
  }

  private finish(job: Job): void {
    const looked = this.studio.preferences.tab === "operations" && this.element.checkVisibility();
    if (job.state === "failed" && !looked)
      this.studio.notify(`${job.operation} failed: ${job.error?.message ?? "no reason was given"}`, "bad");
    if (job.state !== "done") return;
    if (job.results.length === 0) {
      this.reveal(job.id); // there is nothing else to look at
      return;
    }
    void this.studio.cast.showResults(job.results.map((clip) => clip.id), job.marks);
    if (looked) return;
    const names = namesOf(job);
    if (job.new.length === 0) this.studio.notify(`The library had this very motion already: ${names}.`, "info");
    else
      this.studio.notify(`${names} ${job.results.length > 1 ? "were" : "was"} added to the library.`, "good", {
        label: "Undo",
        run: () => this.undo(job),
      });
  }

  /** Removes what a job added; what it was made of stays open. */
  private async takeBack(job: Job): Promise<void> {
    if (this.studio.library.history.undo_number === job.change) await this.studio.library.undo();
    else for (const id of job.new) await this.studio.library.remove(id);
  }

  /** While events do not come, asks for jobs that are under way. */
  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    while (!this.connected && [...this.jobs.values()].some((job) => !isOver(job))) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
      for (const job of this.jobs.values()) {
        if (isOver(job)) continue;
        try {
          this.receive(await api.job(job.id));
        } catch {
          // the server is away; the next turn asks again
        }
      }
    }
    this.polling = false;
  }

  private draw(): void {
    const shown = [...this.jobs.values()].reverse().slice(0, MOST);
    this.element.hidden = shown.length === 0;
    refill(this.list, ...shown.map((job) => this.createItem(job)));
  }

  private createItem(job: Job): HTMLElement {
    const percent = Math.round(100 * job.progress);
    const running = !isOver(job);
    const bar = h("progress", { max: 1, value: job.progress, "aria-label": `${job.operation}: ${percent} %` });
    return h(
      "li",
      { class: `job ${job.state}`, "data-job": job.id },
      h(
        "div",
        { class: "job-line" },
        h("strong", {}, job.operation),
        h("span", { class: `state ${job.state}` }, running && job.progress > 0 ? `${percent} %` : STATES[job.state]),
        h("span", { class: "grow" }),
        running &&
          iconButton(
            "close",
            `Cancel ${job.operation}`,
            () => void api.cancel(job.id).catch((thrown: unknown) => this.studio.notify(sentence(thrown), "bad")),
            "small",
          ),
        job.results.length > 0 &&
          h(
            "button",
            {
              type: "button",
              class: "link one-line",
              title: "Show it beside what is open",
              onclick: () => void this.studio.cast.showResults(job.results.map((clip) => clip.id)),
            },
            ...nameParts(job.results.length > 1 ? `${job.results.length} clips` : job.results[0]!.name),
          ),
      ),
      running && bar,
      (job.error?.message ?? (running ? job.message : "")) !== "" &&
        h("p", { class: "quiet" }, job.error?.message ?? job.message),
      hasResult(job) && this.createDetails(job),
    );
  }

  /** The report, picture and page of a job; made when they are unfolded. */
  private createDetails(job: Job): HTMLElement {
    const details = h("details", { class: "job-result", "aria-label": `Result of ${job.operation}` }, h("summary", {}, "Result"));
    const show = (): void => {
      if (details.open && details.childElementCount === 1) details.append(createResult(job));
    };
    details.open = this.opened.has(job.id);
    show();
    details.addEventListener("toggle", () => {
      if (details.open) this.opened.add(job.id);
      else this.opened.delete(job.id);
      show();
    });
    return details;
  }
}

function namesOf(job: Job): string {
  return job.results.length > 3 ? `${job.results.length} clips` : job.results.map((one) => one.name).join(", ");
}
