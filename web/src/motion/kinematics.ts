/** Forward kinematics in typed arrays: joints and end sites of one frame, with no allocation after construction. */

import type { Motion } from "./decode";
import { blend, multiply, rotateAdd } from "./quaternions";

/** What is needed of a skeleton to place its points. */
export interface Tree {
  readonly names: readonly string[];
  /** (J) parents before children, -1 for the root. */
  readonly parents: Int32Array;
  /** (J, 3) metres. */
  readonly offsets: Float32Array;
  /** (E) joint of each end site. */
  readonly endJoints: Int32Array;
  /** (E, 3) metres. */
  readonly endOffsets: Float32Array;
  /** Role -> joint. */
  readonly roles: Readonly<Record<string, number>>;
}

/** The skeleton as the server sends it. */
export interface SkeletonMessage {
  readonly names: readonly string[];
  readonly parents: readonly number[];
  readonly offsets: readonly (readonly number[])[];
  readonly end_joints: readonly number[];
  readonly end_offsets: readonly (readonly number[])[];
  readonly roles: Readonly<Record<string, number>>;
}

/** A tree of typed arrays from the server's message. */
export function treeFromMessage(message: SkeletonMessage): Tree {
  return {
    names: message.names,
    parents: Int32Array.from(message.parents),
    offsets: Float32Array.from(message.offsets.flat()),
    endJoints: Int32Array.from(message.end_joints),
    endOffsets: Float32Array.from(message.end_offsets.flat()),
    roles: message.roles,
  };
}

/** Number of points: joints, then end sites. */
export function pointCount(tree: Tree): number {
  return tree.names.length + tree.endJoints.length;
}

/** The joint or end site's parent point; -1 for the root. */
export function parentOf(tree: Tree, point: number): number {
  const joints = tree.names.length;
  return point < joints ? tree.parents[point] : tree.endJoints[point - joints];
}

/** Computes poses of one clip into its own arrays. */
export class Kinematics {
  /** (P, 3) metres: joints, then end sites. */
  readonly points: Float32Array;
  /** (J, 4) wxyz, world from joint. */
  readonly rotations: Float32Array;
  private readonly local = new Float32Array(4);
  private readonly place = new Float32Array(3);
  private readonly movedIndex: Int32Array;

  constructor(
    readonly tree: Tree,
    readonly motion: Motion,
  ) {
    const joints = tree.names.length;
    if (joints !== motion.joints) throw new Error(`the skeleton has ${joints} joints, the motion ${motion.joints}`);
    this.points = new Float32Array(3 * pointCount(tree));
    this.rotations = new Float32Array(4 * joints);
    this.movedIndex = new Int32Array(joints).fill(-1);
    motion.moved.forEach((joint, index) => (this.movedIndex[joint] = index));
  }

  /**
   * Poses the skeleton at a frame; a fraction lies between two frames when `smooth`, else the frame before it is taken.
   *
   * Frames outside the clip are held at its ends.
   */
  pose(frame: number, smooth = true): void {
    const last = this.motion.frames - 1;
    const held = frame < 0 ? 0 : frame > last ? last : frame;
    const whole = Math.floor(held + 1e-6);
    const share = smooth ? held - whole : 0;
    this.solve(whole, share > 1e-4 ? whole + 1 : whole, share);
  }

  private solve(a: number, b: number, share: number): void {
    const { tree, motion, points, rotations, local, place, movedIndex } = this;
    const joints = motion.joints;
    const moving = motion.moved.length;
    for (let axis = 0; axis < 3; axis++) {
      const from = motion.root[3 * a + axis];
      points[axis] = from + share * (motion.root[3 * b + axis] - from);
    }
    for (let joint = 0; joint < joints; joint++) {
      const i = 4 * (a * joints + joint);
      let source = motion.rotations;
      let at = i;
      if (a !== b) {
        blend(local, 0, motion.rotations, i, motion.rotations, 4 * (b * joints + joint), share);
        source = local;
        at = 0;
      }
      const parent = tree.parents[joint];
      if (parent < 0) {
        for (let k = 0; k < 4; k++) rotations[4 * joint + k] = source[at + k];
        continue;
      }
      multiply(rotations, 4 * joint, rotations, 4 * parent, source, at);
      const index = movedIndex[joint];
      if (index < 0) {
        rotateAdd(points, 3 * joint, points, 3 * parent, rotations, 4 * parent, tree.offsets, 3 * joint);
      } else {
        for (let axis = 0; axis < 3; axis++) {
          const from = motion.translations[3 * (a * moving + index) + axis];
          place[axis] = from + share * (motion.translations[3 * (b * moving + index) + axis] - from);
        }
        rotateAdd(points, 3 * joint, points, 3 * parent, rotations, 4 * parent, place, 0);
      }
    }
    for (let end = 0; end < tree.endJoints.length; end++) {
      const joint = tree.endJoints[end];
      rotateAdd(points, 3 * (joints + end), points, 3 * joint, rotations, 4 * joint, tree.endOffsets, 3 * end);
    }
  }
}

/** Positions (N, 3) of one point over frames 0, step, 2 step, ...: only the point's own chain is solved. */
export function pointPath(tree: Tree, motion: Motion, point: number, step = 1): Float32Array {
  const joints = tree.names.length;
  const chain: number[] = [];
  for (let at = point; at >= 0; at = parentOf(tree, at)) chain.unshift(at);
  const count = Math.ceil(motion.frames / step);
  const path = new Float32Array(3 * count);
  const rotation = new Float32Array(4);
  const position = new Float32Array(3);
  const moved = Array.from(motion.moved);
  const movedOf = chain.map((joint) => moved.indexOf(joint));
  for (let n = 0; n < count; n++) {
    const frame = n * step;
    for (let k = 0; k < 3; k++) position[k] = motion.root[3 * frame + k];
    for (let k = 0; k < 4; k++) rotation[k] = motion.rotations[4 * frame * joints + k];
    for (let c = 1; c < chain.length; c++) {
      const joint = chain[c];
      if (joint >= joints) {
        rotateAdd(position, 0, position, 0, rotation, 0, tree.endOffsets, 3 * (joint - joints));
      } else {
        if (movedOf[c] >= 0)
          rotateAdd(
            position,
            0,
            position,
            0,
            rotation,
            0,
            motion.translations,
            3 * (frame * moved.length + movedOf[c]),
          );
        else rotateAdd(position, 0, position, 0, rotation, 0, tree.offsets, 3 * joint);
        multiply(rotation, 0, rotation, 0, motion.rotations, 4 * (frame * joints + joint));
      }
    }
    path.set(position, 3 * n);
  }
  return path;
}
