/** The clips that an operation takes, in their order, and the results beside them that it does not take. */

import type { OperationForm } from "../generated/messages";
import type { OpenClip } from "../state/news";
import type { Studio } from "../studio";
import { h, icon, iconButton, nameParts, refill } from "./dom";
import { missingClips, placeOf } from "./operation_words";

export class Targets {
  readonly element = h("div", { class: "target" });

  constructor(private readonly studio: Studio) {}

  /** Clips the operation would take: the leading one, or all that are open, in their order. */
  clips(form: OperationForm): OpenClip[] {
    const { sources, sourceId } = this.studio.cast;
    if (form.takes === "clips") return sources;
    return [sources.find((clip) => clip.id === sourceId) ?? sources[sources.length - 1]].filter((clip) => clip !== undefined);
  }

  show(form: OperationForm): void {
    const taken = this.clips(form);
    const results = this.studio.cast.open.filter((clip) => clip.result && clip.state === "ready");
    const several = form.takes === "clips";
    const missing = missingClips(form, taken.length);
    refill(
      this.element,
      h("span", { class: "target-head quiet" }, several && taken.length > 1 ? `Takes ${taken.length} open clips` : "Takes"),
      ...taken.map((clip, k) => this.createRow(form, taken, clip, k)),
      taken.length === 0 && h("span", { class: "quiet" }, missing),
      ...results.map((clip) =>
        h(
          "span",
          { class: "target-row quiet" },
          icon("check"),
          h("span", { class: "one-line grow", title: clip.name }, ...nameParts(clip.name)),
          h(
            "button",
            { type: "button", class: "link", title: "From now on operations take it", onclick: () => this.use(clip, several) },
            "Go on with it",
          ),
        ),
      ),
    );
  }

  private createRow(form: OperationForm, taken: readonly OpenClip[], clip: OpenClip, k: number): HTMLElement {
    const place = placeOf(form, k);
    return h(
      "span",
      { class: "target-row" },
      icon("clip"),
      h(
        "span",
        { class: "target-name grow", title: clip.name },
        ...nameParts(taken.length > 1 ? `${k + 1}. ${clip.name}` : clip.name),
        place !== "" && h("span", { class: "quiet" }, ` ${place}`),
      ),
      k > 0 && iconButton("up", `Move ${clip.name} up`, () => this.moveUp(clip.id), "small"),
      taken.length > 1 && iconButton("close", `Do not take ${clip.name}`, () => void this.studio.cast.closeClip(clip.id), "small"),
    );
  }

  /** Several results that are gone on with stand beside the sources; a single one takes their place. */
  private use(clip: OpenClip, several: boolean): void {
    this.studio.cast.useAsSource(clip.id);
    if (!several) this.studio.cast.activate(clip.id);
  }

  private moveUp(id: number): void {
    const ids = this.studio.cast.open.map((clip) => clip.id);
    const sources = this.studio.cast.sources.map((clip) => clip.id);
    const before = sources[sources.indexOf(id) - 1];
    if (before === undefined) return;
    const [a, b] = [ids.indexOf(before), ids.indexOf(id)];
    [ids[a], ids[b]] = [ids[b], ids[a]];
    void this.studio.cast.openClips(ids);
  }
}
