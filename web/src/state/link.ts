/** Keeps what is seen in the page's address, so that it is a link to it and the browser's Back leads to what was open before. */

import { type AddressState, formatAddress } from "./address";

const PAUSE_MILLISECONDS = 150;

export class Link {
  private timer = 0;
  /** Clips and search of the address that was written last, empty before the first. */
  private written = "";
  private held = false;

  /**
   * @param seen what is seen now.
   * @param kept is told what was written.
   */
  constructor(
    private readonly seen: () => AddressState,
    private readonly kept: (state: AddressState) => void,
  ) {}

  /** Writes it, a moment later, so that scrubbing does not flood the history. Other clips or another search are a step of their own. */
  write(): void {
    if (this.held) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const state = this.seen();
      const address = `${location.pathname}${formatAddress(state)}`;
      const step = stepOf(state);
      if (this.written !== "" && step !== this.written) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      this.written = step;
      this.kept(state);
    }, PAUSE_MILLISECONDS) as unknown as number;
  }

  /** While an address is being opened, nothing is written. */
  async follow(open: () => Promise<void>): Promise<void> {
    this.held = true;
    try {
      await open();
    } finally {
      this.held = false;
      clearTimeout(this.timer);
      this.written = stepOf(this.seen());
    }
  }
}

function stepOf({ clips, results, query }: AddressState): string {
  return JSON.stringify([clips, results, query]);
}
