/** Time of the stage and what moves it: scrubbing, stepping, playing, the range. */

import { Clock } from "../player/clock";
import type { Viewer } from "../viewer/viewer";
import type { News } from "./news";

export class Transport {
  readonly clock = new Clock();

  /** @param settled is told when a person has stopped at a frame or set a range. */
  constructor(
    private readonly viewer: Viewer,
    private readonly news: News,
    private readonly settled: () => void,
  ) {}

  seek(frame: number): void {
    this.clock.seek(Math.round(frame));
    this.show();
    this.settled();
  }

  step(count: number): void {
    this.clock.step(count);
    this.show();
    this.settled();
  }

  togglePlaying(): void {
    this.clock.toggle();
    this.show();
    this.settled();
  }

  setSpeed(speed: number): void {
    this.clock.speed = speed;
    this.news.emit("time", this.clock);
  }

  setLoop(loop: boolean): void {
    this.clock.loop = loop;
    this.news.emit("time", this.clock);
  }

  limit(start: number, end: number): void {
    this.clock.limit(start, end);
    this.news.emit("time", this.clock);
    this.news.emit("range", this.clock);
    this.settled();
  }

  /** Called for every animation frame with the seconds since the last. */
  advance(elapsed: number): void {
    if (!this.clock.playing) return;
    this.clock.advance(elapsed);
    this.viewer.pose(this.clock.seconds, elapsed);
    this.news.emit("time", this.clock);
    if (!this.clock.playing) this.settled();
  }

  /** Draws the frame of now. */
  show(): void {
    this.viewer.pose(this.clock.seconds, 0);
    this.news.emit("time", this.clock);
  }
}
