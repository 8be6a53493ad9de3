/** The 3-D view: stage, light, camera and the clips on it. Knows nothing of the studio around it; also makes the pictures. */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Motion } from "../motion/decode";
import type { Tree } from "../motion/kinematics";
import { Actor, type StageOptions } from "./actor";
import { fitPoints } from "./fitting";
import { Ground, gridStep } from "./ground";
import type { Outfit } from "./materials";
import { STAGES, type Theme, tintOf } from "./palette";
import { pickJoint } from "./picking";

export type Arrangement = "overlay" | "side";

export interface ViewerOptions extends StageOptions {
  theme: Theme;
  follow: boolean;
  arrangement: Arrangement;
  /** Blend between frames while playing. */
  smooth: boolean;
}

/** A direction to look from, degrees: azimuth 0 in front, 90 at the character's right side; elevation above the horizon. */
export interface ViewDirection {
  readonly azimuth: number;
  readonly elevation: number;
}

export const VIEWS: Record<string, ViewDirection> = {
  "three-quarter": { azimuth: 52, elevation: 14 },
  front: { azimuth: 0, elevation: 8 },
  side: { azimuth: 90, elevation: 7 },
  back: { azimuth: 180, elevation: 8 },
  top: { azimuth: 90, elevation: 89.9 },
};

export const DEFAULT_OPTIONS: ViewerOptions = {
  style: "body",
  lockRoot: false,
  ghosts: false,
  ghostStep: 0,
  paths: false,
  pathChoice: "leaves",
  theme: "light",
  follow: true,
  arrangement: "overlay",
  smooth: true,
};

const SIDE_GAP = 1.4; // metres between clips side by side, for a body of adult size

export class Viewer {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.02, 400);
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  private readonly actors = new Map<number, Actor>();
  private order: number[] = [];
  private options: ViewerOptions = { ...DEFAULT_OPTIONS };
  private selected = -1;
  private lead = -1;
  private readonly key = new THREE.DirectionalLight(0xffffff, 1.9);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x9aa3b2, 1.5);
  private readonly fill = new THREE.DirectionalLight(0xffffff, 0.9);
  private readonly followed = new THREE.Vector3();
  private readonly wanted = new THREE.Vector3();
  private readonly step = new THREE.Vector3();
  private dirty = true;
  private framed = false;
  private lastSize = 1;
  /** Metres of the body that the camera's distance was chosen for. */
  private roomFor = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    settings: { preserve?: boolean; antialias?: boolean } = {},
  ) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: settings.antialias ?? true,
      alpha: true,
      preserveDrawingBuffer: settings.preserve ?? false,
      powerPreference: "high-performance",
    });
    this.renderer.setClearColor(0x000000, 0);
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 3;
    this.scene.add(this.ground.group, this.sky, this.key, this.key.target, this.fill, this.fill.target);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = Math.PI * 0.56;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.camera.position.set(2.6, 1.7, 4.2);
    this.controls.target.set(0, 0.9, 0);
    this.repaint();
  }

  /** Marks the picture as out of date. */
  invalidate(): void {
    this.dirty = true;
  }

  /** The clip whose body the camera follows and whose joint is selected. */
  get leading(): Actor | undefined {
    return this.actors.get(this.lead) ?? this.actors.get(this.order[0]);
  }

  has(id: number): boolean {
    return this.actors.has(id);
  }

  actor(id: number): Actor | undefined {
    return this.actors.get(id);
  }

  add(id: number, tree: Tree, motion: Motion): void {
    this.remove(id);
    const alone = this.order.length === 0;
    const actor = new Actor(tree, motion, tintOf(this.order.length), STAGES[this.options.theme], this.options);
    this.actors.set(id, actor);
    this.order.push(id);
    this.scene.add(actor.group);
    this.arrange();
    // The camera keeps its stand from clip to clip, unless the next body is of another size or nothing would bring it into view.
    const ratio = actor.figure.size / this.lastSize;
    if (!this.framed || (alone && (!this.options.follow || ratio > 1.5 || ratio < 0.67)))
      this.look(VIEWS["three-quarter"]);
    this.framed = true;
    this.lastSize = actor.figure.size;
  }

  wear(id: number, outfit: Outfit): void {
    this.actors.get(id)?.wear(outfit);
    this.makeRoom();
    this.dirty = true;
  }

  /** Steps back, in the same direction, when the leading body has become larger than what the camera was set up for. */
  private makeRoom(): void {
    const extent = this.leading?.extent ?? 0;
    if (this.framed && extent > 1.02 * this.roomFor) this.zoom(extent / this.roomFor);
    this.roomFor = Math.max(this.roomFor, extent);
  }

  remove(id: number): void {
    const actor = this.actors.get(id);
    if (!actor) return;
    this.scene.remove(actor.group);
    actor.dispose();
    this.actors.delete(id);
    this.order = this.order.filter((other) => other !== id);
    this.arrange();
  }

  /** Puts the clips in this order: it decides tints and places side by side. */
  setOrder(ids: readonly number[], lead: number): void {
    const known = ids.filter((id) => this.actors.has(id));
    const changed = known.join() !== this.order.join();
    this.lead = lead;
    this.order = known;
    if (changed) this.repaint();
    this.arrange();
    this.dirty = true;
  }

  setVisible(id: number, visible: boolean): void {
    const actor = this.actors.get(id);
    if (actor) actor.visible = visible;
    this.dirty = true;
  }

  select(joint: number): void {
    this.selected = joint;
    this.arrange();
  }

  configure(options: Partial<ViewerOptions>): void {
    const themed = options.theme !== undefined && options.theme !== this.options.theme;
    this.options = { ...this.options, ...options };
    if (themed) this.repaint();
    this.arrange();
    if (options.style !== undefined) this.makeRoom();
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /** Looks at the leading clip (or at all visible ones) from a direction relative to where it faces. */
  look(view: ViewDirection): void {
    const actor = this.leading;
    if (!actor) return;
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    for (const id of this.order) {
      const other = this.actors.get(id)!;
      if (!other.visible && this.order.length > 1) continue;
      for (let i = 0; i < other.body.points.length; i += 3) box.expandByPoint(point.fromArray(other.body.points, i));
    }
    actor.centre(this.followed);
    const target =
      this.order.length > 1 ? box.getCenter(new THREE.Vector3()).setY(0.52 * actor.extent) : this.followed.clone();
    const size = actor.extent;
    this.roomFor = size;
    const width = Math.max(size, box.max.x - box.min.x, box.max.z - box.min.z);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const distance = Math.max((0.7 * size) / half, (0.62 * width) / half / Math.max(0.5, this.camera.aspect));
    const angle = actor.heading() - (view.azimuth * Math.PI) / 180;
    const rise = (view.elevation * Math.PI) / 180;
    this.controls.target.copy(target);
    this.camera.position.set(
      target.x + distance * Math.cos(rise) * Math.sin(angle),
      target.y + distance * Math.sin(rise),
      target.z + distance * Math.cos(rise) * Math.cos(angle),
    );
    this.camera.near = 0.01 * distance;
    this.camera.far = 200 * distance;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 0.3 * size;
    this.controls.maxDistance = 60 * size;
    this.controls.update();
    this.dirty = true;
  }

  /** Steps back, without turning, until every visible body is in the picture; stays where it is when they are. */
  showAll(): void {
    const shown = this.order.map((id) => this.actors.get(id)!).filter((actor) => actor.visible);
    if (shown.length === 0) return;
    const points = shown.flatMap((actor) => [...actor.body.points]);
    const room = 0.12 * shown[0].figure.size;
    this.camera.updateMatrixWorld();
    const m = this.camera.matrixWorld.elements;
    const axes = { right: [m[0], m[1], m[2]], up: [m[4], m[5], m[6]], back: [m[8], m[9], m[10]] } as const;
    const stand = fitPoints(points, axes, this.camera.fov, this.camera.aspect, room);
    const seen = new THREE.Vector3();
    let inside = true;
    for (let i = 0; i < points.length && inside; i += 3) {
      seen.fromArray(points, i).project(this.camera);
      inside = Math.max(Math.abs(seen.x), Math.abs(seen.y)) < 0.94 && seen.z < 1;
    }
    if (inside) return;
    this.controls.target.fromArray(stand.target);
    this.camera.position.fromArray(stand.eye);
    this.camera.far = Math.max(this.camera.far, 20 * stand.distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  /** Turns the camera round its target, radians. */
  orbit(turn: number, rise: number): void {
    const offset = this.step.copy(this.camera.position).sub(this.controls.target);
    const sphere = new THREE.Spherical().setFromVector3(offset);
    sphere.theta -= turn;
    sphere.phi = Math.max(0.02, Math.min(this.controls.maxPolarAngle, sphere.phi - rise));
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(sphere));
    this.controls.update();
    this.dirty = true;
  }

  /** Moves nearer (factor below 1) or farther. */
  zoom(factor: number): void {
    this.step.copy(this.camera.position).sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(this.step);
    this.controls.update();
    this.dirty = true;
  }

  /** Moves the target up or down, in shares of the body's size. */
  raise(share: number): void {
    const rise = share * (this.leading?.figure.size ?? 1.7);
    this.controls.target.y += rise;
    this.camera.position.y += rise;
    this.controls.update();
    this.dirty = true;
  }

  /** The camera as numbers, to keep it over a reload. */
  get stance(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()].map(
      (value) => Math.round(value * 1e3) / 1e3,
    );
  }

  set stance(numbers: readonly number[]) {
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.camera.position.fromArray(numbers, 0);
    this.controls.target.fromArray(numbers, 3);
    const actor = this.leading;
    actor?.centre(this.followed);
    // A stance kept from another clip may look past this one.
    const lost = actor !== undefined && this.followed.distanceTo(this.controls.target) > 4 * actor.figure.size;
    if (lost) this.look(VIEWS["three-quarter"]);
    this.framed = true;
    this.controls.update();
    this.dirty = true;
  }

  /** Where a joint of a clip is: metres on the stage, pixels from the canvas' top left corner; null when there is no such joint. */
  locate(id: number, joint: number): { world: number[]; pixels: number[] } | null {
    const actor = this.actors.get(id);
    if (!actor || joint < 0 || joint >= actor.motion.joints) return null;
    const world = [...actor.body.points.subarray(3 * joint, 3 * joint + 3)];
    const size = this.renderer.getSize(new THREE.Vector2());
    this.camera.updateMatrixWorld();
    const seen = new THREE.Vector3().fromArray(world).project(this.camera);
    return { world, pixels: [(0.5 + 0.5 * seen.x) * size.x, (0.5 - 0.5 * seen.y) * size.y] };
  }

  /** The joint under a place on the canvas (pixels from its top left corner), and its clip. */
  pick(x: number, y: number): { id: number; joint: number } | null {
    const size = this.renderer.getSize(new THREE.Vector2());
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * x) / size.x - 1, 1 - (2 * y) / size.y), this.camera);
    const slack = (14 * 2 * Math.tan((this.camera.fov * Math.PI) / 360)) / size.y;
    let best: { id: number; joint: number; miss: number } | null = null;
    for (const [id, actor] of this.actors) {
      if (!actor.visible) continue;
      const hit = pickJoint(caster.ray, actor.body.points, actor.motion.joints, actor.figure, slack);
      if (hit && (!best || hit.miss < best.miss)) best = { id, joint: hit.joint, miss: hit.miss };
    }
    return best && { id: best.id, joint: best.joint };
  }

  /**
   * Poses every clip at a time in seconds.
   *
   * @param elapsed wall-clock seconds since the last call while playing, 0 when the time was set by hand.
   */
  pose(time: number, elapsed: number): void {
    const smooth = this.options.smooth && elapsed > 0;
    for (let k = 0; k < this.order.length; k++) {
      const actor = this.actors.get(this.order[k])!;
      if (actor.visible || this.order[k] === this.lead) actor.show(time * actor.motion.fps, smooth);
    }
    const actor = this.leading;
    if (actor && this.options.follow) this.followBody(actor, elapsed);
    this.dirty = true;
  }

  /** Draws when something changed; says whether it did. */
  draw(): boolean {
    if (this.controls.enableDamping) this.controls.update();
    if (!this.dirty) return false;
    this.dirty = false;
    const actor = this.leading;
    const size = actor?.figure.size ?? 1.7;
    const target = this.controls.target;
    const distance = this.camera.position.distanceTo(target);
    this.ground.centre(target, Math.min(60 * size, Math.max(6 * size, 3.2 * distance)), gridStep(size));
    const spread = Math.min(14 * size, Math.max(1.6 * size, 0.75 * distance));
    this.lightAround(target, spread, size);
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  dispose(): void {
    for (const id of [...this.order]) this.remove(id);
    this.controls.dispose();
    this.renderer.dispose();
  }

  /** Lets the key light's shadow cover `spread` metres around a place. */
  lightAround(place: THREE.Vector3, spread: number, size: number): void {
    const shadow = this.key.shadow.camera;
    this.key.target.position.set(place.x, 0, place.z);
    this.key.position.set(place.x + 0.55 * spread + size, 2.4 * spread + 3 * size, place.z + 0.8 * spread + size);
    shadow.left = shadow.bottom = -spread;
    shadow.right = shadow.top = spread;
    shadow.near = 0.1 * size;
    shadow.far = 5 * spread + 8 * size;
    shadow.updateProjectionMatrix();
    // A second, weaker light from over the viewer's shoulder, so that no side of a body is black.
    this.fill.position.copy(this.camera.position).setY(this.camera.position.y + 0.6 * size);
    this.fill.target.position.copy(place);
    this.key.shadow.normalBias = 0.012 * size;
    this.key.shadow.bias = -0.0006;
  }

  private followBody(actor: Actor, elapsed: number): void {
    actor.centre(this.wanted);
    this.step.copy(this.wanted).sub(this.followed);
    const jump = this.step.length() > 0.8 * actor.figure.size;
    // Smoothed while it plays, so that the camera does not sway with every step; at once when scrubbing.
    if (elapsed > 0 && !jump) this.step.multiplyScalar(1 - Math.exp(-elapsed / 0.18));
    this.followed.add(this.step);
    this.camera.position.add(this.step);
    this.controls.target.add(this.step);
  }

  private repaint(): void {
    const stage = STAGES[this.options.theme];
    const dark = this.options.theme === "dark";
    this.ground.paint(stage, dark);
    this.sky.intensity = dark ? 1.1 : 1.5;
    this.sky.groundColor.set(dark ? 0x4a5160 : 0x9aa3b2);
    this.key.intensity = dark ? 1.7 : 1.9;
    this.order.forEach((id, k) => this.actors.get(id)?.dress(tintOf(k), stage));
    this.dirty = true;
  }

  private arrange(): void {
    const size = Math.max(...this.order.map((id) => this.actors.get(id)!.figure.size), 0);
    const gap = SIDE_GAP * Math.max(size / 1.75, 0.05);
    const side = this.options.arrangement === "side" && this.order.length > 1;
    this.order.forEach((id, k) => {
      const selected = id === this.lead || (this.lead < 0 && k === 0) ? this.selected : -1;
      const lane = side ? -gap * (k - (this.order.length - 1) / 2) : null;
      this.actors.get(id)!.arrange(this.options, lane, selected);
    });
    this.dirty = true;
  }
}
