/** A parameter that names a file: one of this person's machine, which is sent, or a clip of the library where a motion will do. */

import { api, sentence } from "../api/client";
import type { FormField, SentFile } from "../generated/messages";
import { h, iconButton, refill } from "./dom";

/** A clip that can stand for a motion file. */
export interface ClipChoice {
  readonly id: number;
  readonly name: string;
}

export interface FileSource {
  /** Clips to choose from: those on the stage, and those of the library. */
  clips(): Promise<{ open: readonly ClipChoice[]; others: readonly ClipChoice[] }>;
  /** Says that a file could not be sent. */
  failed(message: string): void;
}

/** Files that were sent from this page, by operation parameter: the same file can be taken again. */
const sent = new Map<string, SentFile[]>();

export class FileChoice {
  readonly select: HTMLSelectElement;
  readonly element: HTMLElement;
  private readonly chooser: HTMLInputElement;
  private readonly clips = h("optgroup", { label: "Library" });
  private readonly open = h("optgroup", { label: "On the stage" });
  private readonly files = h("optgroup", { label: "Files" });

  constructor(
    private readonly field: FormField,
    described: Record<string, string>,
    private readonly source: FileSource,
    private readonly changed: (text: string) => void,
  ) {
    this.select = h("select", described, h("option", { value: "" }, "not set"), this.files, this.open, this.clips);
    this.select.addEventListener("change", () => changed(this.select.value));
    this.select.addEventListener("focus", () => void this.refresh());
    const { endings } = field;
    this.chooser = h("input", {
      type: "file",
      hidden: true,
      "aria-label": `File: ${field.label}`,
      accept: field.motion ? null : endings.join(",") || null,
    });
    this.chooser.addEventListener("change", () => void this.send());
    const choose = iconButton("upload", `Choose a file: ${field.label}`, () => this.chooser.click());
    this.element = h("span", { class: "field-row" }, this.select, choose, this.chooser);
    this.drawFiles();
    this.drawClips([], []);
    void this.refresh();
  }

  /** Takes a file or clip; one that is not known is asked for first. */
  set(text: string): void {
    this.select.value = text;
    if (this.select.value !== text && text.startsWith("clip:")) void this.refresh().then(() => (this.select.value = text));
  }

  private get key(): string {
    return `${this.field.name} ${this.field.endings.join()}`;
  }

  private async send(): Promise<void> {
    const file = this.chooser.files?.[0];
    this.chooser.value = "";
    if (!file) return;
    try {
      const one = await api.sendFile(file);
      sent.set(this.key, [...(sent.get(this.key) ?? []), one]);
      this.drawFiles();
      this.select.value = one.number;
      this.changed(one.number);
    } catch (thrown) {
      this.source.failed(`${file.name}: ${sentence(thrown)}`);
    }
  }

  private drawFiles(): void {
    const files = sent.get(this.key) ?? [];
    refill(this.files, ...files.map((one) => h("option", { value: one.number }, one.name)));
    this.files.hidden = files.length === 0;
  }

  private async refresh(): Promise<void> {
    if (!this.field.motion) return;
    try {
      const { open, others } = await this.source.clips();
      this.drawClips(open, others);
    } catch {
      // the list of clips says that the server is away
    }
  }

  private drawClips(open: readonly ClipChoice[], others: readonly ClipChoice[]): void {
    const chosen = this.select.value;
    const draw = (group: HTMLElement, clips: readonly ClipChoice[]): void => {
      refill(group, ...clips.map((clip) => h("option", { value: `clip:${clip.id}` }, clip.name)));
      group.hidden = clips.length === 0;
    };
    draw(this.open, open);
    draw(this.clips, others);
    this.select.value = chosen;
  }
}
