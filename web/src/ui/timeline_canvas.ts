/** What the time line shows: ruler, tracks and range, drawn on a canvas. */

import type { Track } from "../generated/messages";
import type { Clock } from "../player/clock";
import { formatSeconds, frameToX, ticks, tickStep, type TimeWindow, wholeWindow } from "../player/timeline_maths";
import { h } from "./dom";

/** Height of the ruler, pixels. */
export const RULER = 26;
/** Width of the column with the tracks' names, pixels. */
export const NAMES = 92;
/** Room right of the last frame, pixels. */
export const PAD = 14;
const TRACK = 20;
/** Least height of a row, pixels: where there are many they come closer together. */
const LOWEST = 13;

interface Colours {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly faint: string;
  readonly accent: string;
  readonly left: string;
  readonly right: string;
  readonly raised: string;
  readonly mark: string;
}

export class TimelineCanvas {
  readonly canvas = h("canvas", { "aria-hidden": "true" });
  window: TimeWindow = wholeWindow(2);
  /** Null while they are looked for. */
  tracks: readonly Track[] | null = null;
  /** Pixels between the first and the last frame in sight. */
  width = 10;
  private colours!: Colours;
  private readonly context = this.canvas.getContext("2d")!;

  /** Takes the page's colours of now. */
  readColours(): void {
    const style = getComputedStyle(document.documentElement);
    const read = (name: keyof Colours): string => style.getPropertyValue(`--${name}`).trim();
    this.colours = {
      text: read("text"),
      quiet: read("quiet"),
      line: read("line"),
      faint: read("faint"),
      accent: read("accent"),
      left: read("left"),
      right: read("right"),
      raised: read("raised"),
      mark: read("mark"),
    };
  }

  /** Fits the canvas to its place; false while that is hidden. */
  resize(width: number, height: number): boolean {
    if (width === 0 || height === 0) return false;
    const ratio = devicePixelRatio || 1;
    this.width = Math.max(10, width - NAMES - PAD);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    return true;
  }

  /** Pixels from the left edge to a frame. */
  x(frame: number): number {
    return NAMES + frameToX(this.window, this.width, frame);
  }

  /** Draws everything but the cursor. */
  draw(clock: Clock): void {
    const c = this.context;
    const ratio = devicePixelRatio || 1;
    const width = this.canvas.width / ratio;
    const height = this.canvas.height / ratio;
    const colours = this.colours;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    if (clock.frames === 0) {
      c.fillStyle = colours.quiet;
      c.fillText("Open a clip to see its frames, contacts and labels.", 16, RULER);
      return;
    }
    this.drawRuler(c, clock, height);
    const tall = Math.max(LOWEST, Math.min(TRACK, (height - RULER - 8) / Math.max(1, this.tracks?.length ?? 1)));
    this.tracks?.forEach((track, k) => this.drawTrack(c, track, RULER + 8 + k * tall, tall));
    if (!this.tracks || this.tracks.length === 0) {
      c.fillStyle = colours.quiet;
      const text = this.tracks ? "No contacts or labels are known for this clip." : "Looking for contacts and labels…";
      c.fillText(text, NAMES + 8, RULER + 8 + TRACK / 2);
    }
    c.clearRect(NAMES - 1, 0, -NAMES, RULER);
    if (clock.limited) this.drawRange(c, clock, height);
  }

  private drawRuler(c: CanvasRenderingContext2D, clock: Clock, height: number): void {
    const major = tickStep(this.window, this.width, 76);
    const minor = tickStep(this.window, this.width, 9);
    c.lineWidth = 1;
    c.strokeStyle = this.colours.line;
    c.beginPath();
    for (const frame of ticks(this.window, minor)) {
      const x = Math.round(this.x(frame)) + 0.5;
      c.moveTo(x, RULER - 5);
      c.lineTo(x, RULER);
    }
    c.moveTo(NAMES, RULER + 0.5);
    c.lineTo(NAMES + this.width + PAD, RULER + 0.5);
    c.stroke();
    c.strokeStyle = this.colours.faint;
    c.beginPath();
    for (const frame of ticks(this.window, major)) {
      const x = Math.round(this.x(frame)) + 0.5;
      c.moveTo(x, RULER + 1);
      c.lineTo(x, height);
    }
    c.stroke();
    for (const frame of ticks(this.window, major)) {
      const x = this.x(frame);
      c.fillStyle = this.colours.text;
      const text = String(Math.round(frame));
      c.fillText(text, x + 4, 12);
      c.fillStyle = this.colours.quiet;
      const seconds = `${formatSeconds(frame / clock.fps)} s`;
      const offset = x + 9 + c.measureText(text).width;
      if (offset + c.measureText(seconds).width < NAMES + this.width + PAD) c.fillText(seconds, offset, 12);
    }
  }

  private drawTrack(c: CanvasRenderingContext2D, track: Track, top: number, tall: number): void {
    const { colours } = this;
    c.fillStyle = colours.quiet;
    c.save();
    c.beginPath();
    c.rect(0, top, NAMES - 20, tall);
    c.clip();
    c.fillText(endOf(c, track.name, NAMES - 20), 16, top + tall / 2);
    c.restore();
    c.save();
    c.beginPath();
    c.rect(NAMES, top, this.width + PAD, tall);
    c.clip();
    c.fillStyle = colours.faint;
    c.fillRect(NAMES, top + tall - 2.5, this.width + PAD, 1);
    for (const span of track.spans) {
      const left = this.x(span.start);
      const right = this.x(span.end);
      if (right < NAMES || left > NAMES + this.width + PAD) continue;
      const colour = track.side === "left" ? colours.left : track.side === "right" ? colours.right : colours.accent;
      const broad = span.label === "changed" || track.kind === "label";
      c.globalAlpha = broad ? 0.22 : 0.9;
      c.fillStyle = track.kind === "mark" ? colours.mark : colour;
      c.beginPath();
      c.roundRect(left + 0.5, top + 3, Math.max(2, right - left - 1), tall - 7, 3);
      c.fill();
      c.globalAlpha = 1;
      if (track.kind !== "contact" && right - left > 24) {
        c.save();
        c.beginPath();
        c.rect(left, top, right - left - 4, tall);
        c.clip();
        c.fillStyle = broad ? colours.text : colours.raised;
        c.fillText(span.label, Math.max(left, NAMES) + 6, top + tall / 2 - 0.5);
        c.restore();
      }
    }
    c.restore();
  }

  private drawRange(c: CanvasRenderingContext2D, clock: Clock, height: number): void {
    const left = this.x(clock.start);
    const right = this.x(clock.end - 1);
    c.fillStyle = this.colours.raised;
    c.globalAlpha = 0.7;
    c.fillRect(NAMES, RULER + 1, Math.max(0, left - NAMES), height);
    c.fillRect(right, RULER + 1, Math.max(0, NAMES + this.width + PAD - right), height);
    c.globalAlpha = 1;
    c.fillStyle = this.colours.accent;
    for (const [x, way] of [
      [left, 1],
      [right, -1],
    ] as const) {
      if (x < NAMES - 2) continue;
      c.fillRect(x - 1, RULER - 8, 2, height);
      c.beginPath();
      c.moveTo(x, RULER - 9);
      c.lineTo(x + 8 * way, RULER - 9);
      c.lineTo(x, RULER + 2);
      c.fill();
    }
    c.fillRect(left, RULER - 1, right - left, 2);
  }
}

/** A name as far as it fits; results differ in how their names end. */
function endOf(c: CanvasRenderingContext2D, name: string, room: number): string {
  if (c.measureText(name).width <= room) return name;
  let kept = name;
  while (kept.length > 1 && c.measureText(`…${kept}`).width > room) kept = kept.slice(1);
  return `…${kept}`;
}
