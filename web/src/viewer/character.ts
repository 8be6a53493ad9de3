/** A skinned mesh that follows our own forward kinematics. */

import * as THREE from "three";
import type { CharacterMesh } from "../motion/decode";
import type { Kinematics } from "../motion/kinematics";
import { Wardrobe } from "./materials";

/** The four strongest influences of every vertex, weights summing to one. */
export function strongestFour(
  jointIndices: Uint32Array,
  weights: Float32Array,
  influences: number,
): { joints: Uint16Array; weights: Float32Array } {
  const vertices = influences > 0 ? weights.length / influences : 0;
  const joints = new Uint16Array(4 * vertices);
  const strong = new Float32Array(4 * vertices);
  const order = Array.from({ length: influences }, (_, k) => k);
  for (let vertex = 0; vertex < vertices; vertex++) {
    const at = vertex * influences;
    if (influences > 4) order.sort((a, b) => weights[at + b] - weights[at + a]);
    let sum = 0;
    const kept = Math.min(4, influences);
    for (let k = 0; k < kept; k++) sum += weights[at + order[k]];
    for (let k = 0; k < kept; k++) {
      joints[4 * vertex + k] = jointIndices[at + order[k]];
      strong[4 * vertex + k] = sum > 0 ? weights[at + order[k]] / sum : k === 0 ? 1 : 0;
    }
  }
  return { joints, weights: strong };
}

export class Character {
  readonly mesh: THREE.SkinnedMesh;
  /** Metres from the floor to the top of the mesh in the pose it was measured in. */
  height = 0;
  private readonly bones: THREE.Bone[];
  readonly wardrobe: Wardrobe;

  /** @param pictures its images, decoded; null where one could not be. */
  constructor(data: CharacterMesh, pictures: readonly (ImageBitmap | null)[], colour: number) {
    const geometry = new THREE.BufferGeometry();
    const { joints, weights } = strongestFour(data.jointIndices, data.weights, data.influences);
    geometry.setAttribute("position", new THREE.BufferAttribute(data.positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(data.normals, 3));
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(joints, 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(weights, 4));
    geometry.setIndex(new THREE.BufferAttribute(data.triangles, 1));
    data.uvs.forEach((values, set) =>
      geometry.setAttribute(set === 0 ? "uv" : `uv${set}`, new THREE.BufferAttribute(values, 2)),
    );
    if (data.colours) geometry.setAttribute("color", new THREE.BufferAttribute(data.colours, 4));
    if (data.tangents) geometry.setAttribute("tangent", new THREE.BufferAttribute(data.tangents, 4));
    this.wardrobe = new Wardrobe(data, pictures, colour);
    for (let at = 0; at < data.groups.length; at += 3) {
      const [material, first, count] = data.groups.subarray(at, at + 3);
      geometry.addGroup(3 * first, 3 * count, this.wardrobe.materials.length > 1 ? material : 0);
    }
    this.mesh = new THREE.SkinnedMesh(geometry, this.wardrobe.materials);
    this.bones = Array.from({ length: data.joints }, () => {
      const bone = new THREE.Bone();
      bone.matrixAutoUpdate = false;
      bone.matrixWorldAutoUpdate = false;
      return bone;
    });
    const inverses = this.bones.map((_, joint) => new THREE.Matrix4().fromArray(data.inverseBinds, 16 * joint));
    this.mesh.bindMode = THREE.DetachedBindMode;
    this.mesh.bind(new THREE.Skeleton(this.bones, inverses), new THREE.Matrix4());
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  /** Follows the current pose; the mesh may know fewer joints than the skeleton. */
  follow(body: Kinematics): void {
    const { points, rotations } = body;
    const count = Math.min(this.bones.length, rotations.length / 4);
    for (let joint = 0; joint < count; joint++) {
      const e = this.bones[joint].matrixWorld.elements;
      const w = rotations[4 * joint],
        x = rotations[4 * joint + 1],
        y = rotations[4 * joint + 2],
        z = rotations[4 * joint + 3];
      e[0] = 1 - 2 * (y * y + z * z);
      e[1] = 2 * (x * y + w * z);
      e[2] = 2 * (x * z - w * y);
      e[4] = 2 * (x * y - w * z);
      e[5] = 1 - 2 * (x * x + z * z);
      e[6] = 2 * (y * z + w * x);
      e[8] = 2 * (x * z + w * y);
      e[9] = 2 * (y * z - w * x);
      e[10] = 1 - 2 * (x * x + y * y);
      e[12] = points[3 * joint];
      e[13] = points[3 * joint + 1];
      e[14] = points[3 * joint + 2];
    }
  }

  /** Measures the mesh in the pose it shows now. */
  measure(): void {
    this.mesh.computeBoundingBox();
    const { min, max } = this.mesh.boundingBox!;
    this.height = max.y - Math.min(0, min.y);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.wardrobe.dispose();
    this.mesh.skeleton.dispose();
  }
}
