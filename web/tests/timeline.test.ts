import { describe, expect, it } from "vitest";
import { Clock } from "../src/player/clock";
import { FrameCost } from "../src/player/frame_cost";
import { Quality } from "../src/player/quality";
import {
  formatDuration,
  formatSeconds,
  frameToX,
  panWindow,
  revealFrame,
  ticks,
  tickStep,
  wholeWindow,
  xToFrame,
  zoomWindow,
} from "../src/player/timeline_maths";
import { shorten } from "../src/ui/timeline_canvas";

describe("the window of the time line", () => {
  it("maps frames to pixels and back", () => {
    const window = { first: 100, last: 300 };
    expect(frameToX(window, 800, 200)).toBe(400);
    expect(xToFrame(window, 800, frameToX(window, 800, 137))).toBeCloseTo(137, 9);
  });

  it("zooms around the pointer and stays inside", () => {
    const zoomed = zoomWindow(wholeWindow(1001), 1001, 250, 0.5);
    expect(zoomed).toEqual({ first: 125, last: 625 });
    expect(frameToX(zoomed, 1000, 250)).toBeCloseTo(frameToX(wholeWindow(1001), 1000, 250), 9);
    expect(zoomWindow(zoomed, 1001, 600, 100)).toEqual({ first: 0, last: 1000 });
    const close = zoomWindow(zoomed, 1001, 300, 1e-9);
    expect(close.last - close.first).toBe(8);
    expect(zoomWindow(wholeWindow(3), 3, 1, 0.01)).toEqual({ first: 0, last: 2 });
  });

  it("pans to the ends and no farther", () => {
    expect(panWindow({ first: 10, last: 20 }, 101, -50)).toEqual({ first: 0, last: 10 });
    expect(panWindow({ first: 10, last: 20 }, 101, 500)).toEqual({ first: 90, last: 100 });
  });

  it("moves only when the frame is out of sight", () => {
    const window = { first: 10, last: 20 };
    expect(revealFrame(window, 101, 15)).toBe(window);
    expect(revealFrame(window, 101, 21)).toEqual({ first: 20, last: 30 });
    expect(revealFrame(window, 101, 4)).toEqual({ first: 4, last: 14 });
  });

  it("has round ticks far enough apart", () => {
    expect(tickStep({ first: 0, last: 1000 }, 1000, 76)).toBe(100);
    expect(tickStep({ first: 0, last: 1000 }, 1000, 12)).toBe(20);
    expect(tickStep({ first: 0, last: 10 }, 1000, 76)).toBe(1);
    expect(ticks({ first: 7, last: 42 }, 10)).toEqual([10, 20, 30, 40]);
  });

  it("writes times for people", () => {
    expect(formatSeconds(2.345)).toBe("2.35");
    expect(formatSeconds(62.451)).toBe("1:02.45");
    expect(formatSeconds(59.999)).toBe("1:00.00");
    expect([formatDuration(3.44), formatDuration(12.4), formatDuration(600), formatDuration(605)]).toEqual([
      "3.4 s",
      "12 s",
      "10 min",
      "10 min 5 s",
    ]);
  });
});

describe("the clock", () => {
  const clock = (frames = 100, fps = 50): Clock => {
    const made = new Clock();
    made.fit(frames, fps);
    return made;
  };

  it("plays by the wall clock and the speed", () => {
    const c = clock();
    c.toggle();
    c.advance(0.5);
    expect(c.shown).toBe(25);
    c.speed = 2;
    c.advance(0.25);
    expect(c.shown).toBe(50);
  });

  it("loops inside its range", () => {
    const c = clock();
    c.limit(20, 41);
    c.seek(39);
    c.playing = true;
    c.advance(0.1);
    expect(c.frame).toBeCloseTo(24, 6);
    c.advance(1000.3);
    expect(c.frame).toBeGreaterThanOrEqual(20);
    expect(c.frame).toBeLessThanOrEqual(40);
  });

  it("stops at the end without loop, and starts over", () => {
    const c = clock();
    c.loop = false;
    c.toggle();
    c.advance(100);
    expect([c.playing, c.shown]).toEqual([false, 99]);
    c.toggle();
    expect([c.playing, c.shown]).toEqual([true, 0]);
  });

  it("steps whole frames and stays inside", () => {
    const c = clock();
    c.toggle();
    c.advance(0.51);
    c.step(1);
    expect([c.playing, c.frame]).toEqual([false, 26]);
    c.step(-1000);
    expect(c.frame).toBe(0);
    c.seek(NaN);
    expect(c.frame).toBe(0);
  });

  it("keeps the time when another rate leads", () => {
    const c = clock(100, 50);
    c.seek(50);
    c.fit(240, 120);
    expect(c.frame).toBe(120);
  });

  it("keeps at least two frames in the range", () => {
    const c = clock();
    c.limit(99, 99);
    expect([c.start, c.end]).toEqual([98, 100]);
    c.limit(-5, 400);
    expect([c.start, c.end, c.limited]).toEqual([0, 100, false]);
    const single = clock(1);
    single.limit(0, 1);
    single.toggle();
    expect([single.start, single.end, single.playing]).toEqual([0, 1, false]);
  });

  it("changes speed in steps with ends", () => {
    const c = clock();
    c.shiftSpeed(1);
    expect(c.speed).toBe(1.5);
    for (let k = 0; k < 20; k++) c.shiftSpeed(-1);
    expect(c.speed).toBe(0.1);
  });
});

describe("pacing", () => {
  it("averages over the last frames only", () => {
    const cost = new FrameCost(4);
    expect(cost.mean).toBe(0);
    [100, 100, 2, 2, 2, 2].forEach((value) => cost.add(value));
    expect(cost.mean).toBe(2);
  });

  it("draws fewer pixels only while a slow machine plays", () => {
    const quality = new Quality();
    for (let k = 0; k < 100; k++) expect(quality.judge(1 / 60, true)).toBe(false);
    const changes = Array.from({ length: 200 }, () => quality.judge(0.1, true)).filter(Boolean).length;
    expect(changes).toBe(3);
    expect(quality.scale).toBe(0.5);
    expect(quality.judge(0.1, false)).toBe(true);
    expect(quality.scale).toBe(1);
  });
});

describe("a label on the time line", () => {
  const tenEach = { measureText: (text: string) => ({ width: 10 * text.length }) as TextMetrics };

  it("stays whole where it fits, is shortened in its middle, and goes where too little would be left", () => {
    expect(shorten(tenEach, "stand", 50)).toBe("stand");
    expect(shorten(tenEach, "walk_normal+kick_right", 110)).toBe("walk_…right");
    expect(shorten(tenEach, "stand", 40)).toBe("s…nd");
    expect(shorten(tenEach, "stand", 39)).toBe("");
    expect(shorten(tenEach, "", 0)).toBe("");
  });
});
