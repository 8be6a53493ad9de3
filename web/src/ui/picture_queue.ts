/** Loads pictures a few at a time, the newest wish first, so that requests for motions never wait behind thumbnails. */

const AT_ONCE = 3;

/** What is needed of an image element. */
export interface Picture {
  src: string;
  readonly isConnected: boolean;
  addEventListener(name: "load" | "error", listener: () => void, options: { once: boolean }): void;
}

export class PictureQueue {
  private readonly waiting: { picture: Picture; address: string }[] = [];
  private loading = 0;
  private planned = false;

  /** @param after nothing is loaded before this. */
  constructor(private readonly after: Promise<unknown> = Promise.resolve()) {}

  /** Loads a picture when its turn comes, if it is still on the page then. */
  add(picture: Picture, address: string): void {
    this.waiting.push({ picture, address });
    if (this.planned) return;
    this.planned = true;
    void this.after.then(() => {
      this.planned = false;
      this.load();
    });
  }

  private load(): void {
    while (this.loading < AT_ONCE) {
      const next = this.waiting.pop();
      if (!next) return;
      if (!next.picture.isConnected) continue;
      this.loading++;
      let open = true;
      const done = (): void => {
        if (!open) return;
        open = false;
        this.loading--;
        this.load();
      };
      next.picture.addEventListener("load", done, { once: true });
      next.picture.addEventListener("error", done, { once: true });
      next.picture.src = next.address;
    }
  }
}
