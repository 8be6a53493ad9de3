/** Where a camera must stand so that given points fill a picture. */

import type { ViewDirection } from "./viewer";

export interface Stand {
  readonly eye: readonly [number, number, number];
  readonly target: readonly [number, number, number];
  readonly distance: number;
}

export interface Axes {
  readonly right: readonly [number, number, number];
  readonly up: readonly [number, number, number];
  /** From the target to the eye. */
  readonly back: readonly [number, number, number];
}

/** The camera's axes for a direction relative to a heading (radians). */
export function cameraAxes(view: ViewDirection, heading: number): Axes {
  const angle = heading - (view.azimuth * Math.PI) / 180;
  const rise = (Math.min(89.9, Math.max(-89.9, view.elevation)) * Math.PI) / 180;
  return {
    right: [Math.cos(angle), 0, -Math.sin(angle)],
    up: [-Math.sin(rise) * Math.sin(angle), Math.cos(rise), -Math.sin(rise) * Math.cos(angle)],
    back: [Math.cos(rise) * Math.sin(angle), Math.sin(rise), Math.cos(rise) * Math.cos(angle)],
  };
}

const dot = (axis: readonly [number, number, number], points: ArrayLike<number>, i: number): number =>
  axis[0] * points[i] + axis[1] * points[i + 1] + axis[2] * points[i + 2];

/**
 * The nearest stand from which all points are in the picture.
 *
 * @param points (N, 3) metres.
 * @param fov vertical opening in degrees.
 * @param aspect width over height.
 * @param room metres kept free round every point.
 */
export function fitPoints(points: ArrayLike<number>, axes: Axes, fov: number, aspect: number, room: number): Stand {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const way = [axes.right, axes.up, axes.back] as const;
  for (let i = 0; i < points.length; i += 3)
    for (let k = 0; k < 3; k++) {
      const value = dot(way[k], points, i);
      if (value < low[k]) low[k] = value;
      if (value > high[k]) high[k] = value;
    }
  const middle = low.map((value, k) => (value + high[k]) / 2);
  const tangent = Math.tan((fov * Math.PI) / 360);
  let distance = 0.1;
  for (let i = 0; i < points.length; i += 3) {
    const x = Math.abs(dot(axes.right, points, i) - middle[0]) + room;
    const y = Math.abs(dot(axes.up, points, i) - middle[1]) + room;
    const depth = dot(axes.back, points, i) - middle[2];
    distance = Math.max(distance, depth + Math.max(x / (tangent * aspect), y / tangent));
  }
  const at = (k: 0 | 1 | 2): number => middle[0] * axes.right[k] + middle[1] * axes.up[k] + middle[2] * axes.back[k];
  const target = [at(0), at(1), at(2)] as const;
  return {
    target,
    distance,
    eye: [
      target[0] + distance * axes.back[0],
      target[1] + distance * axes.back[1],
      target[2] + distance * axes.back[2],
    ],
  };
}
