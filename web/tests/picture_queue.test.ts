import { describe, expect, it } from "vitest";
import { type Picture, PictureQueue } from "../src/ui/picture_queue";

class FakePicture implements Picture {
  src = "";
  isConnected = true;
  private readonly listeners: (() => void)[] = [];

  addEventListener(_: "load" | "error", listener: () => void): void {
    this.listeners.push(listener);
  }

  finish(): void {
    this.listeners.forEach((listener) => listener());
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("the queue of pictures", () => {
  it("loads three at once, the newest first, and goes on when one is done or broken", async () => {
    const queue = new PictureQueue();
    const pictures = Array.from({ length: 5 }, () => new FakePicture());
    pictures.forEach((picture, k) => queue.add(picture, `p${k}`));
    await turn();
    expect(pictures.map((picture) => picture.src)).toEqual(["", "", "p2", "p3", "p4"]);
    pictures[3].finish();
    expect(pictures[1].src).toBe("p1");
    expect(pictures[0].src).toBe("");
    pictures[1].finish();
    expect(pictures[0].src).toBe("p0");
  });

  it("forgets pictures that have left the page", async () => {
    const queue = new PictureQueue();
    const gone = new FakePicture();
    gone.isConnected = false;
    queue.add(gone, "gone");
    await turn();
    expect(gone.src).toBe("");
  });
});
