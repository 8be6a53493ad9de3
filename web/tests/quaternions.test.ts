import { describe, expect, it } from "vitest";
import { blend, EULER_ORDERS, followEuler, multiply, rotateAdd, toEuler, toRotationVector } from "../src/motion/quaternions";
import { eulerSamples } from "./samples";

const about = (axis: number, degrees: number): Float32Array => {
  const half = (degrees * Math.PI) / 360;
  const q = new Float32Array([Math.cos(half), 0, 0, 0]);
  q[1 + axis] = Math.sin(half);
  return q;
};

describe("Euler angles", () => {
  it.each(EULER_ORDERS)("are Python's in the order %s", (order) => {
    const out = new Float32Array(3);
    for (const { quaternion, degrees } of eulerSamples) {
      toEuler(out, 0, Float32Array.from(quaternion), 0, order);
      degrees[order].forEach((angle, k) =>
        expect(Math.cos(((out[k] - angle) * Math.PI) / 180)).toBeGreaterThan(1 - 1e-6),
      );
    }
  });

  it.each(EULER_ORDERS)("make the same rotation at gimbal lock in the order %s", (order) => {
    const axes = [...order].map((letter) => "XYZ".indexOf(letter));
    const compose = (angles: ArrayLike<number>): Float32Array => {
      const q = new Float32Array([1, 0, 0, 0]);
      axes.forEach((axis, k) => multiply(q, 0, q, 0, about(axis, angles[k]), 0));
      return q;
    };
    for (const middle of [90, -90]) {
      const q = compose([25, middle, 40]);
      const out = new Float32Array(3);
      toEuler(out, 0, q, 0, order);
      const again = compose(out);
      const dot = q.reduce((sum, value, k) => sum + value * again[k], 0);
      expect(Math.abs(dot)).toBeGreaterThan(1 - 1e-4);
    }
  });
});

describe("quaternions", () => {
  it("rotate vectors", () => {
    const out = new Float32Array(3);
    rotateAdd(out, 0, new Float32Array([1, 1, 1]), 0, about(1, 90), 0, [0, 0, 1], 0);
    expect([...out].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([2, 1, 1]);
  });

  it("blend the short way round", () => {
    const out = new Float32Array(4);
    const far = about(0, 80).map((value) => -value);
    blend(out, 0, about(0, 0), 0, far, 0, 0.5);
    toRotationVector(out, 0, out.slice(), 0);
    expect(out[0]).toBeCloseTo(40, 3);
  });

  it("become rotation vectors below half a turn", () => {
    const out = new Float32Array(3);
    toRotationVector(out, 0, about(2, 270), 0);
    expect(out[2]).toBeCloseTo(-90, 3);
    toRotationVector(out, 0, new Float32Array([1, 0, 0, 0]), 0);
    expect([...out]).toEqual([0, 0, 0]);
  });

  it("lose jumps of whole turns", () => {
    const angles = new Float32Array([170, 0, 0, -175, 5, 1, -100, 10, 2]);
    followEuler(angles);
    expect([...angles]).toEqual([170, 0, 0, 185, 5, 1, 260, 10, 2]);
  });

  it("bend beyond a right angle and back without a jump", () => {
    const bends = Array.from({ length: 61 }, (_, k) => 140 * Math.sin((k * Math.PI) / 60));
    const angles = new Float32Array(3 * bends.length);
    const turned = new Float32Array(4);
    bends.forEach((bend, k) => {
      multiply(turned, 0, about(2, 10), 0, about(0, bend), 0);
      toEuler(angles, 3 * k, turned, 0, "ZXY");
    });
    followEuler(angles);
    bends.forEach((bend, k) => {
      expect(angles[3 * k]).toBeCloseTo(10, 1);
      expect(angles[3 * k + 1]).toBeCloseTo(bend, 1);
      expect(angles[3 * k + 2]).toBeCloseTo(0, 1);
    });
  });
});
