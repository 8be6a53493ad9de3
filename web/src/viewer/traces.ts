/** Paths that joints draw through space, and ghost poses along the way. */

import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { Figure } from "../motion/figure";
import { type Kinematics, parentOf, pointCount, type Tree } from "../motion/kinematics";
import { sideColour, type Tint } from "./palette";

const MOST_POINTS = 3000;

/** Which points leave a path. */
export type TraceChoice = "leaves" | "selected" | "root";

/** Points with nothing below them; end sites that hardly leave their joint count as the joint. */
export function leavesOf(tree: Tree): number[] {
  const points = pointCount(tree);
  const inner = new Set<number>();
  for (let point = 1; point < points; point++) inner.add(parentOf(tree, point));
  return Array.from({ length: points }, (_, point) => point).filter((point) => !inner.has(point));
}

/** The leaves worth a line: one a limb. Fingers and hair would bury the rest, so of leaves with a role above only one is kept. */
export function mainLeaves(tree: Tree): number[] {
  const roleOf = new Map(Object.entries(tree.roles).map(([role, joint]) => [joint, role]));
  const kept = new Map<string, number>();
  for (const leaf of leavesOf(tree)) {
    let at = leaf;
    while (at >= 0 && !roleOf.has(at)) at = parentOf(tree, at);
    const key = at >= 0 ? roleOf.get(at)! : `leaf ${leaf}`;
    if (/spine|chest|hips/.test(key) && kept.size > 0) continue;
    if (!kept.has(key)) kept.set(key, leaf);
  }
  return [...kept.values()];
}

/** Positions (N, 3) of some points over the clip, a few thousand at most; `settle` may move every pose first. */
export function samplePaths(
  body: Kinematics,
  points: readonly number[],
  settle: (body: Kinematics) => void,
): Float32Array[] {
  const step = Math.max(1, Math.ceil(body.motion.frames / MOST_POINTS));
  const count = Math.ceil(body.motion.frames / step);
  const paths = points.map(() => new Float32Array(3 * count));
  for (let n = 0; n < count; n++) {
    body.pose(n * step, false);
    settle(body);
    points.forEach((point, k) => {
      for (let axis = 0; axis < 3; axis++) paths[k][3 * n + axis] = body.points[3 * point + axis];
    });
  }
  return paths;
}

/** Lines of one actor. */
export class Traces {
  readonly group = new THREE.Group();
  private readonly materials = new Map<number, LineMaterial>();

  show(
    body: Kinematics,
    figure: Figure,
    points: readonly number[],
    tint: Tint,
    settle: (body: Kinematics) => void,
  ): void {
    this.clear();
    if (body.motion.frames < 2) return;
    samplePaths(body, points, settle).forEach((path, k) => {
      const geometry = new LineGeometry();
      geometry.setPositions(path);
      const line = new Line2(geometry, this.material(sideColour(tint, figure.sides[points[k]])));
      line.frustumCulled = false;
      this.group.add(line);
    });
  }

  clear(): void {
    for (const child of this.group.children) (child as Line2).geometry.dispose();
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    for (const material of this.materials.values()) material.dispose();
  }

  private material(colour: number): LineMaterial {
    const known = this.materials.get(colour);
    if (known) return known;
    const material = new LineMaterial({ color: colour, linewidth: 1.6, transparent: true, opacity: 0.85 });
    this.materials.set(colour, material);
    return material;
  }
}

/** Frames of ghost poses: every `step`-th, at most `most` of them. */
export function ghostFrames(frames: number, step: number, most: number): number[] {
  const wide = Math.max(1, Math.round(step), Math.ceil(frames / most));
  return Array.from({ length: Math.ceil(frames / wide) }, (_, k) => k * wide);
}
