/** The floor: a metre grid that fades with distance, and the shadow on it. */

import * as THREE from "three";
import type { StageColours } from "./palette";

const VERTEX = /* glsl */ `
varying vec3 vPlace;
void main() {
  vec4 place = modelMatrix * vec4(position, 1.0);
  vPlace = place.xyz;
  gl_Position = projectionMatrix * viewMatrix * place;
}
`;

const FRAGMENT = /* glsl */ `
uniform vec3 ground;
uniform vec3 line;
uniform vec3 axis;
uniform vec3 focus;
uniform float stepSize;
uniform float reach;
varying vec3 vPlace;
float cover(float value, float width, float blur) { return clamp(width + 0.5 - abs(value) / blur, 0.0, 1.0); }
void main() {
  vec2 blur = max(fwidth(vPlace.xz), vec2(1e-6));
  vec2 cell = vPlace.xz / stepSize;
  vec2 off = (cell - round(cell)) * stepSize;
  vec2 dense = clamp(2.2 - 6.0 * blur / stepSize, 0.0, 1.0);
  float lines = max(cover(off.x, 0.55, blur.x) * dense.x, cover(off.y, 0.55, blur.y) * dense.y);
  float axes = max(cover(vPlace.x, 0.9, blur.x), cover(vPlace.z, 0.9, blur.y));
  float far = length(vPlace.xz - focus.xz) / reach;
  float fade = 1.0 - smoothstep(0.25, 1.0, far);
  vec3 colour = mix(mix(ground, line, lines), axis, axes);
  gl_FragColor = vec4(colour, fade * mix(0.85, 1.0, max(lines, axes)));
  #include <colorspace_fragment>
}
`;

/** Metres between grid lines: 1 for people, a rounded decade for anything much smaller or larger. */
export function gridStep(size: number): number {
  return size >= 0.45 && size <= 6 ? 1 : 10 ** Math.floor(Math.log10(Math.max(size, 1e-6) / 0.45));
}

export class Ground {
  readonly group = new THREE.Group();
  private readonly grid: THREE.ShaderMaterial;
  private readonly shade: THREE.ShadowMaterial;

  constructor() {
    this.grid = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      toneMapped: false,
      uniforms: {
        ground: { value: new THREE.Color() },
        line: { value: new THREE.Color() },
        axis: { value: new THREE.Color() },
        focus: { value: new THREE.Vector3() },
        stepSize: { value: 1 },
        reach: { value: 12 },
      },
    });
    this.shade = new THREE.ShadowMaterial({ transparent: true, depthWrite: false, toneMapped: false });
    const plane = new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    const floor = new THREE.Mesh(plane, this.grid);
    const shadow = new THREE.Mesh(plane, this.shade);
    floor.renderOrder = -2;
    shadow.renderOrder = -1;
    shadow.receiveShadow = true;
    for (const mesh of [floor, shadow]) mesh.frustumCulled = false;
    this.group.add(floor, shadow);
  }

  paint(stage: StageColours, dark: boolean): void {
    this.grid.uniforms["ground"].value.set(stage.ground);
    this.grid.uniforms["line"].value.set(stage.line);
    this.grid.uniforms["axis"].value.set(stage.axis);
    this.shade.color.set(stage.shadow);
    this.shade.opacity = dark ? 0.5 : 0.3;
  }

  /** Lies around a place; `reach` metres from there it is gone. */
  centre(focus: THREE.Vector3, reach: number, step: number): void {
    this.grid.uniforms["focus"].value.copy(focus);
    this.grid.uniforms["reach"].value = reach;
    this.grid.uniforms["stepSize"].value = step;
    this.group.position.set(focus.x, 0, focus.z);
    this.group.scale.set(reach, 1, reach);
  }
}
