/** The time line: transport, ruler, tracks, loop range and cursor. */

import type { Track } from "../generated/messages";
import { SPEEDS } from "../player/clock";
import {
  formatSeconds,
  frameToX,
  panWindow,
  revealFrame,
  ticks,
  tickStep,
  type TimeWindow,
  wholeWindow,
  xToFrame,
  zoomWindow,
} from "../player/timeline_maths";
import type { Studio } from "../studio";
import { h, icon, iconButton, refill } from "./dom";

const RULER = 26;
const TRACK = 20;
const NAMES = 92; // pixels for the names of tracks
const PAD = 14;

interface Theme {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly faint: string;
  readonly accent: string;
  readonly left: string;
  readonly right: string;
  readonly raised: string;
}

export class TimelinePane {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly slider: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly smooth: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly frameInput: HTMLInputElement;
  private readonly inInput: HTMLInputElement;
  private readonly outInput: HTMLInputElement;
  private readonly timeText = h("span", { class: "readout quiet" });
  private readonly totalText = h("span", { class: "quiet" });
  private readonly context = this.canvas.getContext("2d")!;
  private window: TimeWindow = wholeWindow(2);
  private tracks: readonly Track[] = [];
  private colours!: Theme;
  private frames = -1;
  private drawnPlaying: boolean | null = null;
  private pending = false;
  private stale = true;
  private shownFrame = -1;
  private shownStart = -1;
  private shownEnd = -1;
  private readonly cursor = h("div", { class: "cursor" });

  constructor(private readonly studio: Studio) {
    const { clock } = studio;
    this.play = iconButton("play", "Play (space)", () => studio.togglePlaying(), "play");
    this.loop = iconButton("loop", "Loop", () => studio.setLoop(!clock.loop));
    this.speed = h(
      "select",
      { "aria-label": "Speed", class: "compact" },
      ...SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)),
    );
    this.speed.addEventListener("change", () => studio.setSpeed(Number(this.speed.value)));
    this.smooth = h(
      "button",
      {
        type: "button",
        class: "toggle",
        title: "Blend between frames while playing",
        onclick: () => studio.preferView({ smooth: !studio.preferences.view.smooth }),
      },
      "Smooth",
    );
    const number = (label: string, apply: (value: number) => void): HTMLInputElement => {
      const input = h("input", {
        type: "number",
        min: 0,
        step: 1,
        class: "compact number",
        "aria-label": label,
        title: label,
      });
      input.addEventListener("change", () => input.value !== "" && apply(Number(input.value)));
      return input;
    };
    this.frameInput = number("Frame", (value) => studio.seek(value));
    this.inInput = number("First frame of the range", (value) => studio.limit(value, clock.end));
    this.outInput = number("Last frame of the range", (value) => studio.limit(clock.start, value + 1));
    const zoomOut = h(
      "button",
      { type: "button", class: "link", title: "Show the whole clip and play all of it", onclick: () => this.showAll() },
      "Whole clip",
    );
    const transport = h(
      "div",
      { class: "transport", role: "group", "aria-label": "Playback" },
      iconButton("first", "First frame (Home)", () => studio.seek(clock.start)),
      iconButton("back", "One frame back (←)", () => studio.step(-1)),
      this.play,
      iconButton("forward", "One frame on (→)", () => studio.step(1)),
      iconButton("last", "Last frame (End)", () => studio.seek(clock.end - 1)),
      this.loop,
      this.speed,
      this.smooth,
      h("span", { class: "divider" }),
      h("label", { class: "field-inline" }, h("span", {}, "Frame"), this.frameInput),
      this.totalText,
      this.timeText,
      h("span", { class: "grow" }),
      h("label", { class: "field-inline" }, h("span", {}, "Range"), this.inInput),
      h("span", { class: "quiet" }, "to"),
      this.outInput,
      zoomOut,
    );
    this.slider = h("div", {
      class: "track-area",
      role: "slider",
      tabindex: 0,
      "aria-label": "Frame",
      "aria-valuemin": 0,
      onkeydown: (event: KeyboardEvent) => this.key(event),
      onpointerdown: (event: PointerEvent) => this.press(event),
      onwheel: (event: WheelEvent) => this.wheel(event),
    });
    this.slider.append(this.canvas, this.cursor);
    this.element = h("section", { class: "pane timeline", "aria-label": "Time line" }, transport, this.slider);
    new ResizeObserver(() => this.resize()).observe(this.slider);
    studio.on("time", () => this.update());
    studio.on("active", (clip) => {
      this.tracks = clip?.detail?.tracks ?? [];
      this.resize();
    });
    studio.on("preferences", () =>
      requestAnimationFrame(() => (this.readColours(), (this.stale = true), this.redraw())),
    );
    this.readColours();
    this.update();
  }

  private readColours(): void {
    const style = getComputedStyle(document.documentElement);
    const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    this.colours = {
      text: read("text"),
      quiet: read("quiet"),
      line: read("line"),
      faint: read("faint"),
      accent: read("accent"),
      left: read("left"),
      right: read("right"),
      raised: read("raised"),
    };
  }

  private get width(): number {
    return Math.max(10, this.slider.clientWidth - NAMES - PAD);
  }

  private update(): void {
    const { clock } = this.studio;
    if (clock.frames !== this.frames) {
      this.frames = clock.frames;
      this.window = wholeWindow(clock.frames);
      this.stale = true;
      this.shownFrame = -1;
      this.slider.setAttribute("aria-valuemax", String(clock.last));
      this.frameInput.max = this.inInput.max = this.outInput.max = String(clock.last);
    }
    if (clock.start !== this.shownStart || clock.end !== this.shownEnd) this.stale = true;
    if (clock.playing !== this.drawnPlaying) {
      this.drawnPlaying = clock.playing;
      refill(this.play, icon(clock.playing ? "pause" : "play", 18));
      this.play.setAttribute("aria-label", clock.playing ? "Pause (space)" : "Play (space)");
    }
    this.loop.setAttribute("aria-pressed", String(clock.loop));
    this.smooth.setAttribute("aria-pressed", String(this.studio.preferences.view.smooth));
    const speed = String(clock.speed);
    if (this.speed.value !== speed) this.speed.value = speed;
    this.redraw();
  }

  /** Text and canvas once per animation frame, however often the time changes. */
  private redraw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.studio.clock.playing) this.reveal();
      if (this.stale) this.draw();
      this.stale = false;
      this.showTexts();
      this.showCursor();
    });
  }

  /** Follows the cursor out of the window while playing. */
  private reveal(): void {
    const { clock } = this.studio;
    const window = revealFrame(this.window, clock.frames, clock.frame);
    if (window !== this.window) this.stale = true;
    this.window = window;
  }

  /** The cursor is an element of its own: moving it costs no drawing. */
  private showCursor(): void {
    const { clock } = this.studio;
    const x = this.x(clock.playing ? clock.frame : clock.shown);
    this.cursor.hidden = clock.frames === 0 || x < NAMES - 1 || x > NAMES + this.width + PAD;
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  private showTexts(): void {
    const { clock } = this.studio;
    if (clock.shown === this.shownFrame && clock.start === this.shownStart && clock.end === this.shownEnd) return;
    this.shownFrame = clock.shown;
    this.shownStart = clock.start;
    this.shownEnd = clock.end;
    const frame = String(clock.shown);
    if (document.activeElement !== this.frameInput && this.frameInput.value !== frame) this.frameInput.value = frame;
    if (document.activeElement !== this.inInput) this.inInput.value = String(clock.start);
    if (document.activeElement !== this.outInput) this.outInput.value = String(Math.max(0, clock.end - 1));
    this.totalText.textContent = `of ${clock.last}`;
    const time = `${formatSeconds(clock.shown / clock.fps)} / ${formatSeconds(clock.last / clock.fps)} s`;
    if (this.timeText.textContent !== time) this.timeText.textContent = time;
    this.slider.setAttribute("aria-valuenow", frame);
    this.slider.setAttribute(
      "aria-valuetext",
      `frame ${frame} of ${clock.last}, ${formatSeconds(clock.shown / clock.fps)} seconds`,
    );
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    const width = this.slider.clientWidth;
    const height = this.slider.clientHeight;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.stale = true;
    this.redraw();
  }

  private showAll(): void {
    this.window = wholeWindow(this.frames);
    this.stale = true;
    this.studio.limit(0, this.frames);
  }

  private x(frame: number): number {
    return NAMES + frameToX(this.window, this.width, frame);
  }

  private draw(): void {
    const { clock } = this.studio;
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
    this.drawRuler(c, height);
    this.tracks.forEach((track, k) => this.drawTrack(c, track, RULER + 8 + k * TRACK));
    if (this.tracks.length === 0) {
      c.fillStyle = colours.quiet;
      c.fillText("No contacts or labels are known for this clip.", NAMES + 8, RULER + 8 + TRACK / 2);
    }
    c.clearRect(NAMES - 1, 0, -NAMES, RULER);
    if (clock.limited) this.drawRange(c, height);
  }

  private drawRuler(c: CanvasRenderingContext2D, height: number): void {
    const { clock } = this.studio;
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

  private drawTrack(c: CanvasRenderingContext2D, track: Track, top: number): void {
    const { colours } = this;
    c.fillStyle = colours.quiet;
    c.save();
    c.beginPath();
    c.rect(0, top, NAMES - 8, TRACK);
    c.clip();
    c.fillText(track.name, 16, top + TRACK / 2);
    c.restore();
    c.save();
    c.beginPath();
    c.rect(NAMES, top, this.width + PAD, TRACK);
    c.clip();
    c.fillStyle = colours.faint;
    c.fillRect(NAMES, top + TRACK - 2.5, this.width + PAD, 1);
    for (const span of track.spans) {
      const left = this.x(span.start);
      const right = this.x(span.end);
      if (right < NAMES || left > NAMES + this.width + PAD) continue;
      const colour = track.side === "left" ? colours.left : track.side === "right" ? colours.right : colours.accent;
      c.globalAlpha = track.kind === "label" ? 0.22 : 0.9;
      c.fillStyle = colour;
      c.beginPath();
      c.roundRect(left + 0.5, top + 3, Math.max(2, right - left - 1), TRACK - 7, 3);
      c.fill();
      c.globalAlpha = 1;
      if (track.kind === "label" && right - left > 24) {
        c.save();
        c.beginPath();
        c.rect(left, top, right - left - 4, TRACK);
        c.clip();
        c.fillStyle = colours.text;
        c.fillText(span.label, Math.max(left, NAMES) + 6, top + TRACK / 2 - 0.5);
        c.restore();
      }
    }
    c.restore();
  }

  private drawRange(c: CanvasRenderingContext2D, height: number): void {
    const { clock } = this.studio;
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

  private frameAt(event: PointerEvent | WheelEvent): number {
    const box = this.slider.getBoundingClientRect();
    return xToFrame(this.window, this.width, event.clientX - box.left - NAMES);
  }

  private press(event: PointerEvent): void {
    const { clock } = this.studio;
    if (event.button !== 0 || clock.frames === 0) return;
    const box = this.slider.getBoundingClientRect();
    const x = event.clientX - box.left;
    const handle = this.handleAt(x, event.clientY - box.top, event.shiftKey);
    const begin = this.frameAt(event);
    if (handle === "scrub") {
      clock.playing = false;
      this.studio.seek(begin);
    }
    this.slider.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => {
      const frame = this.frameAt(moved);
      if (handle === "scrub") this.studio.seek(frame);
      else if (handle === "in") this.studio.limit(Math.min(frame, clock.end - 2), clock.end);
      else if (handle === "out") this.studio.limit(clock.start, Math.max(frame, clock.start + 1) + 1);
      else this.studio.limit(begin, frame);
    };
    this.slider.addEventListener("pointermove", move);
    const stop = (): void => this.slider.removeEventListener("pointermove", move);
    this.slider.addEventListener("pointerup", stop, { once: true });
    this.slider.addEventListener("pointercancel", stop, { once: true });
  }

  /** What a press means: a handle of the range, a new range (shift), or scrubbing. */
  private handleAt(x: number, y: number, shift: boolean): "in" | "out" | "new" | "scrub" {
    const { clock } = this.studio;
    if (shift) return "new";
    if (clock.limited && y > RULER - 12 && y < RULER + 8) {
      if (Math.abs(x - this.x(clock.start)) < 8) return "in";
      if (Math.abs(x - this.x(clock.end - 1)) < 8) return "out";
    }
    return "scrub";
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const span = this.window.last - this.window.first;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.window = panWindow(this.window, this.frames, 0.0012 * span * (event.deltaX || event.deltaY));
    else this.window = zoomWindow(this.window, this.frames, this.frameAt(event), Math.exp(0.0016 * event.deltaY));
    this.stale = true;
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    const { studio } = this;
    const big = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => studio.step(-big),
      ArrowDown: () => studio.step(-big),
      ArrowRight: () => studio.step(big),
      ArrowUp: () => studio.step(big),
      PageUp: () => studio.step(Math.round(studio.clock.fps)),
      PageDown: () => studio.step(-Math.round(studio.clock.fps)),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
