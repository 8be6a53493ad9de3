/** The time line's arithmetic: which frame is at which pixel, where ticks go, how zooming keeps the place under the pointer. */

export interface TimeWindow {
  /** Frames at the left and right edge. */
  readonly first: number;
  readonly last: number;
}

const FEWEST = 8; // frames that stay visible at the closest zoom

/** The window over a whole clip. */
export function wholeWindow(frames: number): TimeWindow {
  return { first: 0, last: Math.max(1, frames - 1) };
}

export function frameToX(window: TimeWindow, width: number, frame: number): number {
  return ((frame - window.first) / (window.last - window.first)) * width;
}

export function xToFrame(window: TimeWindow, width: number, x: number): number {
  return window.first + (x / Math.max(1, width)) * (window.last - window.first);
}

/** Zooms by a factor (below 1: closer) around a frame, inside a clip of `frames` frames. */
export function zoomWindow(window: TimeWindow, frames: number, around: number, factor: number): TimeWindow {
  const whole = wholeWindow(frames);
  const full = whole.last - whole.first;
  const span = Math.max(Math.min(FEWEST, full), Math.min(full, (window.last - window.first) * factor));
  const share = (around - window.first) / (window.last - window.first);
  return slideInside(around - share * span, span, whole);
}

/** Moves the window by frames. */
export function panWindow(window: TimeWindow, frames: number, by: number): TimeWindow {
  return slideInside(window.first + by, window.last - window.first, wholeWindow(frames));
}

/** Moves the window only as far as needed to show a frame. */
export function revealFrame(window: TimeWindow, frames: number, frame: number): TimeWindow {
  if (frame >= window.first && frame <= window.last) return window;
  const span = window.last - window.first;
  return slideInside(frame < window.first ? frame : frame - 0.1 * span, span, wholeWindow(frames));
}

function slideInside(first: number, span: number, whole: TimeWindow): TimeWindow {
  const low = Math.max(whole.first, Math.min(whole.last - span, first));
  return { first: low, last: low + span };
}

/** A round number of frames between ticks that keeps them at least `room` pixels apart. */
export function tickStep(window: TimeWindow, width: number, room: number): number {
  const least = ((window.last - window.first) / Math.max(1, width)) * room;
  if (least <= 1) return 1;
  const decade = 10 ** Math.floor(Math.log10(least));
  for (const multiple of [1, 2, 5, 10]) if (multiple * decade >= least) return multiple * decade;
  return 10 * decade;
}

/** Frames that get a tick. */
export function ticks(window: TimeWindow, step: number): number[] {
  const found: number[] = [];
  for (let frame = Math.ceil(window.first / step - 1e-9) * step; frame <= window.last + 1e-9; frame += step)
    found.push(frame);
  return found;
}

/** "1:02.45" for 62.45 seconds, "2.45" below a minute. */
export function formatSeconds(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const minutes = Math.floor(hundredths / 6000);
  const rest = ((hundredths - 6000 * minutes) / 100).toFixed(2);
  return minutes > 0 ? `${minutes}:${rest.padStart(5, "0")}` : rest;
}

/** "12 s", "3.4 s" or "10 min 5 s", for lists. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
}
