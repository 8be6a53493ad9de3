/** Curves of the selected joint: rotation channels, height, speed, with the frame cursor. */

import { type CurveGroup, fileOrder, movementCurves, rotationCurves, type RotationForm } from "../motion/curves";
import { EULER_ORDERS } from "../motion/quaternions";
import type { OpenClip } from "../state/news";
import type { Studio } from "../studio";
import { h, refill } from "./dom";
import { whose } from "./whose";
import { Plot, type PlotColours } from "./plot";

export class CurvesPane {
  readonly element = h("div", { class: "tab-body curves" });
  private readonly form: HTMLSelectElement;
  private readonly holder = h("div", { class: "plots" });
  private plots: Plot[] = [];
  private key = "";
  private active = false;

  constructor(private readonly studio: Studio) {
    this.form = h(
      "select",
      { "aria-label": "Rotations as", class: "compact" },
      h("option", { value: "file" }, "Euler, the file's order"),
      ...EULER_ORDERS.map((order) => h("option", { value: order }, `Euler ${order}`)),
      h("option", { value: "vector" }, "Rotation vector"),
    );
    this.form.value = studio.preferences.rotationForm;
    this.form.addEventListener("change", () =>
      studio.prefer({ rotationForm: this.form.value as RotationForm | "file" }),
    );
    studio.on("active", () => this.draw());
    studio.on("open", () => this.draw()); // whose they are is said where there are several
    studio.on("joint", () => this.draw());
    studio.on("preferences", () => requestAnimationFrame(() => this.draw()));
    studio.on("time", (clock) => {
      if (!this.active) return;
      const clip = studio.cast.active?.motion;
      if (clip) for (let k = 0; k < this.plots.length; k++) this.plots[k].show((clock.frame / clock.fps) * clip.fps);
    });
  }

  /** Curves are only computed while the tab is in front. */
  setActive(active: boolean): void {
    this.active = active;
    if (active) this.draw();
  }

  private draw(): void {
    if (!this.active) return;
    const clip = this.studio.cast.active;
    if (!clip?.motion || !clip.tree) {
      this.key = "";
      refill(this.element, h("p", { class: "empty" }, "Open a clip to see the curves of its joints."));
      return;
    }
    const joint = Math.max(0, this.studio.cast.joint);
    const form = this.chosenForm(clip, joint);
    const names = this.studio.cast.open.map((one) => one.name);
    const key = [clip.id, ...names, clip.detail?.summary.revision, joint, form, this.studio.theme].join();
    if (key === this.key) return;
    this.key = key;
    const groups: CurveGroup[] = [
      rotationCurves(clip.motion, joint, form),
      ...movementCurves(clip.tree, clip.motion, joint),
    ];
    const colours = readColours();
    this.plots = groups.map((group) => new Plot(group, colours, (frame) => this.seek(frame)));
    refill(this.holder, ...this.plots.map((plot) => plot.element));
    const name = clip.tree.names[joint];
    refill(
      this.element,
      h("div", { class: "tab-bar" }, h("strong", { class: "ellipsis" }, name), h("span", { class: "grow" }), this.form),
      whose(this.studio),
      this.studio.cast.joint < 0 &&
        h("p", { class: "tab-note quiet" }, "The root is shown. Select a joint in the view or the tree."),
      this.holder,
    );
    const { clock } = this.studio;
    requestAnimationFrame(() => this.plots.forEach((plot) => plot.show((clock.frame / clock.fps) * clip.motion!.fps)));
  }

  private seek(frame: number): void {
    const { clock } = this.studio;
    clock.playing = false;
    this.studio.transport.seek((frame / (this.studio.cast.active?.motion?.fps ?? clock.fps)) * clock.fps);
  }

  private chosenForm(clip: OpenClip, joint: number): RotationForm {
    const choice = this.studio.preferences.rotationForm;
    if (choice !== "file") return choice;
    return fileOrder(clip.detail?.origin.orders, joint) ?? "ZXY";
  }
}

function readColours(): PlotColours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: read("text"),
    quiet: read("quiet"),
    line: read("faint"),
    series: [read("axis-x"), read("axis-y"), read("axis-z"), read("accent")],
  };
}
