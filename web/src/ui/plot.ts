/** A small line plot on a canvas: one group of curves that share an axis, and a cursor that costs no drawing. */

import { type CurveGroup, curveRange } from "../motion/curves";
import { h } from "./dom";

export interface PlotColours {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly series: readonly string[];
}

const LEFT = 44;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 8;

/** Round numbers between two values, about `count` of them. */
export function axisTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((multiple) => multiple * decade).find((size) => size >= rough) ?? rough;
  const found: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step)
    found.push(Math.abs(value) < 1e-9 * step ? 0 : value);
  return found;
}

export class Plot {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly cursor = h("div", { class: "cursor thin" });
  private readonly legend: HTMLElement;
  private readonly readings: HTMLElement[];
  private shown = -1;

  constructor(
    readonly group: CurveGroup,
    private readonly colours: PlotColours,
    seek: (frame: number) => void,
  ) {
    this.readings = group.curves.map(() => h("output", {}));
    this.legend = h(
      "div",
      { class: "plot-legend" },
      h("strong", {}, group.title),
      ...group.curves.map((curve, k) => {
        const mark = h("i", { class: "swatch" });
        mark.style.background = this.colour(k);
        return h("span", { class: "plot-key" }, mark, group.curves.length > 1 && curve.label, this.readings[k]);
      }),
    );
    const area = h("div", { class: "plot-area" }, this.canvas, this.cursor);
    area.addEventListener("pointerdown", (event) => {
      area.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent): void => {
        const box = area.getBoundingClientRect();
        const share = (moved.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
        seek(share * (this.frames - 1));
      };
      move(event);
      area.addEventListener("pointermove", move);
      area.addEventListener("pointerup", () => area.removeEventListener("pointermove", move), { once: true });
    });
    new ResizeObserver(() => this.draw()).observe(area);
    this.element = h("figure", { class: "plot", "aria-label": `${group.title} in ${group.unit}` }, this.legend, area);
  }

  private get frames(): number {
    return this.group.curves[0].values.length;
  }

  private colour(k: number): string {
    return this.colours.series[this.group.curves.length === 1 ? 3 : k % 3];
  }

  /** Moves the cursor and the readings to a frame. */
  show(frame: number): void {
    const width = this.canvas.clientWidth - LEFT - RIGHT;
    const x = LEFT + (frame / Math.max(1, this.frames - 1)) * width;
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    const whole = Math.min(this.frames - 1, Math.floor(frame + 1e-6));
    if (whole === this.shown) return;
    this.shown = whole;
    for (let k = 0; k < this.readings.length; k++) {
      const value = this.group.curves[k].values[whole];
      this.readings[k].textContent =
        `${value.toFixed(this.group.unit === "°" ? 1 : 3)}${this.group.unit === "°" ? "°" : ` ${this.group.unit}`}`;
    }
  }

  private draw(): void {
    const ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width < 20 || height < 20) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const c = this.canvas.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [low, high] = curveRange(this.group.curves, 0, this.frames);
    const y = (value: number): number => TOP + (1 - (value - low) / (high - low)) * (height - TOP - BOTTOM);
    c.font = "10.5px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "right";
    c.strokeStyle = this.colours.line;
    c.fillStyle = this.colours.quiet;
    c.lineWidth = 1;
    for (const value of axisTicks(low, high, Math.max(3, Math.floor(height / 30)))) {
      const at = Math.round(y(value)) + 0.5;
      c.beginPath();
      c.moveTo(LEFT, at);
      c.lineTo(width - RIGHT, at);
      c.stroke();
      c.fillText(String(Number(value.toPrecision(4))), LEFT - 6, at);
    }
    c.lineWidth = 1.4;
    c.lineJoin = "round";
    this.group.curves.forEach((curve, k) => {
      c.strokeStyle = this.colour(k);
      c.beginPath();
      drawSeries(c, curve.values, LEFT, width - LEFT - RIGHT, y);
      c.stroke();
    });
  }
}

/** Draws all values; where several fall on a pixel, its smallest and largest, so that no peak is lost. */
function drawSeries(
  c: CanvasRenderingContext2D,
  values: Float32Array,
  left: number,
  width: number,
  y: (value: number) => number,
): void {
  const count = values.length;
  if (count <= 2 * width) {
    for (let i = 0; i < count; i++) c.lineTo(left + (i / Math.max(1, count - 1)) * width, y(values[i]));
    return;
  }
  for (let column = 0; column < width; column++) {
    const from = Math.floor((column / width) * count);
    const to = Math.max(from + 1, Math.floor(((column + 1) / width) * count));
    let low = values[from];
    let high = low;
    for (let i = from; i < to; i++) {
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i]);
    }
    c.lineTo(left + column, y(low));
    c.lineTo(left + column, y(high));
  }
}
