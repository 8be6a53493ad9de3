import { describe, expect, it } from "vitest";
import { buildFigure } from "../src/motion/figure";
import { Kinematics, type Tree } from "../src/motion/kinematics";
import { jointSides, LEFT, MIDDLE, RIGHT } from "../src/motion/sides";
import { pickJoint } from "../src/viewer/picking";
import { ghostFrames, leavesOf, mainLeaves } from "../src/viewer/traces";
import { strongestFour } from "../src/viewer/character";
import { recorded } from "./samples";

const named = (names: string[], parents: number[], roles: Record<string, number> = {}): Tree => ({
  names,
  parents: Int32Array.from(parents),
  offsets: new Float32Array(3 * names.length),
  endJoints: new Int32Array(0),
  endOffsets: new Float32Array(0),
  roles,
});

describe("sides", () => {
  it("trust words, and letters only in pairs", () => {
    const tree = named(
      ["root", "lowerback", "lfemur", "rfemur", "Arm.L", "Arm.R", "LeftHand", "finger"],
      [-1, 0, 0, 0, 1, 1, 4, 6],
    );
    expect([...jointSides(tree)]).toEqual([MIDDLE, MIDDLE, LEFT, RIGHT, LEFT, RIGHT, LEFT, LEFT]);
  });

  it("believe roles before names", () => {
    expect([...jointSides(named(["a", "left_thing"], [-1, 0], { right_foot: 1 }))]).toEqual([MIDDLE, RIGHT]);
  });
});

describe("the figure", () => {
  const { tree, motion } = recorded("walk");
  const body = new Kinematics(tree, motion);
  const figure = buildFigure(body);

  it("is as tall as the sample's person", () => {
    expect(figure.size).toBeGreaterThan(1.5);
    expect(figure.size).toBeLessThan(2);
  });

  it("knows the trunk, the head and both sides", () => {
    expect(figure.flanks).toEqual([11, 7, 18, 14]);
    expect(tree.names[figure.trunkTop]).toBe("Spine2");
    expect(tree.names[figure.head]).toBe("Head");
    expect(figure.parts.filter((part) => part.side === LEFT).length).toBe(
      figure.parts.filter((part) => part.side === RIGHT).length,
    );
    expect(figure.parts.every((part) => part.radii[0] > 0 && part.radii[1] > 0)).toBe(true);
  });

  it("shows a body without extent as a dot", () => {
    const point = named(["only"], [-1]);
    const still = {
      ...motion,
      joints: 1,
      frames: 1,
      root: new Float32Array(3),
      rotations: new Float32Array([1, 0, 0, 0]),
    };
    const dot = buildFigure(new Kinematics(point, still));
    expect(dot.size).toBe(1);
    expect(dot.parts.length).toBe(1);
  });

  it("is picked by a ray through a joint, not by one beside it", () => {
    body.pose(0);
    const knee = tree.names.indexOf("LeftLeg");
    const [x, y, z] = body.points.slice(3 * knee, 3 * knee + 3);
    const ray = (dx: number) => ({ origin: { x: x + dx, y, z: z + 4 }, direction: { x: 0, y: 0, z: -1 } });
    expect(pickJoint(ray(0), body.points, motion.joints, figure, 0.004)?.joint).toBe(knee);
    expect(pickJoint(ray(3), body.points, motion.joints, figure, 0.004)).toBeNull();
  });

  it("traces one line a limb", () => {
    expect(leavesOf(tree).length).toBe(tree.endJoints.length);
    const names = mainLeaves(tree).map((leaf) => tree.names[tree.endJoints[leaf - tree.names.length]]);
    expect(names).toContain("LeftHand");
    expect(new Set(names).size).toBe(names.length);
  });

  it("leaves ghosts every n-th frame, never too many", () => {
    expect(ghostFrames(10, 4, 100)).toEqual([0, 4, 8]);
    expect(ghostFrames(72_000, 1, 120).length).toBe(120);
    expect(ghostFrames(1, 0, 10)).toEqual([0]);
  });
});

describe("skins", () => {
  it("keep the four strongest influences, summing to one", () => {
    const { joints, weights } = strongestFour(
      Uint32Array.of(0, 1, 2, 3, 4),
      Float32Array.of(0.1, 0.3, 0.2, 0.05, 0.35),
      5,
    );
    expect([...joints]).toEqual([4, 1, 2, 0]);
    expect(weights.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    expect(weights[0]).toBeCloseTo(0.35 / 0.95, 6);
  });

  it("fill up fewer than four, and give a vertex without weight to its first joint", () => {
    const { joints, weights } = strongestFour(Uint32Array.of(3, 5), Float32Array.of(0, 0), 2);
    expect([...joints]).toEqual([3, 5, 0, 0]);
    expect([...weights]).toEqual([1, 0, 0, 0]);
  });
});
