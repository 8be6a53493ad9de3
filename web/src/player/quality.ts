/** Fewer pixels while a slow machine plays, all of them when it rests. */

const SLOW_SECONDS = 1 / 24;
const PATIENCE = 12;
const LEAST = 0.5;

export class Quality {
  /** Share of the screen's pixels along each side. */
  scale = 1;
  private slow = 0;

  /** Told the time since the last frame; true when the scale has changed. */
  judge(elapsed: number, playing: boolean): boolean {
    if (!playing) {
      this.slow = 0;
      if (this.scale === 1) return false;
      this.scale = 1;
      return true;
    }
    this.slow = elapsed > SLOW_SECONDS ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < PATIENCE || this.scale <= LEAST) return false;
    this.slow = 0;
    this.scale = Math.max(LEAST, 0.75 * this.scale);
    return true;
  }
}
