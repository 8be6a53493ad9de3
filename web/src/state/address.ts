/** What of the page's state lives in its address: which clips are open, the frame, and the search. */

export interface AddressState {
  readonly clips: readonly number[];
  readonly frame: number;
  readonly query: string;
}

const MOST_CLIPS = 12;

/** Reads the state from a query string; what makes no sense is left out. */
export function parseAddress(search: string): AddressState {
  const parameters = new URLSearchParams(search);
  const clips: number[] = [];
  for (const text of parameters.getAll("clip")) {
    const id = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(id) && !clips.includes(id)) clips.push(id);
  }
  const frame = Number(parameters.get("frame") ?? 0);
  return {
    clips: clips.slice(0, MOST_CLIPS),
    frame: Number.isSafeInteger(frame) && frame >= 0 ? frame : 0,
    query: parameters.get("query") ?? "",
  };
}

/** The query string of a state; empty when there is nothing to keep. */
export function formatAddress(state: AddressState): string {
  const parameters = new URLSearchParams();
  for (const id of state.clips) parameters.append("clip", String(id));
  if (state.frame > 0 && state.clips.length > 0) parameters.set("frame", String(state.frame));
  if (state.query) parameters.set("query", state.query);
  const text = parameters.toString();
  return text && `?${text}`;
}
