/** The time line: transport, ruler, tracks, loop range and cursor. */

import { SPEEDS } from "../player/clock";
import { formatSeconds, panWindow, revealFrame, wholeWindow, xToFrame, zoomWindow } from "../player/timeline_maths";
import type { Studio } from "../studio";
import { h, icon, iconButton, refill } from "./dom";
import { GAP, PAD, RULER, TimelineCanvas, TRACK } from "./timeline_canvas";
import { whose } from "./whose";

export class TimelinePane {
  readonly element: HTMLElement;
  private readonly sheet = new TimelineCanvas();
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
  private frames = -1;
  private drawnPlaying: boolean | null = null;
  private pending = false;
  private stale = true;
  private shownFrame = -1;
  private shownStart = -1;
  private shownEnd = -1;
  private readonly cursor = h("div", { class: "cursor" });
  private readonly rows = h("div", {});
  /** The scroll bar of the rows, as far as there are more than fit. */
  private readonly scroller = h("div", { class: "track-scroll", "aria-label": "Rows", role: "region" }, this.rows);
  private readonly owner = h("span", { class: "track-owner" });

  constructor(private readonly studio: Studio) {
    const { clock } = studio;
    this.play = iconButton("play", "Play (space)", () => studio.transport.togglePlaying(), "play");
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
        class: "toggle optional",
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
    this.frameInput = number("Frame", (value) => studio.transport.seek(value));
    this.inInput = number("First frame of the range", (value) => studio.transport.limit(value, clock.end));
    this.outInput = number("Last frame of the range", (value) => studio.transport.limit(clock.start, value + 1));
    const zoomOut = h(
      "button",
      { type: "button", class: "link", title: "Show the whole clip and play all of it", onclick: () => this.showAll() },
      "Whole clip",
    );
    const transport = h(
      "div",
      { class: "transport", role: "group", "aria-label": "Playback" },
      iconButton("first", "First frame (Home)", () => studio.transport.seek(clock.start)),
      iconButton("back", "One frame back (←)", () => studio.transport.step(-1)),
      this.play,
      iconButton("forward", "One frame on (→)", () => studio.transport.step(1)),
      iconButton("last", "Last frame (End)", () => studio.transport.seek(clock.end - 1)),
      this.loop,
      this.speed,
      this.smooth,
      h("span", { class: "divider" }),
      h("label", { class: "field-inline" }, h("span", {}, "Frame"), this.frameInput),
      this.totalText,
      this.timeText,
      h("span", { class: "grow" }),
      this.owner,
      h(
        "span",
        { class: "range-fields" },
        h("label", { class: "field-inline" }, h("span", {}, "Range"), this.inInput),
        h("span", { class: "quiet" }, "to"),
        this.outInput,
        zoomOut,
      ),
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
    this.slider.append(this.sheet.canvas, this.cursor);
    this.scroller.addEventListener("scroll", () => {
      this.sheet.scroll = this.scroller.scrollTop;
      this.stale = true;
      this.redraw();
    });
    this.scroller.addEventListener("keydown", (event) => event.key.startsWith("Arrow") && event.stopPropagation());
    const area = h("div", { class: "track-holder" }, this.slider, this.scroller);
    this.element = h("section", { class: "pane timeline", "aria-label": "Time line" }, transport, area);
    new ResizeObserver(() => this.resize()).observe(this.slider);
    studio.on("time", () => this.update());
    const showTracks = (): void => {
      this.sheet.tracks = studio.cast.tracks;
      refill(this.owner, whose(studio));
      this.stale = true;
      this.resize();
    };
    studio.on("active", showTracks);
    studio.on("open", showTracks);
    studio.on("tracks", showTracks);
    studio.on("preferences", () =>
      requestAnimationFrame(() => (this.sheet.readColours(), (this.stale = true), this.redraw())),
    );
    this.sheet.readColours();
    this.update();
  }

  private update(): void {
    const { clock } = this.studio;
    if (clock.frames !== this.frames) {
      this.frames = clock.frames;
      this.sheet.window = wholeWindow(clock.frames);
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
      if (this.stale) this.sheet.draw(this.studio.clock);
      this.stale = false;
      this.showTexts();
      this.showCursor();
    });
  }

  /** Follows the cursor out of the window while playing. */
  private reveal(): void {
    const { clock } = this.studio;
    const window = revealFrame(this.sheet.window, clock.frames, clock.frame);
    if (window !== this.sheet.window) this.stale = true;
    this.sheet.window = window;
  }

  /** The cursor is an element of its own: moving it costs no drawing. */
  private showCursor(): void {
    const { clock } = this.studio;
    const x = this.sheet.x(clock.playing ? clock.frame : clock.shown);
    const { names, width } = this.sheet;
    this.cursor.hidden = clock.frames === 0 || x < names - 1 || x > names + width + PAD;
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
    if (!this.sheet.resize(this.slider.clientWidth, this.slider.clientHeight)) return;
    const tall = GAP + TRACK * (this.sheet.tracks?.length ?? 0);
    this.rows.style.height = `${tall}px`;
    this.scroller.hidden = tall <= this.slider.clientHeight - RULER;
    this.sheet.scroll = this.scroller.scrollTop;
    this.stale = true;
    this.redraw();
  }

  private showAll(): void {
    this.sheet.window = wholeWindow(this.frames);
    this.stale = true;
    this.studio.transport.limit(0, this.frames);
  }

  private frameAt(event: PointerEvent | WheelEvent): number {
    const box = this.slider.getBoundingClientRect();
    return xToFrame(this.sheet.window, this.sheet.width, event.clientX - box.left - this.sheet.names);
  }

  private press(event: PointerEvent): void {
    const { clock } = this.studio;
    if (event.button !== 0 || clock.frames === 0) return;
    const box = this.slider.getBoundingClientRect();
    const x = event.clientX - box.left;
    if (x < this.sheet.names) return this.dragRows(event);
    const handle = this.handleAt(x, event.clientY - box.top, event.shiftKey);
    const begin = this.frameAt(event);
    if (handle === "scrub") {
      clock.playing = false;
      this.studio.transport.seek(begin);
    }
    this.follow(event, (moved) => {
      const frame = this.frameAt(moved);
      if (handle === "scrub") this.studio.transport.seek(frame);
      else if (handle === "in") this.studio.transport.limit(Math.min(frame, clock.end - 2), clock.end);
      else if (handle === "out") this.studio.transport.limit(clock.start, Math.max(frame, clock.start + 1) + 1);
      else this.studio.transport.limit(begin, frame);
    });
  }

  /** The column of names scrolls the rows, as a finger expects. */
  private dragRows(event: PointerEvent): void {
    const begin = this.scroller.scrollTop + event.clientY;
    this.follow(event, (moved) => (this.scroller.scrollTop = begin - moved.clientY));
  }

  /** Calls `move` until the pointer is let go. */
  private follow(event: PointerEvent, move: (moved: PointerEvent) => void): void {
    this.slider.setPointerCapture(event.pointerId);
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
      if (Math.abs(x - this.sheet.x(clock.start)) < 8) return "in";
      if (Math.abs(x - this.sheet.x(clock.end - 1)) < 8) return "out";
    }
    return "scrub";
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const overNames = event.clientX - this.slider.getBoundingClientRect().left < this.sheet.names;
    if (overNames && !this.scroller.hidden) {
      this.scroller.scrollTop += event.deltaY;
      return;
    }
    const span = this.sheet.window.last - this.sheet.window.first;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.sheet.window = panWindow(this.sheet.window, this.frames, 0.0012 * span * (event.deltaX || event.deltaY));
    else
      this.sheet.window = zoomWindow(
        this.sheet.window,
        this.frames,
        this.frameAt(event),
        Math.exp(0.0016 * event.deltaY),
      );
    this.stale = true;
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    const { studio } = this;
    const big = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => studio.transport.step(-big),
      ArrowDown: () => studio.transport.step(-big),
      ArrowRight: () => studio.transport.step(big),
      ArrowUp: () => studio.transport.step(big),
      PageUp: () => studio.transport.step(Math.round(studio.clock.fps)),
      PageDown: () => studio.transport.step(-Math.round(studio.clock.fps)),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
