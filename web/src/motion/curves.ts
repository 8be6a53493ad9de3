/** Curves of one joint over a whole clip: rotation channels, height and speed. */

import type { Motion } from "./decode";
import { pointPath, type Tree } from "./kinematics";
import { EULER_ORDERS, type EulerOrder, followEuler, toEuler, toRotationVector } from "./quaternions";

export type RotationForm = EulerOrder | "vector";

/** One line of a plot. */
export interface Curve {
  readonly label: string;
  readonly values: Float32Array;
}

/** Lines that share an axis. */
export interface CurveGroup {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
}

/** The three rotation channels (F) of a joint in degrees, without jumps between triples of the same rotation. */
export function rotationCurves(motion: Motion, joint: number, form: RotationForm): CurveGroup {
  const angles = new Float32Array(3 * motion.frames);
  for (let frame = 0; frame < motion.frames; frame++) {
    const at = 4 * (frame * motion.joints + joint);
    if (form === "vector") toRotationVector(angles, 3 * frame, motion.rotations, at);
    else toEuler(angles, 3 * frame, motion.rotations, at, form);
  }
  if (form !== "vector") followEuler(angles);
  const labels = form === "vector" ? ["x", "y", "z"] : [...form].map((axis) => axis.toLowerCase());
  return {
    title: form === "vector" ? "Rotation vector" : `Rotation ${form}`,
    unit: "°",
    curves: labels.map((label, column) => ({ label, values: takeColumn(angles, 3, column) })),
  };
}

/** Height (m) and speed (m/s) of a joint or end site in the world. */
export function movementCurves(tree: Tree, motion: Motion, point: number): CurveGroup[] {
  const path = pointPath(tree, motion, point);
  return [
    { title: "Height", unit: "m", curves: [{ label: "height", values: takeColumn(path, 3, 1) }] },
    { title: "Speed", unit: "m/s", curves: [{ label: "speed", values: pathSpeed(path, motion.fps) }] },
  ];
}

/** Speed (F) along a path (F, 3) by central differences, one-sided at the ends. */
export function pathSpeed(path: Float32Array, fps: number): Float32Array {
  const frames = path.length / 3;
  const speed = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    const before = Math.max(0, frame - 1);
    const after = Math.min(frames - 1, frame + 1);
    if (after === before) continue;
    const x = path[3 * after] - path[3 * before];
    const y = path[3 * after + 1] - path[3 * before + 1];
    const z = path[3 * after + 2] - path[3 * before + 2];
    speed[frame] = (Math.sqrt(x * x + y * y + z * z) * fps) / (after - before);
  }
  return speed;
}

/** The order of a joint's channels where the file told it, else null. */
export function fileOrder(orders: readonly string[] | undefined, joint: number): EulerOrder | null {
  const order = orders?.[joint]?.toUpperCase();
  return EULER_ORDERS.find((known) => known === order) ?? null;
}

/** Smallest and largest value of several curves; a little room around a flat line. */
export function curveRange(curves: readonly Curve[], start: number, end: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of curves)
    for (let i = Math.max(0, start); i < Math.min(values.length, end); i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  if (!(low <= high)) return [0, 1];
  const room = Math.max(0.06 * (high - low), 1e-3 * Math.max(Math.abs(high), 1));
  return [low - room, high + room];
}

function takeColumn(rows: Float32Array, width: number, column: number): Float32Array {
  const values = new Float32Array(rows.length / width);
  for (let i = 0; i < values.length; i++) values[i] = rows[width * i + column];
  return values;
}
