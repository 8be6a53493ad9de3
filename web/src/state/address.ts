/** What of the page's state lives in its address: which clips are open, the frame, and the search. */

export interface AddressState {
  readonly clips: readonly number[];
  /** Clips that stand beside the others as what was made of them. */
  readonly results: readonly number[];
  readonly frame: number;
  readonly query: string;
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
  };
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
  const text = parameters.toString();
  return text && `?${text}`;
}
