import { describe, expect, it } from "vitest";
import { cameraAxes, fitPoints } from "../src/viewer/fitting";
import { parseView } from "../src/viewer/picture";

describe("camera axes", () => {
  it("look at the face from the front, at the right side from 90 degrees", () => {
    const front = cameraAxes({ azimuth: 0, elevation: 0 }, 0);
    [0, 0, 1].forEach((value, k) => expect(front.back[k]).toBeCloseTo(value, 9));
    const side = cameraAxes({ azimuth: 90, elevation: 0 }, 0);
    [-1, 0, 0].forEach((value, k) => expect(side.back[k]).toBeCloseTo(value, 9));
    [0, 0, 1].forEach((value, k) => expect(side.right[k]).toBeCloseTo(value, 9));
  });

  it("are at right angles for any direction", () => {
    const { right, up, back } = cameraAxes({ azimuth: 52, elevation: 30 }, 1.1);
    const cross = [
      right[1] * up[2] - right[2] * up[1],
      right[2] * up[0] - right[0] * up[2],
      right[0] * up[1] - right[1] * up[0],
    ];
    cross.forEach((value, k) => expect(value).toBeCloseTo(back[k], 9));
  });
});

describe("fitting", () => {
  it("brings every point into the picture, and one to its edge", () => {
    const points = [0, 0, 0, 3, 0.2, 1, -1, 1.8, -2, 0.4, 1, 5];
    const axes = cameraAxes({ azimuth: 40, elevation: 20 }, 0.3);
    const aspect = 16 / 9;
    const stand = fitPoints(points, axes, 24, aspect, 0);
    const tangent = Math.tan((24 * Math.PI) / 360);
    let most = 0;
    for (let i = 0; i < points.length; i += 3) {
      const from = [0, 1, 2].map((k) => points[i + k] - stand.eye[k]);
      const along = (axis: readonly number[]): number => axis.reduce((sum, value, k) => sum + value * from[k], 0);
      const depth = -along(axes.back);
      const share = Math.max(
        Math.abs(along(axes.right)) / (depth * tangent * aspect),
        Math.abs(along(axes.up)) / (depth * tangent),
      );
      expect(share).toBeLessThanOrEqual(1 + 1e-9);
      most = Math.max(most, share);
    }
    expect(most).toBeGreaterThan(0.9);
  });
});

describe("views", () => {
  it("are names or two angles", () => {
    expect(parseView("side")).toEqual({ azimuth: 90, elevation: 7 });
    expect(parseView("30,15")).toEqual({ azimuth: 30, elevation: 15 });
    expect(parseView("sideways")).toBeNull();
  });
});
