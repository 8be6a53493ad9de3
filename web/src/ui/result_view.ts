/** What came of a job that is to be looked at: its picture, its page, its report. */

import { api } from "../api/client";
import type { Job } from "../generated/messages";
import { h } from "./dom";
import { type ReportTable, tablesOf } from "./report_tables";

/** Whether a job has something to look at beside clips. */
export function hasResult(job: Job): boolean {
  return job.state === "done" && (job.picture !== "" || job.video !== "" || job.page !== "" || job.files.length > 0 || Object.keys(job.report).length > 0);
}

/** The result of a job, without the clips it made. */
export function createResult(job: Job): HTMLElement {
  return h(
    "div",
    { class: "result" },
    job.picture !== "" &&
      h(
        "a",
        { href: api.resultAddress(job.picture), target: "_blank", rel: "noopener" },
        h("img", { src: api.resultAddress(job.picture), alt: `What ${job.operation} drew`, class: "result-picture" }),
      ),
    job.video !== "" && createVideo(job),
    (job.picture || job.video) !== "" &&
      h(
        "p",
        {},
        h("a", { class: "link", href: api.resultAddress(job.picture || job.video), download: fileOf(job) }, "Save it"),
      ),
    job.page !== "" &&
      h(
        "p",
        {},
        h("a", { class: "link", href: api.resultAddress(job.page), target: "_blank", rel: "noopener" }, "Open it as a page"),
      ),
    ...job.files.map((file) =>
      h("p", {}, h("a", { class: "link", href: api.resultAddress(file.address), download: file.name }, `Save ${file.name}`)),
    ),
    ...tablesOf(job.report).map(createTable),
  );
}

function createTable(table: ReportTable): HTMLElement {
  const named = table.columns.length === 0;
  return h(
    "div",
    { class: "result-table" },
    h(
      "table",
      {},
      table.title !== "" && h("caption", {}, table.title),
      !named && h("thead", {}, h("tr", {}, ...table.columns.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...table.rows.map((row) =>
          h("tr", {}, ...row.map((text, k) => (named && k === 0 ? h("th", { scope: "row" }, text) : h("td", {}, text)))),
        ),
      ),
    ),
  );
}

/** What the file of a picture or video is called. */
function fileOf(job: Job): string {
  return `${job.operation}.${/\.(\w+)$/.exec(job.video)?.[1] ?? "png"}`;
}

function createVideo(job: Job): HTMLElement {
  const address = api.resultAddress(job.video);
  if (address.endsWith(".gif")) return h("img", { src: address, alt: `What ${job.operation} drew`, class: "result-picture" });
  const film = h("video", {
    src: address,
    class: "result-picture",
    controls: true,
    loop: true,
    playsinline: true,
    preload: "metadata",
    "aria-label": `What ${job.operation} drew`,
  });
  film.muted = true;
  film.addEventListener("keydown", (event) => event.stopPropagation()); // its keys are its own
  return film;
}
