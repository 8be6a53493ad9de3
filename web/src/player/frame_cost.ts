/** How long frames take, over a sliding window; adding one allocates nothing. */

export class FrameCost {
  private readonly samples: Float64Array;
  private count = 0;
  private sum = 0;

  constructor(capacity = 240) {
    this.samples = new Float64Array(capacity);
  }

  add(milliseconds: number): void {
    const at = this.count % this.samples.length;
    this.sum += milliseconds - this.samples[at];
    this.samples[at] = milliseconds;
    this.count++;
  }

  /** Mean of the samples in the window; 0 before the first. */
  get mean(): number {
    return this.count === 0 ? 0 : this.sum / Math.min(this.count, this.samples.length);
  }
}
