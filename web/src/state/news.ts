/** What the parts of the page tell each other. */

import type { ClipDetail, HistoryState, Job, Track } from "../generated/messages";
import type { Motion } from "../motion/decode";
import type { Tree } from "../motion/kinematics";
import type { Clock } from "../player/clock";
import { Emitter } from "./emitter";
import type { Preferences } from "./preferences";

export interface OpenClip {
  readonly id: number;
  name: string;
  state: "loading" | "ready" | "failed";
  message: string;
  visible: boolean;
  /** Made by an operation and shown beside what it was made of: operations do not take it unless a person says so. */
  result: boolean;
  detail: ClipDetail | null;
  motion: Motion | null;
  tree: Tree | null;
  /** Rows of the time line; null until they are known. */
  tracks: readonly Track[] | null;
}

export type Tone = "info" | "good" | "bad";

export interface Notice {
  readonly text: string;
  readonly tone: Tone;
  readonly action?: { readonly label: string; run(): void };
}

export interface StudioEvents {
  /** Which clips are open, or what is known of them, has changed. */
  open: readonly OpenClip[];
  /** The leading clip has changed. */
  active: OpenClip | null;
  /** The rows of a clip's time line are known. */
  tracks: OpenClip;
  /** Frame, range, speed or playing has changed. */
  time: Clock;
  /** A person has set the range. */
  range: Clock;
  /** The selected joint, -1 for none. */
  joint: number;
  preferences: Preferences;
  library: number;
  /** How many clips the whole library has. */
  size: number;
  job: Job;
  /** Another search, by the browser's Back. */
  query: string;
  /** What can be undone and redone. */
  history: HistoryState;
  notice: Notice;
  connected: boolean;
}

export class News extends Emitter<StudioEvents> {
  /** A short message for the person. */
  notify(text: string, tone: Tone = "info", action?: Notice["action"]): void {
    this.emit("notice", action ? { text, tone, action } : { text, tone });
  }
}
