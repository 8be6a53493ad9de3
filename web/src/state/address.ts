/** What of the page's state lives in its address: which clips are open, the frame, range, view and camera, and the search. */

import type { ViewerOptions } from "../viewer/viewer";

/** What of the view a link holds: all that changes what is seen but for colours. */
export type AddressView = Partial<Pick<ViewerOptions, (typeof VIEW_KEYS)[number]>>;

const VIEW_KEYS = ["style", "follow", "lockRoot", "ghosts", "paths", "pathChoice", "arrangement"] as const;

const CHOICES: Partial<Record<(typeof VIEW_KEYS)[number], readonly string[]>> = {
  style: ["body", "skeleton", "mesh"],
  pathChoice: ["leaves", "selected", "root"],
  arrangement: ["overlay", "side"],
};

export interface AddressState {
  readonly clips: readonly number[];
  /** Clips that stand beside the others as what was made of them. */
  readonly results: readonly number[];
  readonly frame: number;
  readonly query: string;
  /** First frame that plays and the frame after the last one; empty for the whole clip. */
  readonly range: readonly number[];
  /** Camera position and target, metres; empty: where it stands by itself. */
  readonly camera: readonly number[];
  readonly view: AddressView;
}

const MOST_CLIPS = 12;

/** Reads the state from a query string; what makes no sense is left out. */
export function parseAddress(search: string): AddressState {
  const parameters = new URLSearchParams(search);
  const clips = numbersOf(parameters.getAll("clip"));
  const frame = Number(parameters.get("frame") ?? 0);
  return {
    clips: clips.slice(0, MOST_CLIPS),
    results: numbersOf(parameters.getAll("result"))
      .filter((id) => !clips.includes(id))
      .slice(0, MOST_CLIPS),
    frame: Number.isSafeInteger(frame) && frame >= 0 ? frame : 0,
    query: parameters.get("query") ?? "",
    range: parseRange(parameters.get("range") ?? ""),
    camera: parseCamera(parameters.get("camera") ?? ""),
    view: parseView(parameters.get("view") ?? ""),
  };
}

function parseRange(text: string): number[] {
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  const range = found ? [Number(found[1]), Number(found[2])] : [];
  return range.length === 2 && range[0] < range[1] ? range : [];
}

function parseCamera(text: string): number[] {
  const numbers = text.split(",").map(Number);
  const sane = numbers.length === 6 && text.length < 200 && numbers.every((one) => Number.isFinite(one) && Math.abs(one) < 1e6);
  return sane ? numbers : [];
}

/** "style.skeleton,paths.yes" and so on; what is not known is left out. */
function parseView(text: string): AddressView {
  const view: Record<string, string | boolean> = {};
  for (const part of text.slice(0, 500).split(",")) {
    const [key, value] = part.split(".");
    const known = VIEW_KEYS.find((one) => one === key);
    if (!known || value === undefined) continue;
    const choices = CHOICES[known];
    if (choices ? choices.includes(value) : value === "yes" || value === "no") view[known] = choices ? value : value === "yes";
  }
  return view as AddressView;
}

function formatView(view: AddressView): string {
  return VIEW_KEYS.filter((key) => view[key] !== undefined)
    .map((key) => `${key}.${typeof view[key] === "boolean" ? (view[key] ? "yes" : "no") : view[key]}`)
    .join(",");
}

/** Numbers of clips, each once. */
function numbersOf(texts: readonly string[]): number[] {
  const ids: number[] = [];
  for (const text of texts) {
    const id = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(id) && !ids.includes(id)) ids.push(id);
  }
  return ids;
}

/** The query string of a state; empty when there is nothing to keep. */
export function formatAddress(state: AddressState): string {
  const parameters = new URLSearchParams();
  for (const id of state.clips) parameters.append("clip", String(id));
  for (const id of state.results) parameters.append("result", String(id));
  if (state.frame > 0 && state.clips.length > 0) parameters.set("frame", String(state.frame));
  if (state.query) parameters.set("query", state.query);
  if (state.clips.length > 0) {
    if (state.range.length === 2) parameters.set("range", state.range.join("-"));
    const view = formatView(state.view);
    if (view) parameters.set("view", view);
    if (state.camera.length === 6) parameters.set("camera", state.camera.join(","));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
