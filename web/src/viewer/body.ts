/** A figure drawn as capsules: knows which instance is which part, and writes poses without allocating. */

import * as THREE from "three";
import type { Figure, Part } from "../motion/figure";
import type { Kinematics } from "../motion/kinematics";
import { rotateAdd } from "../motion/quaternions";
import { type CapsuleBatch, SHAPE } from "./capsules";
import { sideColour, type StageColours, type Tint } from "./palette";

export type Style = "body" | "skeleton" | "mesh";

const HEAD_RADIUS = 0.054;
const HEAD_HALF = 0.014;
const HEAD_RAISE = 0.058;
const HIP_SHARE = 0.5; // of the distance between the hips, on top of the trunk's depth
const SHOULDER_SHARE = 0.62;
const TRUNK_DEPTH = 0.052;
const MARK = 0.016; // radius of the selected joint's dot

/** Writes the capsules of a figure's poses into a batch. */
export class BodyWriter {
  /** Capsules of one pose. */
  readonly count: number;
  private readonly face: Float32Array | null;
  private readonly scratch = new Float32Array(9);
  private readonly plain: readonly Part[];
  private readonly dotRadius: number;
  /** Joints drawn as dots: the main ones in a body, all in a skeleton. */
  private readonly dots: readonly number[];

  constructor(
    readonly figure: Figure,
    readonly style: Style,
    body: Kinematics,
    withDots = true,
  ) {
    this.plain = figure.parts;
    this.face = style === "body" ? findFace(figure, body) : null;
    const extras = style === "body" ? this.extraCount() : figure.head >= 0 ? 1 : 0;
    this.dotRadius = figure.size * (style === "body" ? 0.0075 : 0.0105);
    const all = (): number[] => [...new Set(figure.parts.flatMap((part) => [part.start, part.end]))];
    const inTrunk = new Set(figure.parts.filter((part) => part.trunk).flatMap((part) => [part.start, part.end]));
    this.dots = !withDots ? [] : style === "body" ? figure.dots.filter((joint) => !inTrunk.has(joint)) : all();
    this.count = this.plain.length + extras + this.dots.length + 1;
  }

  private extraCount(): number {
    return (this.figure.flanks ? 1 : 0) + (this.figure.head >= 0 ? 1 : 0) + (this.face ? 1 : 0);
  }

  /** Colours of one pose that starts at instance `first`; `wash` mixes them towards the stage, 0..1. */
  paint(batch: CapsuleBatch, first: number, tint: Tint, stage: StageColours, wash: number): void {
    const backdrop = new THREE.Color(stage.background);
    const colour = new THREE.Color();
    const skeleton = this.style !== "body";
    let i = first;
    for (const part of this.plain) batch.paint(i++, colour.set(sideColour(tint, part.side)).lerp(backdrop, wash));
    const trunk = (): THREE.Color => colour.set(tint.trunk).lerp(backdrop, wash);
    if (!skeleton && this.figure.flanks) batch.paint(i++, trunk());
    if (this.figure.head >= 0) batch.paint(i++, trunk());
    if (this.face) batch.paint(i++, colour.set(tint.trunk).multiplyScalar(0.5).lerp(backdrop, wash));
    const lift = this.figure.size * (skeleton ? 0.02 : 0.07);
    for (const joint of this.dots) {
      if (skeleton) colour.set(sideColour(tint, this.figure.sides[joint])).multiplyScalar(0.72);
      else colour.set(stage.dot);
      batch.paint(i++, colour.lerp(backdrop, wash), lift);
    }
    batch.paint(i, colour.set(stage.selected), 0.3 * this.figure.size);
  }

  /** Shapes of the current pose of `body`, starting at instance `first`. */
  write(batch: CapsuleBatch, first: number, body: Kinematics, selected: number): void {
    const { figure } = this;
    const { points } = body;
    const round = this.style === "body";
    const bone = 0.0135 * figure.size;
    let i = first;
    for (let k = 0; k < this.plain.length; k++) {
      const part = this.plain[k];
      if (round) {
        const trunk = part.trunk !== null && figure.flanks !== null;
        const depth = TRUNK_DEPTH * figure.size;
        batch.place(i, points, part.start, part.end, trunk ? depth : part.radii[0], trunk ? depth : part.radii[1]);
        if (part.trunk && figure.flanks) this.widen(batch, i, points, part.trunk[0], part.trunk[1]);
      } else {
        batch.place(
          i,
          points,
          part.start,
          part.end,
          Math.min(bone, part.radii[0]),
          Math.min(0.45 * bone, part.radii[1]),
        );
      }
      i++;
    }
    if (round && figure.flanks) this.writeShoulders(batch, i++, points);
    if (figure.head >= 0) i = this.writeHead(batch, i, body);
    const { dots } = this;
    for (let k = 0; k < dots.length; k++) batch.place(i++, points, dots[k], dots[k], this.dotRadius, this.dotRadius);
    const marked = selected < 0 ? 0 : selected;
    const radius = selected < 0 ? 0 : MARK * figure.size;
    batch.place(i, points, marked, marked, radius, radius);
  }

  /** Gives a part of the trunk the width between the hip and the shoulder line, by its share of the way. */
  private widen(batch: CapsuleBatch, i: number, points: Float32Array, from: number, to: number): void {
    const [rightArm, leftArm, rightLeg, leftLeg] = this.figure.flanks!;
    const at = SHAPE * i + 8;
    for (let axis = 0; axis < 3; axis++) {
      const hips = 0.5 * HIP_SHARE * (points[3 * leftLeg + axis] - points[3 * rightLeg + axis]);
      const shoulders = 0.5 * SHOULDER_SHARE * (points[3 * leftArm + axis] - points[3 * rightArm + axis]);
      batch.shape[at + axis] = hips + from * (shoulders - hips);
      batch.shape[at + 3 + axis] = hips + to * (shoulders - hips);
    }
  }

  /** The last part of the trunk, from the end of the spine to the middle of the shoulders. */
  private writeShoulders(batch: CapsuleBatch, i: number, points: Float32Array): void {
    const { figure, scratch } = this;
    const [rightArm, leftArm] = figure.flanks!;
    for (let axis = 0; axis < 3; axis++) {
      scratch[axis] = points[3 * figure.trunkTop + axis];
      const middle = 0.5 * (points[3 * leftArm + axis] + points[3 * rightArm + axis]);
      scratch[3 + axis] = middle + 0.1 * (scratch[axis] - middle);
    }
    batch.place(i, scratch, 0, 1, 0.98 * TRUNK_DEPTH * figure.size, 0.04 * figure.size);
    this.widen(batch, i, points, 0.85, 1);
  }

  private writeHead(batch: CapsuleBatch, first: number, body: Kinematics): number {
    const { figure, scratch } = this;
    const { points } = body;
    const size = figure.size;
    const from = 3 * figure.headFrom,
      to = 3 * figure.headTo,
      head = 3 * figure.head;
    let x = points[to] - points[from],
      y = points[to + 1] - points[from + 1],
      z = points[to + 2] - points[from + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length > 1e-9) {
      x /= length;
      y /= length;
      z /= length;
    } else y = 1;
    const near = (HEAD_RAISE - HEAD_HALF) * size,
      far = (HEAD_RAISE + HEAD_HALF) * size;
    scratch[0] = points[head] + near * x;
    scratch[1] = points[head + 1] + near * y;
    scratch[2] = points[head + 2] + near * z;
    scratch[3] = points[head] + far * x;
    scratch[4] = points[head + 1] + far * y;
    scratch[5] = points[head + 2] + far * z;
    const scale = this.style === "body" ? 1 : 0.82;
    batch.place(first, scratch, 0, 1, scale * HEAD_RADIUS * size, scale * HEAD_RADIUS * size);
    if (!this.face) return first + 1;
    scratch[6] = scratch[7] = scratch[8] = 0;
    rotateAdd(scratch, 6, scratch, 6, body.rotations, 4 * figure.head, this.face, 0);
    const nx = scratch[6],
      ny = scratch[7],
      nz = scratch[8];
    for (let end = 0; end < 2; end++) {
      const out = (end ? 0.061 : 0.035) * size;
      const middle = HEAD_RAISE * size - (end ? 0.2 * HEAD_HALF * size : 0);
      scratch[3 * end] = points[head] + middle * x + out * nx;
      scratch[3 * end + 1] = points[head + 1] + middle * y + out * ny;
      scratch[3 * end + 2] = points[head + 2] + middle * z + out * nz;
    }
    batch.place(first + 1, scratch, 0, 1, 0.019 * size, 0.011 * size);
    return first + 2;
  }
}

/** Where the face looks in the head's frame: on average where the trunk faces; null when not known. */
function findFace(figure: Figure, body: Kinematics): Float32Array | null {
  if (figure.head < 0 || !figure.flanks) return null;
  const [rightArm, leftArm, rightLeg, leftLeg] = figure.flanks;
  const sum = new THREE.Vector3();
  const point = (joint: number): THREE.Vector3 => new THREE.Vector3().fromArray(body.points, 3 * joint);
  const count = Math.min(24, body.motion.frames);
  let upright = 0;
  for (let k = 0; k < count; k++) {
    body.pose(Math.floor((k * (body.motion.frames - 1)) / Math.max(1, count - 1)), false);
    const shoulders = point(rightArm).sub(point(leftArm));
    const hips = point(rightLeg).sub(point(leftLeg));
    const rise = point(rightArm).add(point(leftArm)).sub(point(rightLeg)).sub(point(leftLeg)).normalize();
    upright += rise.y / count;
    const forward = rise.cross(shoulders.add(hips)).normalize();
    const at = 4 * figure.head;
    const r = body.rotations;
    sum.add(forward.applyQuaternion(new THREE.Quaternion(-r[at + 1], -r[at + 2], -r[at + 3], r[at])));
  }
  if (upright < 0.35 || sum.length() < 1e-6) return null; // on all fours or lying the trunk does not tell
  return Float32Array.from(sum.normalize().toArray());
}
