import { describe, expect, it } from "vitest";
import { curveRange, fileOrder, movementCurves, pathSpeed, rotationCurves } from "../src/motion/curves";
import { axisTicks } from "../src/ui/plot";
import { recorded } from "./samples";

describe("curves", () => {
  const { tree, motion, points } = recorded("walk");

  it("give a joint's height over the clip", () => {
    const [height] = movementCurves(tree, motion, 5);
    expect(height.unit).toBe("m");
    points.forEach((frame, k) => expect(height.curves[0].values[k]).toBeCloseTo(frame[5][1], 4));
  });

  it("give speed in metres per second", () => {
    const path = Float32Array.from([0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.2, 0, 0]);
    [6, 6, 3, 0].forEach((speed, k) => expect(pathSpeed(path, 60)[k]).toBeCloseTo(speed, 4));
    expect([...pathSpeed(new Float32Array(3), 60)]).toEqual([0]);
  });

  it("label channels in their order", () => {
    expect(rotationCurves(motion, 0, "ZXY").curves.map((curve) => curve.label)).toEqual(["z", "x", "y"]);
    expect(rotationCurves(motion, 0, "vector").curves.length).toBe(3);
  });

  it("take the file's order where it is known", () => {
    expect(fileOrder(["zyx", "??"], 0)).toBe("ZYX");
    expect(fileOrder(["zyx", "??"], 1)).toBeNull();
    expect(fileOrder(undefined, 0)).toBeNull();
  });

  it("have a range with some room, also when flat or empty", () => {
    const curve = (values: number[]) => ({ label: "", values: Float32Array.from(values) });
    const [low, high] = curveRange([curve([0, 10])], 0, 2);
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(10);
    const flat = curveRange([curve([3, 3])], 0, 2);
    expect(flat[0]).toBeLessThan(3);
    expect(flat[1]).toBeGreaterThan(3);
    expect(curveRange([curve([])], 0, 0)).toEqual([0, 1]);
  });

  it("have round numbers on the axis", () => {
    expect(axisTicks(-7, 13, 4)).toEqual([-5, 0, 5, 10]);
    expect(axisTicks(0.88, 0.93, 3).map((value) => value.toFixed(2))).toEqual(["0.88", "0.90", "0.92"]);
  });
});
