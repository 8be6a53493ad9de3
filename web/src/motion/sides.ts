/** Which joints belong to the left, the right or the middle of a body: by roles, then by names. */

import type { Tree } from "./kinematics";

export const MIDDLE = 0;
export const LEFT = 1;
export const RIGHT = 2;

const LETTER = /^[lLrR](?=[a-zA-Z_.\- :])|(?<=[_.\- :])[lLrR](?=$|[_.\- :\d])|(?<=[a-z])[LR](?=[A-Z_]|$)/g;
const OTHER: Record<string, string> = { l: "r", L: "R", r: "l", R: "L" };

/**
 * (J) of MIDDLE, LEFT, RIGHT. A joint takes the side of its role or name, else of its parent. A word (`LeftArm`) is trusted, a
 * letter (`lfemur`, `Arm.R`) only when the joint of the other side exists too, so that `lowerback` is no left limb.
 */
export function jointSides(tree: Tree): Uint8Array {
  const plain = tree.names.map((name) => name.replace(/\d+/g, ""));
  const known = new Set(plain);
  const roleOf = new Map(Object.entries(tree.roles).map(([role, joint]) => [joint, role]));
  const sides = new Uint8Array(tree.names.length);
  tree.names.forEach((name, joint) => {
    const role = roleOf.get(joint);
    const own = role !== undefined ? sideOfRole(role) : sideOfName(name, plain[joint], known);
    const parent = tree.parents[joint];
    sides[joint] = own || role !== undefined || parent < 0 ? own : sides[parent];
  });
  return sides;
}

function sideOfRole(role: string): number {
  return role.startsWith("left_") ? LEFT : role.startsWith("right_") ? RIGHT : MIDDLE;
}

function sideOfName(name: string, plain: string, known: Set<string>): number {
  const lower = name.toLowerCase();
  const left = lower.includes("left");
  if (left !== lower.includes("right")) return left ? LEFT : RIGHT;
  for (const found of plain.matchAll(LETTER)) {
    const letter = found[0];
    if (known.has(plain.slice(0, found.index) + OTHER[letter] + plain.slice(found.index + 1)))
      return letter.toLowerCase() === "l" ? LEFT : RIGHT;
  }
  return MIDDLE;
}
