/** Pictures of motions: single frames of an animation, or many poses in one picture. */

import * as THREE from "three";
import type { Motion } from "../motion/decode";
import { Kinematics, pointPath, type Tree } from "../motion/kinematics";
import { carrier, headingOf, placePose } from "../motion/neutral";
import { BodyWriter, type Style } from "./body";
import { CapsuleBatch } from "./capsules";
import { type Axes, cameraAxes, fitPoints, type Stand } from "./fitting";
import type { Outfit } from "./materials";
import { STAGES, type Theme, tintOf } from "./palette";
import { mainLeaves, samplePaths, Traces } from "./traces";
import { VIEWS, type ViewDirection, Viewer } from "./viewer";

export interface PictureOptions {
  readonly width: number;
  readonly height: number;
  readonly view: ViewDirection;
  /** "light", "dark", "transparent" or "#rrggbb". */
  readonly background: string;
  readonly follow: boolean;
  readonly traces: boolean;
  readonly ground: boolean;
  /** A clip without a mesh is shown by its body. */
  readonly style: Style;
}

export const DEFAULT_PICTURE: PictureOptions = {
  width: 1280,
  height: 720,
  view: VIEWS["three-quarter"],
  background: "light",
  follow: true,
  traces: true,
  ground: true,
  style: "mesh",
};

export interface Performer {
  readonly id: number;
  readonly tree: Tree;
  readonly motion: Motion;
  readonly outfit: Outfit | null;
}

const FOV = 24;
const STRIP_FOV = 9; // nearly parallel, so that the poses at the ends look like those in the middle
const POSE_GAP = 0.45; // between poses along a path, in body sizes
const FOLLOW_SECONDS = 0.35; // the camera follows the mean of this long before and after
const ROOM = 0.09; // free room round every point, in body sizes

/** "30,15" or a view's name; null when it is neither. */
export function parseView(text: string): ViewDirection | null {
  const known = VIEWS[text];
  if (known) return known;
  const numbers = text.split(",").map(Number);
  return numbers.length === 2 && numbers.every(Number.isFinite) ? { azimuth: numbers[0], elevation: numbers[1] } : null;
}

export class PictureMaker {
  private readonly viewer: Viewer;
  private readonly extras = new THREE.Group();
  private performers: readonly Performer[] = [];
  private paths: Float32Array[] = [];
  private stand: Stand | null = null;
  private axes: Axes = cameraAxes(VIEWS["three-quarter"], 0);
  private options: PictureOptions = DEFAULT_PICTURE;
  private height = DEFAULT_PICTURE.height;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.viewer = new Viewer(canvas, { preserve: true });
    this.viewer.controls.enabled = false;
    this.viewer.controls.enableDamping = false;
    this.viewer.scene.add(this.extras);
  }

  /** Puts clips on an empty stage. */
  load(performers: readonly Performer[], options: Partial<PictureOptions>): void {
    this.options = { ...DEFAULT_PICTURE, ...options };
    for (const performer of this.performers) this.viewer.remove(performer.id);
    this.extras.clear();
    this.performers = performers;
    const { width, height, background, style } = this.options;
    const theme: Theme = background === "dark" ? "dark" : "light";
    this.height = height;
    this.viewer.resize(width, height, 1);
    this.viewer.configure({ theme, style, follow: false, smooth: true });
    for (const { id, tree, motion, outfit } of performers) {
      this.viewer.add(id, tree, motion);
      if (outfit) this.viewer.wear(id, outfit);
    }
    const colour = background === "light" || background === "dark" ? STAGES[theme].background : background;
    if (background === "transparent") this.viewer.renderer.setClearColor(0, 0);
    else this.viewer.renderer.setClearColor(new THREE.Color(colour), 1);
    this.viewer.ground.group.visible = this.options.ground;
    this.viewer.camera.fov = FOV;
    this.paths = performers.map(({ tree, motion }) => pointPath(tree, motion, carrier(tree)));
    this.axes = cameraAxes(this.options.view, this.direction());
    this.stand = null;
  }

  /** One picture of the animation at a time in seconds. */
  drawFrame(time: number): void {
    const { viewer, options } = this;
    this.stand ??= this.standForAnimation();
    viewer.pose(time, 1e-3);
    const [eye, target] = [new THREE.Vector3(...this.stand.eye), new THREE.Vector3(...this.stand.target)];
    if (options.follow) {
      const shift = this.meanPlace(time);
      eye.add(shift);
      target.add(shift);
    }
    this.look(eye, target, this.stand.distance);
    viewer.invalidate();
    viewer.draw();
  }

  /**
   * Many poses in one picture, which is no higher than they need.
   *
   * @param mode "path" leaves them where they are, "row" sets them side by side, "auto" takes the path when it goes somewhere.
   */
  drawPoses(times: readonly number[], mode: "path" | "row" | "auto"): void {
    const path = mode === "path" || (mode === "auto" && this.goesAcross());
    if (path && this.options.view === VIEWS["three-quarter"])
      this.axes = cameraAxes({ azimuth: 70, elevation: 12 }, this.direction());
    const { options, viewer } = this;
    const stage = STAGES[options.background === "dark" ? "dark" : "light"];
    const everything: number[] = [];
    this.extras.clear();
    this.performers.forEach(({ id, tree, motion }, k) => {
      const actor = viewer.actor(id)!;
      actor.visible = false;
      const body = new Kinematics(tree, motion);
      const writer = new BodyWriter(actor.figure, options.style === "skeleton" ? "skeleton" : "body", body);
      const batch = new CapsuleBatch(writer.count * times.length);
      times.forEach((time, n) => {
        body.pose(time * motion.fps, true);
        if (!path) this.placeInRow(body, n, times.length, actor.figure.size);
        writer.write(batch, n * writer.count, body, -1);
        writer.paint(batch, n * writer.count, tintOf(k), stage, 0);
        for (let i = 0; i < body.points.length; i++) everything.push(body.points[i]);
      });
      batch.count = writer.count * times.length;
      batch.shapesChanged();
      batch.coloursChanged();
      this.extras.add(batch.mesh);
      if (path && options.traces) {
        const traces = new Traces();
        const feet = mainLeaves(tree).filter((leaf) => this.isFoot(tree, leaf));
        traces.show(new Kinematics(tree, motion), actor.figure, feet, tintOf(k), () => undefined);
        this.extras.add(traces.group);
      }
    });
    const size = Math.max(...this.performers.map(({ id }) => viewer.actor(id)!.figure.size));
    const [across, tall] = spanOf(everything, this.axes, ROOM * size);
    this.height = Math.min(options.height, Math.max(64, Math.ceil((options.width * tall) / across)));
    viewer.resize(options.width, this.height, 1);
    viewer.camera.fov = STRIP_FOV;
    const stand = fitPoints(everything, this.axes, STRIP_FOV, options.width / this.height, ROOM * size);
    this.look(new THREE.Vector3(...stand.eye), new THREE.Vector3(...stand.target), stand.distance);
    viewer.invalidate();
    viewer.draw();
  }

  /** RGBA rows from the top. */
  pixels(): Uint8Array {
    const { height } = this;
    const { width } = this.options;
    const gl = this.viewer.renderer.getContext();
    const upside = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, upside);
    const rows = new Uint8Array(upside.length);
    for (let row = 0; row < height; row++)
      rows.set(upside.subarray(4 * width * (height - 1 - row), 4 * width * (height - row)), 4 * width * row);
    return rows;
  }

  png(): Promise<Blob> {
    return new Promise((resolve, reject) =>
      this.canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be encoded"))),
        "image/png",
      ),
    );
  }

  private look(eye: THREE.Vector3, target: THREE.Vector3, distance: number): void {
    const { camera, controls } = this.viewer;
    camera.position.copy(eye);
    controls.target.copy(target);
    camera.near = 0.02 * distance;
    camera.far = 100 * distance;
    camera.lookAt(target);
    camera.updateProjectionMatrix();
  }

  /** Where the leading clip goes; where it faces when it stays. */
  private direction(): number {
    const path = this.paths[0];
    const last = path.length - 3;
    const x = path[last] - path[0];
    const z = path[last + 2] - path[2];
    const { tree, motion, id } = this.performers[0];
    const size = this.viewer.actor(id)!.figure.size;
    if (Math.hypot(x, z) > 0.6 * size) return Math.atan2(x, z);
    const body = new Kinematics(tree, motion);
    body.pose(Math.floor(motion.frames / 2), false);
    return headingOf(body);
  }

  /** Seconds of the poses for a picture: every so many frames, or (0) as many as stand well beside one another. */
  poseTimes(every: number): number[] {
    const { frames, fps } = this.performers[0].motion;
    const room = this.goesAcross() ? this.travel()[0] / (POSE_GAP * this.leadSize) : Math.min(16, 3.4 * (frames / fps));
    const count = Math.max(6, Math.min(40, Math.round(room)));
    const step = every > 0 ? every : Math.max(1, Math.ceil(frames / count));
    return Array.from({ length: Math.ceil(frames / step) }, (_, k) => (k * step) / fps);
  }

  private get leadSize(): number {
    return this.viewer.actor(this.performers[0].id)!.figure.size;
  }

  /** Metres from start to end as the crow flies, and along the way, of the leading clip. */
  private travel(): [number, number] {
    const path = this.paths[0];
    const last = path.length - 3;
    let way = 0;
    for (let i = 3; i < path.length; i += 3) way += Math.hypot(path[i] - path[i - 3], path[i + 2] - path[i - 1]);
    return [Math.hypot(path[last] - path[0], path[last + 2] - path[2]), way];
  }

  private goesAcross(): boolean {
    const [far, way] = this.travel();
    return far > 1.3 * this.leadSize && far > 0.72 * way;
  }

  private isFoot(tree: Tree, leaf: number): boolean {
    const joints = tree.names.length;
    for (let at = leaf < joints ? leaf : tree.endJoints[leaf - joints]; at >= 0; at = tree.parents[at])
      if (at === tree.roles["left_foot"] || at === tree.roles["right_foot"]) return true;
    return false;
  }

  private placeInRow(body: Kinematics, n: number, count: number, size: number): void {
    const at = 3 * carrier(body.tree);
    const offset = (n - (count - 1) / 2) * 0.62 * size;
    placePose(body, 0, body.points[at], body.points[at + 2], offset * this.axes.right[0], offset * this.axes.right[2]);
  }

  /** Points of some frames of all clips; with `follow` as seen from where the camera's centre is then. */
  private standForAnimation(): Stand {
    const everything: number[] = [];
    for (const { id, tree, motion } of this.performers) {
      const actor = this.viewer.actor(id)!;
      const points = Array.from({ length: actor.body.points.length / 3 }, (_, k) => k);
      const step = Math.max(1, Math.ceil(motion.frames / 3000));
      samplePaths(new Kinematics(tree, motion), points, () => undefined).forEach((path) => {
        for (let n = 0; n < path.length / 3; n += Math.max(1, Math.floor(path.length / 600))) {
          const shift = this.options.follow ? this.meanPlace((n * step) / motion.fps) : new THREE.Vector3();
          everything.push(path[3 * n] - shift.x, path[3 * n + 1], path[3 * n + 2] - shift.z);
        }
      });
    }
    const size = Math.max(...this.performers.map(({ id }) => this.viewer.actor(id)!.figure.size));
    return fitPoints(everything, this.axes, FOV, this.options.width / this.options.height, 1.5 * ROOM * size);
  }

  /** Where the clips are on the floor at a time, smoothed. */
  private meanPlace(time: number): THREE.Vector3 {
    const place = new THREE.Vector3();
    let count = 0;
    this.performers.forEach(({ motion }, k) => {
      const from = Math.max(0, Math.round((time - FOLLOW_SECONDS) * motion.fps));
      const to = Math.min(motion.frames - 1, Math.round((time + FOLLOW_SECONDS) * motion.fps));
      for (
        let frame = Math.min(from, motion.frames - 1);
        frame <= Math.max(to, Math.min(from, motion.frames - 1));
        frame++
      ) {
        place.x += this.paths[k][3 * frame];
        place.z += this.paths[k][3 * frame + 2];
        count++;
      }
    });
    return place.divideScalar(Math.max(1, count));
  }
}

/** Metres that points (N, 3) take up across and up the picture, with room round them. */
function spanOf(points: readonly number[], axes: Axes, room: number): [number, number] {
  return [axes.right, axes.up].map((axis) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < points.length; i += 3) {
      const value = axis[0] * points[i] + axis[1] * points[i + 1] + axis[2] * points[i + 2];
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low + 2 * room;
  }) as [number, number];
}
