/** The fixture that Python wrote, as the client's own types; and messages built by hand. */

import type { Motion } from "../src/motion/decode";
import { type SkeletonMessage, type Tree, treeFromMessage } from "../src/motion/kinematics";
import fixture from "./fixtures/motion.json";

export interface Recorded {
  readonly tree: Tree;
  readonly motion: Motion;
  /** (F)(P)(3). */
  readonly points: readonly (readonly (readonly number[])[])[];
  readonly headings: readonly number[];
}

export function recorded(name: "walk" | "moving"): Recorded {
  const held = fixture[name];
  return {
    tree: treeFromMessage(held.skeleton as unknown as SkeletonMessage),
    motion: {
      frames: held.root.length,
      joints: held.skeleton.names.length,
      fps: held.fps,
      moved: Int32Array.from(held.moved as number[]),
      root: Float32Array.from(held.root.flat()),
      rotations: Float32Array.from(held.rotations.flat(2)),
      translations: Float32Array.from((held.translations as number[][][]).flat(2)),
    },
    points: held.points,
    headings: held.headings,
  };
}

export const eulerSamples = fixture.euler as { quaternion: number[]; degrees: Record<string, number[]> }[];

/** Little-endian message: magic, then numbers of the given kinds. */
export function message(magic: string, ...parts: ["u" | "i" | "f", number[]][]): ArrayBuffer {
  const count = parts.reduce((sum, [, values]) => sum + values.length, 0);
  const buffer = new ArrayBuffer(4 + 4 * count);
  const view = new DataView(buffer);
  [...magic].forEach((letter, k) => view.setUint8(k, letter.charCodeAt(0)));
  let at = 4;
  for (const [kind, values] of parts)
    for (const value of values) {
      if (kind === "u") view.setUint32(at, value, true);
      else if (kind === "i") view.setInt32(at, value, true);
      else view.setFloat32(at, value, true);
      at += 4;
    }
  return buffer;
}
