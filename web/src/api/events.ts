/** Events of the server over a WebSocket that comes back by itself. */

import type { StudioEvent } from "../generated/messages";

export interface EventListeners {
  event(event: StudioEvent): void;
  /** Told when the connection opens or breaks. */
  connected(open: boolean): void;
}

/** Seconds before try number `attempt` (from 0). */
export function retryDelay(attempt: number): number {
  return Math.min(10, 0.5 * 2 ** attempt);
}

export class EventStream {
  private attempt = 0;

  constructor(private readonly listeners: EventListeners) {
    this.connect();
  }

  private connect(): void {
    const address = new URL("./api/events", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.search = "";
    const socket = new WebSocket(address);
    socket.onopen = () => {
      this.attempt = 0;
      this.listeners.connected(true);
    };
    socket.onmessage = (message) => {
      if (typeof message.data === "string") this.listeners.event(JSON.parse(message.data) as StudioEvent);
    };
    socket.onclose = () => {
      this.listeners.connected(false);
      setTimeout(() => this.connect(), 1000 * retryDelay(this.attempt++));
    };
  }
}
