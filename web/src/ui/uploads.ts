/** Files from the person's machine: dropped anywhere or chosen, sent one after the other with progress. */

import { api, sentence } from "../api/client";
import type { Studio } from "../studio";
import { h, icon, refill } from "./dom";

/** Texts that belong to a motion file of the same name. */
const BESIDE = [".plants", ".credits"];

/** Skeletons, foot plants and credits first: the motions they belong to can then be read with them. */
export function uploadOrder(files: readonly File[]): File[] {
  const first = [".asf", ...BESIDE];
  const rank = (file: File): number => (first.some((ending) => file.name.toLowerCase().endsWith(ending)) ? 0 : 1);
  return [...files].sort((a, b) => rank(a) - rank(b));
}

export class Uploads {
  /** Shown while files are dragged over the page. */
  readonly veil = h(
    "div",
    { class: "veil", hidden: true },
    h("div", { class: "veil-box" }, icon("upload", 28), h("strong", {}, "Drop to add to the library")),
  );
  readonly panel = h("div", { class: "upload", role: "status", "aria-live": "polite", hidden: true });
  private readonly input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to add" });
  private readonly waiting: File[] = [];
  private busy = false;
  private depth = 0;

  constructor(private readonly studio: Studio) {
    this.veil.append(this.input);
    this.input.addEventListener("change", () => {
      this.add([...(this.input.files ?? [])]);
      this.input.value = "";
    });
    addEventListener("dragenter", (event) => this.hover(event, 1));
    addEventListener("dragleave", (event) => this.hover(event, -1));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.depth = 0;
      this.veil.hidden = true;
      this.add([...(event.dataTransfer?.files ?? [])]);
    });
  }

  readonly choose = (): void => {
    const endings = this.studio.session?.formats.flatMap((format) => format.endings) ?? [];
    this.input.accept = [...endings, ...BESIDE].join(",");
    this.input.click();
  };

  private hover(event: DragEvent, by: number): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.depth = Math.max(0, this.depth + by);
    this.veil.hidden = this.depth === 0;
  }

  private add(files: readonly File[]): void {
    if (files.length === 0) return;
    if (this.studio.session?.writable === false) return this.studio.notify("This library cannot be written.", "bad");
    this.waiting.push(...uploadOrder(files));
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    const added: { id: number; name: string }[] = [];
    const known: { id: number; name: string }[] = [];
    for (let file = this.waiting.shift(); file; file = this.waiting.shift()) {
      try {
        const result = await this.send(file);
        added.push(...result.added);
        known.push(...result.existing);
        const notes = result.findings.filter(
          (finding) => finding.severity !== "info" || (result.added.length === 0 && result.existing.length === 0),
        );
        const more = notes.length > 1 ? ` (and ${notes.length - 1} more findings)` : "";
        if (notes[0])
          this.studio.notify(
            `${file.name}: ${notes[0].message}${more}`,
            notes[0].severity === "error" ? "bad" : "info",
          );
      } catch (thrown) {
        this.studio.notify(`${file.name}: ${sentence(thrown)}`, "bad");
      }
    }
    this.panel.hidden = true;
    this.busy = false;
    if (added.length === 1) this.studio.notify(`${added[0].name} was added.`, "good");
    else if (added.length > 1) this.studio.notify(`${added.length} clips were added.`, "good");
    if (known.length > 0 && added.length === 0)
      this.studio.notify(
        known.length === 1
          ? `${known[0].name} was in the library already.`
          : `${known.length} clips were in the library already.`,
      );
    const last = added[0] ?? known[0];
    if (last) {
      this.studio.emit("library", -1);
      await this.studio.cast.openClips([last.id]);
    }
  }

  private send(file: File): ReturnType<typeof api.upload> {
    const limit = this.studio.session?.upload_limit_bytes ?? Infinity;
    if (file.size > limit)
      throw new Error(`The file holds ${megabytes(file.size)}, at most ${megabytes(limit)} can be sent.`);
    const bar = h("progress", { max: 1, value: 0, "aria-label": `Sending ${file.name}` });
    const left = this.waiting.length > 0 ? `, ${this.waiting.length} more` : "";
    const text = h("span", { class: "ellipsis" }, `Sending ${file.name}${left}`);
    refill(this.panel, text, bar);
    this.panel.hidden = false;
    return api.upload(file, (share) => {
      bar.value = share;
      if (share >= 1) text.textContent = `Reading ${file.name}${left}`;
    });
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
