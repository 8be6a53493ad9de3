/** About the leading clip: names, tags, facts, findings, export, removal. */

import { api, fileNameOf, sentence } from "../api/client";
import type { ClipChange, ClipDetail, FindingInfo } from "../generated/messages";
import { formatDuration } from "../player/timeline_maths";
import type { Studio } from "../studio";
import { freshId, h, icon, refill } from "./dom";

export class InfoPane {
  readonly element = h("div", { class: "tab-body info" });

  constructor(private readonly studio: Studio) {
    studio.on("active", () => this.draw());
    this.draw();
  }

  private draw(): void {
    const clip = this.studio.cast.active;
    if (!clip) return refill(this.element, h("p", { class: "empty" }, "Open a clip to see what is known about it."));
    if (clip.state === "failed") return refill(this.element, h("p", { class: "form-error" }, clip.message));
    if (!clip.detail) return refill(this.element, h("div", { class: "row waiting" }));
    const { detail } = clip;
    refill(
      this.element,
      this.createEditor(detail),
      this.createExport(detail),
      createFacts(detail),
      createFindings(detail.findings),
      h(
        "div",
        { class: "form-actions" },
        h(
          "button",
          { type: "button", class: "button danger", disabled: !this.writable, onclick: () => void this.remove(detail) },
          icon("trash"),
          "Remove from the library",
        ),
      ),
    );
  }

  private get writable(): boolean {
    return this.studio.session?.writable !== false;
  }

  private createEditor(detail: ClipDetail): HTMLElement {
    const { summary } = detail;
    const field = (label: string, value: string, change: (text: string) => ClipChange, hint = ""): HTMLElement => {
      const id = freshId("about");
      const input = h("input", {
        type: "text",
        id,
        value,
        autocomplete: "off",
        spellcheck: "false",
        placeholder: hint,
        readonly: !this.writable,
      });
      input.addEventListener("change", () => void this.change(summary.id, change(input.value), input));
      return h("div", { class: "field" }, h("label", { for: id }, label), input);
    };
    return h(
      "div",
      { class: "form" },
      field("Name", summary.name, (name) => ({ name: name.trim() })),
      field("Description", summary.description, (description) => ({ description: description.trim() }), "none"),
      field("Tags", summary.tags.join(", "), (text) => ({ tags: parseTags(text) }), "walk, take 2"),
    );
  }

  private async change(id: number, change: ClipChange, input: HTMLInputElement): Promise<void> {
    try {
      await api.change(id, change);
      input.setAttribute("aria-invalid", "false");
      await this.studio.cast.refresh(id);
    } catch (thrown) {
      input.setAttribute("aria-invalid", "true");
      this.studio.notify(sentence(thrown), "bad");
    }
  }

  private createExport(detail: ClipDetail): HTMLElement {
    const id = freshId("export");
    const formats = this.studio.session?.formats.filter((format) => format.writable) ?? [];
    const select = h(
      "select",
      { id },
      ...formats.map((format) => h("option", { value: format.name }, `${format.title} (${format.endings[0] ?? ""})`)),
    );
    const same = formats.find((format) => format.name === detail.origin.format);
    if (same) select.value = same.name;
    return h(
      "div",
      { class: "field" },
      h("label", { for: id }, "Export as"),
      h(
        "div",
        { class: "field-row" },
        select,
        h(
          "button",
          { type: "button", class: "button", onclick: () => void this.download(detail, select.value) },
          icon("download"),
          "Export",
        ),
      ),
    );
  }

  /** Fetched first, so that a refusal becomes a message and not a broken download. */
  private async download(detail: ClipDetail, format: string): Promise<void> {
    try {
      const response = await fetch(api.exportAddress(detail.summary.id, format), { credentials: "same-origin" });
      if (!response.ok) {
        const answer = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
        throw new Error(answer?.error?.message ?? `The server answered ${response.status}`);
      }
      const named = fileNameOf(response.headers.get("Content-Disposition") ?? "");
      const address = URL.createObjectURL(await response.blob());
      const name = named || `${detail.summary.name}.${format}`;
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      this.studio.notify(`${name} was exported.`, "good");
    } catch (thrown) {
      this.studio.notify(`${detail.summary.name} could not be exported: ${sentence(thrown)}`, "bad");
    }
  }

  private async remove(detail: ClipDetail): Promise<void> {
    const { id, name } = detail.summary;
    try {
      await this.studio.library.remove(id);
      this.studio.notify(`${name} was removed. Files it was read from stay where they are.`, "good", {
        label: "Undo",
        run: () => void this.studio.library.undo(),
      });
    } catch (thrown) {
      this.studio.notify(sentence(thrown), "bad");
    }
  }
}

/** Tags from a person's text: parted by commas, each once. */
export function parseTags(text: string): string[] {
  return [
    ...new Set(
      text
        .split(",")
        .map((tag) => tag.trim())
        .filter(Boolean),
    ),
  ];
}

function createFacts(detail: ClipDetail): HTMLElement {
  const { summary, origin } = detail;
  const facts: [string, string][] = [
    ["Length", `${summary.frames} frames, ${formatDuration(summary.seconds)}`],
    ["Frame rate", `${Math.round(summary.fps * 1000) / 1000} Hz`],
    ["Joints", String(summary.joints)],
    ["Type", summary.type],
    [
      "Format",
      origin.format
        ? `${origin.format}, ${origin.up.toUpperCase()} up, ${Number(origin.unit.toPrecision(6))} m per unit`
        : "made by reenact",
    ],
    ["Source", summary.source],
    ["Credits", origin.credits.join("\n")],
    ["Added", summary.added ? new Date(summary.added).toLocaleString() : ""],
    ...Object.entries(detail.metadata)
      .filter(([key, value]) => key !== "type" && value !== summary.source)
      .map(([key, value]): [string, string] => [
        key,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
  ];
  const shown = facts.filter(([, value]) => value !== "");
  return h("dl", { class: "facts" }, ...shown.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, value)]));
}

function createFindings(findings: readonly FindingInfo[]): HTMLElement {
  const heading = h(
    "h3",
    {},
    findings.length === 0 ? "No findings" : findings.length === 1 ? "1 finding" : `${findings.length} findings`,
  );
  return h(
    "section",
    { class: "findings", "aria-label": "Findings" },
    heading,
    findings.length === 0
      ? h("p", { class: "quiet" }, "Nothing was noticed about this clip.")
      : h(
          "ul",
          {},
          ...findings.map((finding) =>
            h(
              "li",
              { class: `finding ${finding.severity}` },
              h(
                "span",
                { class: "finding-code" },
                finding.code,
                finding.fixed && h("span", { class: "fixed" }, "fixed"),
              ),
              h("span", {}, finding.message),
              finding.where !== "" && h("span", { class: "quiet where" }, finding.where),
            ),
          ),
        ),
  );
}
