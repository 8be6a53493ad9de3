/** Which joint a ray from the eye means. */

import type { Figure } from "../motion/figure";

export interface Ray {
  readonly origin: { readonly x: number; readonly y: number; readonly z: number };
  readonly direction: { readonly x: number; readonly y: number; readonly z: number };
}

export interface Hit {
  readonly joint: number;
  /** How far off the ray passes, in shares of what still counts as a hit; the smaller, the surer. */
  readonly miss: number;
  readonly distance: number;
}

/**
 * The joint whose dot the ray passes nearest to; else the joint at the start of the part it goes through.
 *
 * @param slack metres at one metre from the eye that a dot may be missed by (a finger's width on the screen).
 */
export function pickJoint(ray: Ray, points: Float32Array, joints: number, figure: Figure, slack: number): Hit | null {
  let best: Hit | null = null;
  const take = (joint: number, miss: number, distance: number): void => {
    if (miss <= 1 && (best === null || miss < best.miss)) best = { joint, miss, distance };
  };
  for (let joint = 0; joint < joints; joint++) {
    const [off, distance] = passing(ray, points, joint);
    if (distance > 0) take(joint, (0.5 * off) / (slack * distance), distance);
  }
  if (best) return best;
  for (const part of figure.parts)
    for (let k = 0; k <= 8; k++) {
      const share = k / 8;
      const at = [0, 1, 2].map(
        (axis) => points[3 * part.start + axis] + share * (points[3 * part.end + axis] - points[3 * part.start + axis]),
      );
      const [off, distance] = passing(ray, at, 0);
      const radius = part.radii[0] + share * (part.radii[1] - part.radii[0]);
      const joint = part.start < joints ? (share > 0.5 && part.end < joints ? part.end : part.start) : part.end;
      if (distance > 0) take(joint, off / Math.max(radius, slack * distance), distance);
    }
  return best;
}

/** How far from a point the ray passes, and the distance along it. */
function passing(ray: Ray, points: ArrayLike<number>, index: number): [number, number] {
  const { origin, direction } = ray;
  const x = points[3 * index] - origin.x,
    y = points[3 * index + 1] - origin.y,
    z = points[3 * index + 2] - origin.z;
  const along = x * direction.x + y * direction.y + z * direction.z;
  const square = x * x + y * y + z * z - along * along;
  return [Math.sqrt(Math.max(0, square)), along];
}
