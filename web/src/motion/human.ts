/** Whether a person can be shown in place of a clip's bones. */

import type { Tree } from "./kinematics";

const LIMBS = ["upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand"];
const NEEDED = ["hips", ...["left", "right"].flatMap((side) => LIMBS.map((part) => `${side}_${part}`))];

/** The joints that a person is made around are known: those that the server asks for, too. */
export function isHuman(tree: Tree): boolean {
  return NEEDED.every((role) => role in tree.roles) && ("neck" in tree.roles || "head" in tree.roles);
}
