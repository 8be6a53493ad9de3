/** The joints as a tree; selecting one here selects it in the view and in the curves. */

import { jointSides } from "../motion/sides";
import type { Tree } from "../motion/kinematics";
import type { Studio } from "../studio";
import { h, refill } from "./dom";
import { whose } from "./whose";

export class JointsPane {
  readonly element = h("div", { class: "tab-body joints" });
  private readonly tree: HTMLElement;
  private readonly owner = h("div", {});
  private items: HTMLElement[] = [];
  private shown: Tree | null = null;
  private folded = new Set<number>();

  constructor(private readonly studio: Studio) {
    this.tree = h("div", {
      class: "tree",
      role: "tree",
      tabindex: 0,
      "aria-label": "Joints",
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    studio.on("active", (clip) => {
      if (clip?.tree === this.shown && this.shown) return;
      this.shown = clip?.tree ?? null;
      this.folded.clear();
      this.draw();
    });
    studio.on("active", () => this.showOwner());
    studio.on("open", () => this.showOwner());
    studio.on("joint", () => this.mark(true));
    this.draw();
  }

  private draw(): void {
    const tree = this.shown;
    if (!tree) {
      refill(this.element, h("p", { class: "empty" }, "Open a clip to see its joints."));
      return;
    }
    const sides = jointSides(tree);
    const roles = new Map(Object.entries(tree.roles).map(([role, joint]) => [joint, role]));
    const depth: number[] = [];
    const parents = new Set(tree.parents);
    this.items = tree.names.map((name, joint) => {
      depth[joint] = tree.parents[joint] < 0 ? 0 : depth[tree.parents[joint]] + 1;
      const item = h(
        "div",
        {
          class: "joint",
          role: "treeitem",
          id: `joint-${joint}`,
          "aria-level": depth[joint] + 1,
          "aria-expanded": parents.has(joint) ? "true" : null,
          title: roles.has(joint) ? `${name} (${roles.get(joint)!.replaceAll("_", " ")})` : name,
          onmousedown: (event: Event) => event.preventDefault(), // the keys stay with the stage
          onclick: () => this.studio.cast.selectJoint(joint === this.studio.cast.joint ? -1 : joint),
        },
        h("button", {
          type: "button",
          class: "fold",
          tabindex: -1,
          "aria-label": `Fold ${name}`,
          onclick: (event: Event) => (event.stopPropagation(), this.fold(joint)),
        }),
        h("span", { class: `side ${["middle", "left", "right"][sides[joint]]}` }),
        h("span", { class: "joint-name" }, name),
        roles.has(joint) && h("span", { class: "role quiet" }, roles.get(joint)!.replaceAll("_", " ")),
      );
      item.style.paddingInlineStart = `${8 + 12 * Math.min(depth[joint], 14)}px`;
      return item;
    });
    refill(this.tree, ...this.items);
    const summary = `${tree.names.length} joints, ${tree.endJoints.length} end sites, ${Object.keys(tree.roles).length} roles`;
    refill(this.element, this.owner, h("p", { class: "tab-note quiet" }, summary), this.tree);
    this.showOwner();
    this.mark(false);
  }

  private showOwner(): void {
    refill(this.owner, whose(this.studio));
  }

  private fold(joint: number): void {
    if (this.folded.has(joint)) this.folded.delete(joint);
    else this.folded.add(joint);
    const tree = this.shown!;
    const hidden = new Set<number>();
    tree.parents.forEach((parent, child) => {
      if (parent >= 0 && (hidden.has(parent) || this.folded.has(parent))) hidden.add(child);
      this.items[child].hidden = hidden.has(child);
    });
    if (this.items[joint].hasAttribute("aria-expanded"))
      this.items[joint].setAttribute("aria-expanded", String(!this.folded.has(joint)));
  }

  private mark(scroll: boolean): void {
    const { joint } = this.studio.cast;
    this.items.forEach((item, k) => item.setAttribute("aria-selected", String(k === joint)));
    if (joint < 0 || !this.items[joint]) return this.tree.removeAttribute("aria-activedescendant");
    this.tree.setAttribute("aria-activedescendant", `joint-${joint}`);
    if (scroll) this.items[joint].scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    const tree = this.shown;
    if (!tree || event.shiftKey) return;
    const seen = this.items.map((item, joint) => (item.hidden ? -1 : joint)).filter((joint) => joint >= 0);
    const at = seen.indexOf(this.studio.cast.joint);
    const joint = this.studio.cast.joint;
    if (event.key === "ArrowDown") this.studio.cast.selectJoint(seen[Math.min(seen.length - 1, at + 1)]);
    else if (event.key === "ArrowUp") this.studio.cast.selectJoint(seen[Math.max(0, at - 1)]);
    else if (event.key === "ArrowLeft" && joint >= 0) {
      const parents = tree.parents.includes(joint);
      if (parents && !this.folded.has(joint)) this.fold(joint);
      else if (tree.parents[joint] >= 0) this.studio.cast.selectJoint(tree.parents[joint]);
    } else if (event.key === "ArrowRight" && joint >= 0) {
      if (this.folded.has(joint)) this.fold(joint);
      else {
        const child = tree.parents.indexOf(joint);
        if (child >= 0) this.studio.cast.selectJoint(child);
      }
    } else if (event.key === "Escape") this.studio.cast.selectJoint(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
