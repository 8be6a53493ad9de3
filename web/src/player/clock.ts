/** Time of the stage: counted in frames of the leading clip, driven by the wall clock. */

export const SPEEDS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4] as const;

export class Clock {
  /** Frames, may lie between two while playing. */
  frame = 0;
  fps = 30;
  /** Number of frames; the last one is `frames - 1`. */
  frames = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** First frame that plays and the frame after the last one. */
  start = 0;
  end = 0;

  get last(): number {
    return Math.max(0, this.frames - 1);
  }

  get seconds(): number {
    return this.frame / this.fps;
  }

  /** The whole frame that is shown. */
  get shown(): number {
    return Math.min(this.last, Math.floor(this.frame + 1e-6));
  }

  /** Takes over the length of another clip; the time in seconds stays where it can. */
  fit(frames: number, fps: number): void {
    const seconds = this.seconds;
    this.fps = fps;
    this.frames = frames;
    this.start = 0;
    this.end = frames;
    this.seek(Math.round(seconds * fps));
  }

  seek(frame: number): void {
    this.frame = Math.max(0, Math.min(this.last, Number.isFinite(frame) ? frame : 0));
  }

  /** A number of whole frames on or back; playing stops. */
  step(count: number): void {
    this.playing = false;
    this.seek(this.shown + count);
  }

  toggle(): void {
    this.playing = !this.playing && this.frames > 1;
    if (!this.playing) this.frame = this.shown;
    else if (this.frame >= this.end - 1 || this.frame < this.start) this.frame = this.start;
  }

  /** Plays only frames from start to before end (at least two of them). */
  limit(start: number, end: number): void {
    const low = Math.max(0, Math.min(this.last - 1, Math.round(Math.min(start, end))));
    this.start = Math.max(0, low);
    this.end = Math.max(this.start + Math.min(2, this.frames), Math.min(this.frames, Math.round(Math.max(start, end))));
  }

  get limited(): boolean {
    return this.start > 0 || this.end < this.frames;
  }

  /** Moves on by wall-clock seconds; at the end of the range it starts again or stops. */
  advance(elapsed: number): void {
    if (!this.playing) return;
    const length = this.end - 1 - this.start;
    let frame = this.frame + elapsed * this.speed * this.fps;
    if (frame > this.end - 1 || frame < this.start) {
      if (this.loop && length > 0) frame = this.start + ((((frame - this.start) % length) + length) % length);
      else {
        frame = this.end - 1;
        this.playing = false;
      }
    }
    this.frame = frame;
  }

  /** The next faster (1) or slower (-1) speed. */
  shiftSpeed(direction: 1 | -1): void {
    const faster = SPEEDS.filter((speed) => (direction > 0 ? speed > this.speed : speed < this.speed));
    const next = direction > 0 ? faster[0] : faster[faster.length - 1];
    if (next !== undefined) this.speed = next;
  }
}
