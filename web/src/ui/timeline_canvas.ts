/** What the time line shows: ruler, tracks and range, drawn on a canvas. */

import type { Track } from "../generated/messages";
import type { Clock } from "../player/clock";
import { formatSeconds, frameToX, ticks, tickStep, type TimeWindow, wholeWindow } from "../player/timeline_maths";
import { h } from "./dom";

/** Height of the ruler, pixels. */
export const RULER = 26;
/** Least and greatest width of the column with the rows' names, pixels; in a narrow window it is the least. */
const NAMES = [92, 190] as const;
const NARROW = 700;
/** Room left and right of a name, pixels. */
const MARGIN = [16, 10] as const;
/** Room right of the last frame, pixels. */
export const PAD = 14;
/** Height of a row, pixels: more of them than fit are scrolled. */
export const TRACK = 20;
/** Room between the ruler and the first row, pixels. */
export const GAP = 8;
const FONT = "11px system-ui, sans-serif";

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
  /** Width of the column with the names, pixels. */
  names: number = NAMES[0];
  /** How far the rows are scrolled, pixels. */
  scroll = 0;
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
    this.context.font = FONT;
    const longest = Math.max(0, ...(this.tracks ?? []).map((track) => this.context.measureText(track.name).width));
    const wanted = width < NARROW ? 0 : Math.ceil(longest) + MARGIN[0] + MARGIN[1];
    this.names = Math.max(NAMES[0], Math.min(NAMES[1], wanted));
    this.width = Math.max(10, width - this.names - PAD);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    return true;
  }

  /** Pixels from the left edge to a frame. */
  x(frame: number): number {
    return this.names + frameToX(this.window, this.width, frame);
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
    c.font = FONT;
    c.textBaseline = "middle";
    if (clock.frames === 0) {
      c.fillStyle = colours.quiet;
      c.fillText("Open a clip to see its frames, contacts and labels.", 16, RULER);
      return;
    }
    this.drawRuler(c, clock, height);
    this.drawTracks(c, height);
    if (!this.tracks || this.tracks.length === 0) {
      c.fillStyle = colours.quiet;
      const text = this.tracks ? "No contacts or labels are known for this clip." : "Looking for contacts and labels…";
      c.fillText(text, this.names + 8, RULER + GAP + TRACK / 2);
    }
    c.clearRect(0, 0, this.names - 1, RULER);
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
    c.moveTo(this.names, RULER + 0.5);
    c.lineTo(this.names + this.width + PAD, RULER + 0.5);
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
      if (offset + c.measureText(seconds).width < this.names + this.width + PAD) c.fillText(seconds, offset, 12);
    }
  }

  /** All rows have the same height; what does not fit is scrolled under the ruler. */
  private drawTracks(c: CanvasRenderingContext2D, height: number): void {
    c.save();
    c.beginPath();
    c.rect(0, RULER + 1, this.names + this.width + PAD, height);
    c.clip();
    this.tracks?.forEach((track, k) => {
      const top = RULER + GAP + k * TRACK - this.scroll;
      if (top > RULER - TRACK && top < height) this.drawTrack(c, track, top);
    });
    c.restore();
  }

  private drawTrack(c: CanvasRenderingContext2D, track: Track, top: number): void {
    const { colours, names } = this;
    const tall = TRACK;
    c.fillStyle = colours.quiet;
    c.fillText(shorten(c, track.name, names - MARGIN[0] - MARGIN[1]), MARGIN[0], top + tall / 2);
    c.save();
    c.beginPath();
    c.rect(names, top, this.width + PAD, tall);
    c.clip();
    c.fillStyle = colours.faint;
    c.fillRect(this.names, top + tall - 2.5, this.width + PAD, 1);
    for (const span of track.spans) {
      const left = this.x(span.start);
      const right = this.x(span.end);
      if (right < this.names || left > this.names + this.width + PAD) continue;
      const colour = track.side === "left" ? colours.left : track.side === "right" ? colours.right : colours.accent;
      c.globalAlpha = isBroad(track, span) ? 0.22 : 0.9;
      c.fillStyle = track.kind === "mark" ? colours.mark : colour;
      c.beginPath();
      c.roundRect(left + 0.5, top + 3, Math.max(2, right - left - 1), tall - 7, 3);
      c.fill();
      c.globalAlpha = 1;
    }
    if (track.kind !== "contact") this.labelSpans(c, track, top);
    c.restore();
  }

  /** After all spans are drawn: a moment within one must not lie over its label. */
  private labelSpans(c: CanvasRenderingContext2D, track: Track, top: number): void {
    for (const span of track.spans) {
      const begin = Math.max(this.x(span.start), this.names) + 6;
      const end = Math.min(this.x(span.end), this.names + this.width + PAD) - 4;
      if (end - begin < 14) continue;
      c.fillStyle = isBroad(track, span) ? this.colours.text : this.colours.raised;
      c.fillText(shorten(c, span.label, end - begin), begin, top + TRACK / 2 - 0.5);
    }
  }

  private drawRange(c: CanvasRenderingContext2D, clock: Clock, height: number): void {
    const left = this.x(clock.start);
    const right = this.x(clock.end - 1);
    c.fillStyle = this.colours.raised;
    c.globalAlpha = 0.7;
    c.fillRect(this.names, RULER + 1, Math.max(0, left - this.names), height);
    c.fillRect(right, RULER + 1, Math.max(0, this.names + this.width + PAD - right), height);
    c.globalAlpha = 1;
    c.fillStyle = this.colours.accent;
    for (const [x, way] of [
      [left, 1],
      [right, -1],
    ] as const) {
      if (x < this.names - 2) continue;
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

/** Long stretches are pale, so that what happens in them is seen. */
function isBroad(track: Track, span: Track["spans"][number]): boolean {
  return span.label === "changed" || track.kind === "label";
}

/** A name as far as it fits, shortened in its middle, as results differ in how their names end; nothing where too little would be left. */
export function shorten(c: Pick<CanvasRenderingContext2D, "measureText">, name: string, room: number): string {
  if (c.measureText(name).width <= room) return name;
  for (let kept = name.length - 1; kept >= 3; kept--) {
    const tail = Math.ceil(kept / 2);
    const text = `${name.slice(0, kept - tail)}…${name.slice(name.length - tail)}`;
    if (c.measureText(text).width <= room) return text;
  }
  return "";
}
