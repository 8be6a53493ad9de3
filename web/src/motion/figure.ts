/**
 * The figure: which parts are drawn around a skeleton and how thick they are.
 *
 * Thicknesses are shares of the body's size, so that a child, a giant and a fox in centimetres all look right. With roles the limbs
 * get the proportions of a slim adult; without them a bone is as thick as its length suggests. The same proportions as
 * `reenact.render.figure`, but the trunk follows the spine.
 */

import { type Kinematics, parentOf, pointCount, type Tree } from "./kinematics";
import { jointSides, MIDDLE } from "./sides";

/** One drawn part between two points. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** Metres at both ends. */
  readonly radii: readonly [number, number];
  readonly side: number;
  /** For the trunk: how far along from hips (0) to shoulders (1) both ends are; null for limbs. */
  readonly trunk: readonly [number, number] | null;
}

export interface Figure {
  /** About the body's height in metres; 1 when there are no bones. */
  readonly size: number;
  readonly parts: readonly Part[];
  /** Side of each point. */
  readonly sides: Uint8Array;
  /** Joints that get a dot. */
  readonly dots: readonly number[];
  /** Right shoulder, left shoulder, right hip, left hip; null when not all are known. */
  readonly flanks: readonly [number, number, number, number] | null;
  /** Joint where the trunk ends below the shoulders; -1 without flanks. */
  readonly trunkTop: number;
  /** Joint the head is drawn on, or -1, and the points its axis runs between. */
  readonly head: number;
  readonly headFrom: number;
  readonly headTo: number;
}

const SPAN = 1.42; // longest way through the bones of an adult, finger tips to toes, in body heights
const SHORTEST = 0.004;
const FINE = new Set(["hand", "toes", "head"]);
const THICKNESS: Record<string, readonly [number, number]> = {
  hips: [0.05, 0.05],
  spine: [0.05, 0.052],
  chest: [0.052, 0.044],
  neck: [0.028, 0.026],
  head: [0.026, 0.022],
  shoulder: [0.03, 0.03],
  upper_arm: [0.031, 0.024],
  lower_arm: [0.024, 0.016],
  hand: [0.017, 0.012],
  upper_leg: [0.047, 0.034],
  lower_leg: [0.034, 0.021],
  foot: [0.022, 0.018],
  toes: [0.018, 0.013],
};
const BRANCH: Record<string, readonly [number, number]> = {
  upper_leg: [0.044, 0.044],
  shoulder: [0.028, 0.03],
  upper_arm: [0.036, 0.031],
};

/** The figure of a skeleton, measured on some frames of its motion. Poses `body`. */
export function buildFigure(body: Kinematics): Figure {
  const { tree } = body;
  const points = pointCount(tree);
  const joints = tree.names.length;
  const lengths = measureBones(body);
  const size = longestWay(tree, lengths) / SPAN || 1;
  const sides = new Uint8Array(points);
  sides.set(jointSides(tree));
  for (let end = joints; end < points; end++) sides[end] = sides[tree.endJoints[end - joints]];
  const flanks = findFlanks(tree);
  const top = flanks ? commonAncestor(tree, flanks[0], flanks[1]) : -1;
  const trunk = flanks ? trunkShares(tree, lengths, top) : new Map<number, number>();
  const [head, headFrom, headTo] = findHead(tree, lengths, size);
  const thickness = boneThickness(tree, lengths, size, sides);
  const hips = new Set([tree.roles["left_upper_leg"], tree.roles["right_upper_leg"]]);
  const parts: Part[] = [];
  const reach = new Float32Array(points);
  for (let end = 1; end < points; end++) {
    const start = parentOf(tree, end);
    const length = lengths[end];
    if (length <= SHORTEST * size) continue;
    if (head >= 0 && headTo !== head && start === head && end >= joints) continue; // the head shows where its end site is
    const a = trunk.get(start);
    const b = trunk.get(end);
    parts.push({
      start,
      end,
      radii: thickness[end],
      side: hips.has(end) ? MIDDLE : sides[start],
      trunk: a !== undefined && b !== undefined ? [a, b] : null,
    });
    reach[start] = Math.max(reach[start], length);
    if (end < joints) reach[end] = Math.max(reach[end], length);
  }
  const branching = new Set(parts.map((part) => part.start));
  const dots = Array.from({ length: joints }, (_, joint) => joint).filter(
    (joint) => branching.has(joint) && reach[joint] > 0.09 * size,
  );
  if (parts.length === 0)
    // a body without extent still shows where it is
    parts.push({ start: 0, end: 0, radii: [0.03 * size, 0.03 * size], side: MIDDLE, trunk: null });
  return { size, parts, sides, dots, flanks, trunkTop: top, head, headFrom, headTo };
}

/** (P) median length of the bone that ends at each point; 0 for lines that carry the body through the world. */
function measureBones(body: Kinematics): Float32Array {
  const { tree, motion } = body;
  const points = pointCount(tree);
  const count = Math.min(motion.frames, 9);
  const samples: number[][] = Array.from({ length: points }, () => []);
  for (let k = 0; k < count; k++) {
    body.pose(Math.round((k * (motion.frames - 1)) / Math.max(1, count - 1)), false);
    for (let point = 1; point < points; point++) {
      const parent = parentOf(tree, point);
      samples[point].push(
        Math.hypot(
          body.points[3 * point] - body.points[3 * parent],
          body.points[3 * point + 1] - body.points[3 * parent + 1],
          body.points[3 * point + 2] - body.points[3 * parent + 2],
        ),
      );
    }
  }
  const lengths = new Float32Array(points);
  const outside = outsideBody(tree);
  for (let point = 1; point < points; point++) {
    samples[point].sort((a, b) => a - b);
    lengths[point] = outside.has(parentOf(tree, point)) ? 0 : samples[point][count >> 1];
  }
  for (let joint = 0; ; ) {
    const children = childrenOf(tree, joint);
    if (children.length !== 1 || tree.endJoints.includes(joint)) break;
    const child = children[0];
    const range = samples[child][count - 1] - samples[child][0];
    if (!(range > 0.25 * samples[child][count >> 1])) break;
    lengths[child] = 0;
    joint = child;
  }
  return lengths;
}

/** Joints above the hips, and branches beside them without any role (handles of a rig). */
function outsideBody(tree: Tree): Set<number> {
  const hips = tree.roles["hips"];
  const outside = new Set<number>();
  if (hips === undefined) return outside;
  const above = new Set<number>();
  for (let joint = tree.parents[hips]; joint >= 0; joint = tree.parents[joint]) above.add(joint);
  const useful = new Set<number>();
  for (const joint of Object.values(tree.roles)) for (let at = joint; at >= 0; at = tree.parents[at]) useful.add(at);
  for (let joint = 0; joint < tree.names.length; joint++) {
    const parent = tree.parents[joint];
    const inside =
      !above.has(joint) && (useful.has(joint) || (parent >= 0 && !outside.has(parent) && !above.has(parent)));
    if (!inside) outside.add(joint);
  }
  return outside;
}

function childrenOf(tree: Tree, joint: number): number[] {
  const found: number[] = [];
  tree.parents.forEach((parent, child) => parent === joint && found.push(child));
  return found;
}

/** The longest way between two points through the tree in metres: the same in every pose. */
function longestWay(tree: Tree, lengths: Float32Array): number {
  const points = pointCount(tree);
  const down = new Float32Array(points);
  let best = 0;
  for (let point = points - 1; point >= 1; point--) {
    const parent = parentOf(tree, point);
    const reach = down[point] + lengths[point];
    best = Math.max(best, down[parent] + reach);
    down[parent] = Math.max(down[parent], reach);
  }
  return best;
}

function findFlanks(tree: Tree): Figure["flanks"] {
  const roles = ["right_upper_arm", "left_upper_arm", "right_upper_leg", "left_upper_leg"];
  const joints = roles.map((role) => tree.roles[role]);
  if (joints.some((joint) => joint === undefined)) return null;
  return joints as [number, number, number, number];
}

function commonAncestor(tree: Tree, a: number, b: number): number {
  const seen = new Set<number>();
  for (let at = a; at >= 0; at = tree.parents[at]) seen.add(at);
  for (let at = b; at >= 0; at = tree.parents[at]) if (seen.has(at)) return at;
  return 0;
}

/** Joints of the spine from the hips to `top`, each with its share of the way. */
function trunkShares(tree: Tree, lengths: Float32Array, top: number): Map<number, number> {
  const hips = tree.roles["hips"] ?? 0;
  const chain: number[] = [];
  for (let at = top; at >= 0; at = tree.parents[at]) {
    chain.unshift(at);
    if (at === hips) break;
  }
  if (chain[0] !== hips || chain.length < 2) return new Map();
  const along = [0];
  for (let k = 1; k < chain.length; k++) along.push(along[k - 1] + lengths[chain[k]]);
  const whole = along[along.length - 1] || 1;
  return new Map(chain.map((joint, k) => [joint, (0.85 * along[k]) / whole]));
}

/** The head's joint, and the points its long axis runs between. */
function findHead(tree: Tree, lengths: Float32Array, size: number): [number, number, number] {
  const head = tree.roles["head"];
  if (head === undefined) return [-1, -1, -1];
  const joints = tree.names.length;
  const tips: number[] = [];
  for (let point = 1; point < pointCount(tree); point++) if (parentOf(tree, point) === head) tips.push(point);
  if (tips.length === 1 && lengths[tips[0]] > 0.03 * size) return [head, head, tips[0]];
  let parent = tree.parents[head];
  let way = lengths[head];
  while (parent > 0 && way < 0.01 * size) {
    way += lengths[parent];
    parent = tree.parents[parent];
  }
  return parent < 0 || joints < 2 ? [-1, -1, -1] : [head, parent, head];
}

/** (P) radii in metres of the bone that ends at each point. */
function boneThickness(
  tree: Tree,
  lengths: Float32Array,
  size: number,
  sides: Uint8Array,
): (readonly [number, number])[] {
  const joints = tree.names.length;
  const points = pointCount(tree);
  const roleOf = new Map(
    Object.entries(tree.roles).map(([role, joint]) => [joint, role.replace(/^(left|right)_/, "")]),
  );
  const part: string[] = new Array<string>(joints).fill("");
  const along = new Float32Array(joints);
  for (let joint = 0; joint < joints; joint++) {
    const parent = tree.parents[joint];
    const role = roleOf.get(joint);
    if (role !== undefined) part[joint] = role;
    else if (parent >= 0) {
      part[joint] = part[parent];
      along[joint] = along[parent] + lengths[joint];
    }
  }
  const total = new Map<string, number>();
  for (let point = 1; point < points; point++) {
    const start = parentOf(tree, point);
    const key = `${part[start]} ${sides[start]}`;
    total.set(key, Math.max(total.get(key) ?? 0, along[start] + lengths[point]));
  }
  const leading = new Set<number>();
  for (const joint of Object.values(tree.roles)) for (let at = joint; at >= 0; at = tree.parents[at]) leading.add(at);
  const spine = limbCarriers(tree, sides);
  const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
  return Array.from({ length: points }, (_, point): readonly [number, number] => {
    if (point === 0) return [0, 0];
    const start = parentOf(tree, point);
    const length = lengths[point] / size;
    const name = part[start];
    if (!name) {
      const inSpine = point < joints && spine.has(point);
      const thick = inSpine ? 0.045 : clamp(0.16 * length + 0.004, 0.007, 0.046);
      return [thick * size, thick * size * (inSpine ? 1 : 0.72)];
    }
    if (["hips", "spine", "chest"].includes(name) && sides[start] === MIDDLE && !leading.has(point)) {
      const thin = clamp(0.12 * length + 0.006, 0.007, 0.026); // a tail, a tie, a breast bone
      return [thin * size, thin * size];
    }
    let [near, far] = THICKNESS[name] ?? [0.03, 0.03];
    if (sides[start] === MIDDLE && point < joints && sides[point] !== MIDDLE) {
      [near, far] = BRANCH[part[point]] ?? [0.036, 0.034];
    } else {
      const whole = total.get(`${name} ${sides[start]}`) || 1;
      const from = Math.min(1, along[start] / whole);
      const to = Math.min(1, (along[start] + lengths[point]) / whole);
      [near, far] = [near + (far - near) * from, near + (far - near) * to];
    }
    if (FINE.has(name)) {
      const thin = 0.25 * length + 0.004;
      [near, far] = [Math.min(near, thin), Math.min(far, thin)];
    }
    return [near * size, far * size];
  });
}

/** Middle joints with sided limbs below them: the spine of a skeleton without roles. */
function limbCarriers(tree: Tree, sides: Uint8Array): Set<number> {
  const below = new Uint8Array(tree.names.length);
  for (let joint = tree.names.length - 1; joint > 0; joint--)
    if (below[joint] || sides[joint] !== MIDDLE) below[tree.parents[joint]] = 1;
  return new Set(Array.from(below.keys()).filter((joint) => below[joint] && sides[joint] === MIDDLE));
}
