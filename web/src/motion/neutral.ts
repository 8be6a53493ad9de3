/** Where a body stands and looks, and the neutral frame: over the origin, facing +Z. */

import type { Kinematics, Tree } from "./kinematics";

/** The joint that carries the body: the hips by role, else the root. */
export function carrier(tree: Tree): number {
  return tree.roles["hips"] ?? 0;
}

/** Heading in radians of the current pose, 0 = +Z, counter-clockwise positive seen from above. */
export function headingOf(body: Kinematics): number {
  const left = body.tree.roles["left_upper_leg"];
  const right = body.tree.roles["right_upper_leg"];
  if (left !== undefined && right !== undefined) {
    const x = body.points[3 * right] - body.points[3 * left];
    const z = body.points[3 * right + 2] - body.points[3 * left + 2];
    if (x * x + z * z > 1e-8) return Math.atan2(z, -x); // up x (left hip to right hip) is (z, 0, -x)
  }
  const at = 4 * carrier(body.tree);
  return 2 * Math.atan2(body.rotations[at + 2], body.rotations[at]); // the turn about the vertical (swing-twist)
}

/** Moves the current pose so that its carrier is over the origin and faces +Z; heights stay. */
export function neutralise(body: Kinematics): void {
  const heading = headingOf(body);
  const at = 3 * carrier(body.tree);
  placePose(body, -heading, body.points[at], body.points[at + 2], 0, 0);
}

/** Turns the current pose by `turn` radians about the vertical through (x, z), then moves that place to (toX, toZ). */
export function placePose(body: Kinematics, turn: number, x: number, z: number, toX: number, toZ: number): void {
  const cosine = Math.cos(turn);
  const sine = Math.sin(turn);
  const { points, rotations } = body;
  for (let i = 0; i < points.length; i += 3) {
    const dx = points[i] - x;
    const dz = points[i + 2] - z;
    points[i] = toX + cosine * dx + sine * dz;
    points[i + 2] = toZ - sine * dx + cosine * dz;
  }
  if (turn === 0) return;
  const w = Math.cos(turn / 2);
  const y = Math.sin(turn / 2);
  for (let i = 0; i < rotations.length; i += 4) {
    const a = rotations[i],
      b = rotations[i + 1],
      c = rotations[i + 2],
      d = rotations[i + 3];
    rotations[i] = w * a - y * c;
    rotations[i + 1] = w * b + y * d;
    rotations[i + 2] = w * c + y * a;
    rotations[i + 3] = w * d - y * b;
  }
}
