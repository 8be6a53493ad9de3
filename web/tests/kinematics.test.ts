import { describe, expect, it } from "vitest";
import { Kinematics, parentOf, pointCount, pointPath } from "../src/motion/kinematics";
import { headingOf, neutralise } from "../src/motion/neutral";
import { recorded } from "./samples";

const largest = (points: Float32Array, expected: readonly (readonly number[])[]): number =>
  Math.max(...expected.flat().map((value, i) => Math.abs(points[i] - value)));

describe.each(["walk", "moving"] as const)("forward kinematics of %s", (name) => {
  const { tree, motion, points, headings } = recorded(name);

  it("places joints and end sites where Python does", () => {
    const body = new Kinematics(tree, motion);
    expect(points[0].length).toBe(pointCount(tree));
    for (let frame = 0; frame < motion.frames; frame++) {
      body.pose(frame);
      expect(largest(body.points, points[frame])).toBeLessThan(3e-5);
    }
  });

  it("finds the same headings as Python", () => {
    const body = new Kinematics(tree, motion);
    headings.forEach((heading, frame) => {
      body.pose(frame);
      expect(Math.cos(headingOf(body) - heading)).toBeGreaterThan(1 - 1e-8);
    });
  });

  it("follows one point over the clip like the whole body", () => {
    for (const point of [0, 5, 9, pointCount(tree) - 1]) {
      const path = pointPath(tree, motion, point);
      for (let frame = 0; frame < motion.frames; frame++)
        for (let axis = 0; axis < 3; axis++) expect(path[3 * frame + axis]).toBeCloseTo(points[frame][point][axis], 4);
    }
  });

  it("keeps bone lengths between frames", () => {
    const body = new Kinematics(tree, motion);
    const length = (point: number): number => {
      const parent = parentOf(tree, point);
      return Math.hypot(...[0, 1, 2].map((axis) => body.points[3 * point + axis] - body.points[3 * parent + axis]));
    };
    body.pose(0);
    const before = length(15);
    body.pose(0.4);
    expect(length(15)).toBeCloseTo(before, 5);
  });
});

describe("poses", () => {
  const { tree, motion, points } = recorded("walk");

  it("holds the ends of the clip", () => {
    const body = new Kinematics(tree, motion);
    body.pose(-3);
    expect(largest(body.points, points[0])).toBeLessThan(3e-5);
    body.pose(99);
    expect(largest(body.points, points[3])).toBeLessThan(3e-5);
  });

  it("takes the frame before when it must not blend", () => {
    const body = new Kinematics(tree, motion);
    body.pose(1.9, false);
    expect(largest(body.points, points[1])).toBeLessThan(3e-5);
  });

  it("stands over the origin facing +Z in the neutral frame", () => {
    const body = new Kinematics(tree, motion);
    for (let frame = 0; frame < motion.frames; frame++) {
      body.pose(frame);
      const height = body.points[1];
      neutralise(body);
      expect(body.points[0]).toBeCloseTo(0, 5);
      expect(body.points[2]).toBeCloseTo(0, 5);
      expect(body.points[1]).toBeCloseTo(height, 6);
      expect(headingOf(body)).toBeCloseTo(0, 4);
    }
  });

  it("refuses a motion of another skeleton", () => {
    expect(() => new Kinematics(tree, { ...motion, joints: 3 })).toThrow(/22 joints, the motion 3/);
  });
});
