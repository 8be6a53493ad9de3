/** One clip on the stage: its pose, its figure, its mesh, its traces and ghosts. */

import * as THREE from "three";
import type { Motion } from "../motion/decode";
import { buildFigure, type Figure } from "../motion/figure";
import { Kinematics, type Tree } from "../motion/kinematics";
import { carrier, headingOf, neutralise, placePose } from "../motion/neutral";
import { BodyWriter, type Style } from "./body";
import { CapsuleBatch } from "./capsules";
import { Character } from "./character";
import type { Outfit } from "./materials";
import type { StageColours, Tint } from "./palette";
import { ghostFrames, mainLeaves, type TraceChoice, Traces } from "./traces";

const MOST_GHOSTS = 120;

/** How everything on the stage is shown. */
export interface StageOptions {
  style: Style;
  lockRoot: boolean;
  ghosts: boolean;
  /** Frames between ghost poses; 0 chooses. */
  ghostStep: number;
  paths: boolean;
  pathChoice: TraceChoice;
}

export class Actor {
  readonly group = new THREE.Group();
  readonly body: Kinematics;
  readonly figure: Figure;
  /** Metres along x where the clip starts when it stands beside others; null leaves it where it was recorded. */
  private lane: number | null = null;
  selected = -1;
  private readonly planner: Kinematics;
  private readonly traces = new Traces();
  private batch!: CapsuleBatch;
  private writer!: BodyWriter;
  private ghosts: CapsuleBatch | null = null;
  private character: Character | null = null;
  private standIn = false;
  private options: StageOptions;

  constructor(
    readonly tree: Tree,
    readonly motion: Motion,
    private tint: Tint,
    private stage: StageColours,
    options: StageOptions,
  ) {
    this.body = new Kinematics(tree, motion);
    this.planner = new Kinematics(tree, motion);
    this.figure = buildFigure(this.body);
    this.options = { ...options };
    this.group.add(this.traces.group);
    this.rebuild();
    this.body.pose(0);
  }

  get visible(): boolean {
    return this.group.visible;
  }

  set visible(value: boolean) {
    this.group.visible = value;
  }

  /** Metres that must fit into the view: the body, or its mesh where that is larger. */
  get extent(): number {
    return this.options.style === "mesh" && this.character
      ? Math.max(this.figure.size, this.character.height)
      : this.figure.size;
  }

  wear({ mesh, standIn, pictures }: Outfit): void {
    if (this.character) this.group.remove(this.character.mesh);
    this.character?.dispose();
    this.character = new Character(mesh, pictures, 0xc9ced7);
    this.standIn = standIn;
    this.character.follow(this.body);
    this.character.measure();
    this.group.add(this.character.mesh);
    this.rebuild();
  }

  dress(tint: Tint, stage: StageColours): void {
    this.tint = tint;
    this.stage = stage;
    this.rebuild();
  }

  /** Applies options, the lane and the selection; everything that does not change with the frame is made again. */
  arrange(options: StageOptions, lane: number | null, selected: number): void {
    const same =
      lane === this.lane &&
      selected === this.selected &&
      (Object.keys(options) as (keyof StageOptions)[]).every((key) => options[key] === this.options[key]);
    if (same) return;
    this.options = { ...options };
    this.lane = lane;
    this.selected = selected;
    this.rebuild();
  }

  /** The way a pose takes to the stage: locked to the neutral frame or not, then moved to its lane. */
  readonly settle = (body: Kinematics): void => {
    if (this.options.lockRoot) neutralise(body);
    if (this.lane === null) return;
    if (this.options.lockRoot) placePose(body, 0, 0, 0, this.lane, 0);
    else placePose(body, 0, this.motion.root[0], this.motion.root[2], this.lane, 0);
  };

  /** Shows a frame, which may lie between two. */
  show(frame: number, smooth: boolean): void {
    this.body.pose(frame, smooth);
    this.settle(this.body);
    this.writer.write(this.batch, 0, this.body, this.selected);
    this.batch.shapesChanged();
    this.character?.follow(this.body);
  }

  /** Writes where the body is (its carrier on the floor plan, at half height) into `out`. */
  centre(out: THREE.Vector3): THREE.Vector3 {
    const at = 3 * carrier(this.tree);
    return out.set(this.body.points[at], 0.52 * this.extent, this.body.points[at + 2]);
  }

  heading(): number {
    return headingOf(this.body);
  }

  private rebuild(): void {
    const meshShown = this.options.style === "mesh" && this.character !== null;
    const style: Style = this.options.style === "mesh" ? (meshShown ? "skeleton" : "body") : this.options.style;
    if (this.batch) {
      this.group.remove(this.batch.mesh);
      this.batch.dispose();
    }
    this.writer = new BodyWriter(this.figure, style, this.planner);
    this.batch = new CapsuleBatch(this.writer.count);
    this.batch.count = meshShown ? 0 : this.writer.count;
    this.writer.paint(this.batch, 0, this.tint, this.stage, 0);
    this.batch.coloursChanged();
    this.writer.write(this.batch, 0, this.body, this.selected);
    this.batch.shapesChanged();
    this.group.add(this.batch.mesh);
    if (this.character) this.character.mesh.visible = meshShown;
    if (this.standIn) this.character?.wardrobe.dye("shirt", this.tint.left);
    this.rebuildGhosts(style);
    if (this.options.paths) {
      const choice = this.options.pathChoice;
      const points =
        choice === "leaves"
          ? mainLeaves(this.tree)
          : choice === "root" || this.selected < 0
            ? [carrier(this.tree)]
            : [this.selected];
      this.traces.show(this.planner, this.figure, points, this.tint, this.settle);
    } else this.traces.clear();
  }

  private rebuildGhosts(style: Style): void {
    if (this.ghosts) {
      this.group.remove(this.ghosts.mesh);
      this.ghosts.dispose();
      this.ghosts = null;
    }
    if (!this.options.ghosts) return;
    const step = this.options.ghostStep || Math.max(1, Math.round(this.motion.fps / 4));
    const frames = ghostFrames(this.motion.frames, step, MOST_GHOSTS);
    const writer = new BodyWriter(this.figure, style, this.planner, false);
    this.ghosts = new CapsuleBatch(writer.count * frames.length, frames.length < 40);
    this.ghosts.fade(0.4);
    frames.forEach((frame, k) => {
      this.planner.pose(frame, false);
      this.settle(this.planner);
      writer.write(this.ghosts!, k * writer.count, this.planner, -1);
      writer.paint(this.ghosts!, k * writer.count, this.tint, this.stage, 0.3);
    });
    this.ghosts.count = writer.count * frames.length;
    this.ghosts.shapesChanged();
    this.ghosts.coloursChanged();
    this.group.add(this.ghosts.mesh);
  }

  dispose(): void {
    this.batch.dispose();
    this.ghosts?.dispose();
    this.character?.dispose();
    this.traces.dispose();
  }
}
