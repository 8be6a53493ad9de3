/**
 * Many tapered capsules in one draw call.
 *
 * Every instance carries the two ends of a part, their radii and how much wider than round it is (the trunk); the vertex shader
 * stretches one unit capsule between them, so that a pose costs fourteen floats a part and no matrices.
 */

import * as THREE from "three";

/** Floats per instance in `shape`: start xyz r, end xyz r, wide start xyz, wide end xyz. */
export const SHAPE = 14;

const PLACE = /* glsl */ `
attribute vec4 capStart;
attribute vec4 capEnd;
attribute vec3 wideStart;
attribute vec3 wideEnd;
attribute vec4 capColour;
attribute float along;
varying vec3 vCapColour;
void placeCapsule(out vec3 place, out vec3 facing) {
  vec3 line = capEnd.xyz - capStart.xyz;
  float reach = length(line);
  vec3 y = reach > 1e-6 ? line / reach : vec3(0.0, 1.0, 0.0);
  vec3 wide = mix(wideStart, wideEnd, along);
  wide -= y * dot(wide, y);
  float extra = length(wide);
  vec3 x = extra > 1e-6 ? wide / extra
    : normalize(abs(y.y) < 0.9 ? cross(y, vec3(0.0, 1.0, 0.0)) : cross(y, vec3(1.0, 0.0, 0.0)));
  vec3 z = cross(x, y);
  float r = mix(capStart.w, capEnd.w, along);
  float across = r + extra;
  place = mix(capStart.xyz, capEnd.xyz, along) + x * position.x * across + (y * position.y + z * position.z) * r;
  facing = normalize(x * position.x / max(across, 1e-6) + (y * position.y + z * position.z) / max(r, 1e-6));
}
`;

/** A unit capsule: positions are the unit normals, `along` says which end a vertex belongs to. */
function unitCapsule(rings: number, segments: number): THREE.InstancedBufferGeometry {
  const normals: number[] = [];
  const along: number[] = [];
  const index: number[] = [];
  const rows = 2 * rings + 2;
  for (let row = 0; row < rows; row++) {
    const far = row > rings;
    const angle = ((far ? row - 1 : row) / (2 * rings)) * Math.PI - Math.PI / 2;
    for (let k = 0; k <= segments; k++) {
      const turn = (k / segments) * 2 * Math.PI;
      normals.push(Math.cos(angle) * Math.sin(turn), Math.sin(angle), Math.cos(angle) * Math.cos(turn));
      along.push(far ? 1 : 0);
    }
  }
  const stride = segments + 1;
  for (let row = 0; row + 1 < rows; row++)
    for (let k = 0; k < segments; k++) {
      const a = row * stride + k;
      index.push(a, a + 1, a + stride, a + 1, a + stride + 1, a + stride);
    }
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setAttribute("along", new THREE.Float32BufferAttribute(along, 1));
  geometry.setIndex(index);
  return geometry;
}

function stretchVertices(shader: { vertexShader: string }): void {
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", `#include <common>\n${PLACE}`)
    .replace("#include <beginnormal_vertex>", "vec3 capPlace; vec3 objectNormal; placeCapsule(capPlace, objectNormal);")
    .replace("#include <begin_vertex>", "vec3 transformed = capPlace; vCapColour = capColour.rgb;")
    // A lifted part keeps its place on the screen but comes nearer in depth: joint dots show through the limb around them.
    .replace(
      "#include <project_vertex>",
      "#include <project_vertex>\nif (capColour.a > 0.0) {\n  vec4 lifted = mvPosition; lifted.xyz *= max(0.0, 1.0 - capColour.a / length(mvPosition.xyz));\n  vec4 near = projectionMatrix * lifted; gl_Position.z = near.z / near.w * gl_Position.w;\n}",
    );
}

/** Instances that share a material. `shape` is rewritten for every pose, `colour` (rgb and lift) seldom. */
export class CapsuleBatch {
  readonly mesh: THREE.Mesh;
  readonly shape: Float32Array;
  readonly colour: Float32Array;
  private readonly shapeBuffer: THREE.InstancedInterleavedBuffer;
  private readonly colourBuffer: THREE.InstancedBufferAttribute;
  private readonly geometry: THREE.InstancedBufferGeometry;
  private readonly material: THREE.MeshStandardMaterial;
  private readonly depth: THREE.MeshDepthMaterial;

  constructor(capacity: number, fine = true) {
    this.geometry = fine ? unitCapsule(7, 20) : unitCapsule(3, 10);
    this.shape = new Float32Array(SHAPE * capacity);
    this.colour = new Float32Array(4 * capacity);
    this.shapeBuffer = new THREE.InstancedInterleavedBuffer(this.shape, SHAPE, 1);
    this.shapeBuffer.setUsage(THREE.DynamicDrawUsage);
    this.colourBuffer = new THREE.InstancedBufferAttribute(this.colour, 4);
    const attribute = (size: number, offset: number): THREE.InterleavedBufferAttribute =>
      new THREE.InterleavedBufferAttribute(this.shapeBuffer, size, offset);
    this.geometry.setAttribute("capStart", attribute(4, 0));
    this.geometry.setAttribute("capEnd", attribute(4, 4));
    this.geometry.setAttribute("wideStart", attribute(3, 8));
    this.geometry.setAttribute("wideEnd", attribute(3, 11));
    this.geometry.setAttribute("capColour", this.colourBuffer);
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    this.material.onBeforeCompile = (shader) => {
      stretchVertices(shader);
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vCapColour;")
        .replace("#include <color_fragment>", "diffuseColor.rgb = vCapColour;");
    };
    this.depth = new THREE.MeshDepthMaterial();
    this.depth.onBeforeCompile = (shader) => {
      stretchVertices(shader);
      // The depth shader computes normals only where it displaces vertices, so the place is asked for on its own here.
      shader.vertexShader = shader.vertexShader.replace(
        "vec3 transformed = capPlace;",
        "vec3 capSpot; vec3 capFacing; placeCapsule(capSpot, capFacing); vec3 transformed = capSpot;",
      );
    };
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.customDepthMaterial = this.depth;
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
    this.count = 0;
  }

  get count(): number {
    return this.geometry.instanceCount;
  }

  set count(value: number) {
    this.geometry.instanceCount = value;
    this.mesh.visible = value > 0;
  }

  /** Writes one part; `points` are flat xyz. */
  place(i: number, points: Float32Array, start: number, end: number, startRadius: number, endRadius: number): void {
    const at = SHAPE * i;
    const { shape } = this;
    shape[at] = points[3 * start];
    shape[at + 1] = points[3 * start + 1];
    shape[at + 2] = points[3 * start + 2];
    shape[at + 3] = startRadius;
    shape[at + 4] = points[3 * end];
    shape[at + 5] = points[3 * end + 1];
    shape[at + 6] = points[3 * end + 2];
    shape[at + 7] = endRadius;
    shape.fill(0, at + 8, at + SHAPE);
  }

  /** Writes a colour (linear rgb) and how far the part is lifted towards the eye, in metres. */
  paint(i: number, colour: THREE.Color, lift = 0): void {
    this.colour[4 * i] = colour.r;
    this.colour[4 * i + 1] = colour.g;
    this.colour[4 * i + 2] = colour.b;
    this.colour[4 * i + 3] = lift;
  }

  shapesChanged(): void {
    this.shapeBuffer.needsUpdate = true;
  }

  coloursChanged(): void {
    this.colourBuffer.needsUpdate = true;
  }

  /** Makes the parts see-through, so that what they stand around stays visible. */
  fade(opacity: number): void {
    this.material.transparent = true;
    this.material.opacity = opacity;
    this.mesh.renderOrder = 1;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.depth.dispose();
  }
}
