import { describe, expect, it } from "vitest";
import { isHuman } from "../src/motion/human";
import type { Tree } from "../src/motion/kinematics";

const LIMBS = ["upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand"];
const ROLES = ["hips", "neck", ...["left", "right"].flatMap((side) => LIMBS.map((part) => `${side}_${part}`))];

function treeOf(roles: readonly string[]): Tree {
  return {
    names: roles,
    parents: new Int32Array(roles.length),
    offsets: new Float32Array(3 * roles.length),
    endJoints: new Int32Array(0),
    endOffsets: new Float32Array(0),
    roles: Object.fromEntries(roles.map((role, joint) => [role, joint])),
  };
}

describe("who can be shown as a person", () => {
  it("needs hips, legs, arms and a neck or a head", () => {
    expect(isHuman(treeOf(ROLES))).toBe(true);
    expect(isHuman(treeOf(ROLES.map((role) => (role === "neck" ? "head" : role))))).toBe(true);
    for (const role of ROLES) expect(isHuman(treeOf(ROLES.filter((one) => one !== role)))).toBe(false);
  });
});
