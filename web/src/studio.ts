/** The state of the studio and what can be done to it; panes listen to its events and call its verbs. */

import { api, RequestError, sentence } from "./api/client";
import { EventStream } from "./api/events";
import type { ClipDetail, HistoryState, HistoryStep, Job, OperationRequest, Session, Span, StudioEvent, Track } from "./generated/messages";
import type { Motion } from "./motion/decode";
import { type Tree, treeFromMessage } from "./motion/kinematics";
import { Clock } from "./player/clock";
import { type AddressState, type AddressView, parseAddress } from "./state/address";
import { Emitter } from "./state/emitter";
import { Link } from "./state/link";
import { DEFAULT_PREFERENCES, loadPreferences, type Preferences, savePreferences } from "./state/preferences";
import { unpack } from "./viewer/materials";
import type { Theme } from "./viewer/palette";
import type { Viewer } from "./viewer/viewer";

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

const MOST_OPEN = 12;

export class Studio extends Emitter<StudioEvents> {
  readonly clock = new Clock();
  readonly preferences: Preferences = loadPreferences();
  open: OpenClip[] = [];
  activeId = -1;
  joint = -1;
  query = parseAddress(location.search).query;
  session: Session | null = null;
  history: HistoryState = { undo: "", redo: "", undo_number: 0 };
  /** Clips in the whole library, -1 before it is known. */
  librarySize = -1;
  /** Clips that were shown as results; those that are open say so themselves. */
  private readonly resultIds = new Set<number>();
  /** What was done where in results whose own rows are not known yet. */
  private readonly marks = new Map<number, Track>();
  /** Once what the address names is on the stage: only then less urgent things are asked for. */
  readonly shown: Promise<void>;
  private tellShown!: () => void;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly link = new Link(
    () => this.addressState(),
    (state) => {
      this.preferences.stance = [...state.camera];
      savePreferences(this.preferences);
    },
  );
  private revision = -1;

  constructor(readonly viewer: Viewer) {
    super();
    this.shown = new Promise((resolve) => (this.tellShown = resolve));
    this.clock.speed = this.preferences.speed;
    this.clock.loop = this.preferences.loop;
    this.dark.addEventListener("change", () => this.applyPreferences());
    this.applyPreferences();
  }

  get active(): OpenClip | null {
    return this.open.find((clip) => clip.id === this.activeId) ?? null;
  }

  /** The clips on the stage that operations take: all that are ready but for results. */
  get sources(): OpenClip[] {
    return this.open.filter((clip) => clip.state === "ready" && !clip.result);
  }

  /** How several clips stand: results have a choice of their own, as they would lie exactly over what they were made of. */
  get arrangement(): "overlay" | "side" {
    const { view, resultsBeside } = this.preferences;
    return this.open.some((clip) => clip.result) ? (resultsBeside ? "side" : "overlay") : view.arrangement;
  }

  toggleArrangement(): void {
    if (this.open.some((clip) => clip.result)) this.prefer({ resultsBeside: !this.preferences.resultsBeside });
    else this.preferView({ arrangement: this.arrangement === "side" ? "overlay" : "side" });
    this.showTime();
    this.writeAddress();
  }

  /** Rows of the time line: of the leading clip, and what was done where in the results beside it. Null while they are looked for. */
  get tracks(): readonly Track[] | null {
    const active = this.active;
    if (!active) return null;
    const marks = this.open
      .filter((clip) => clip.result && clip !== active && clip.motion && clip.visible)
      .flatMap((clip) =>
        (clip.tracks ?? [this.marks.get(clip.id)])
          .filter((track) => track !== undefined)
          .filter((track) => track.kind === "mark")
          .map((track) => scaleTrack(track, clip.name, this.clock.fps / clip.motion!.fps)),
      );
    return active.tracks ? [...marks, ...active.tracks] : marks.length > 0 ? marks : null;
  }

  get theme(): Theme {
    const choice = this.preferences.theme;
    return choice === "system" ? (this.dark.matches ? "dark" : "light") : choice;
  }

  /** Learns what the server offers and starts to listen. */
  async connect(): Promise<void> {
    this.session = await api.session();
    this.revision = this.session.revision;
    this.setHistory(this.session.history);
    new EventStream({
      event: (event) => this.receive(event),
      connected: (open) => this.emit("connected", open),
    });
    addEventListener("popstate", () => {
      const address = parseAddress(location.search);
      if (address.query !== this.query) {
        this.query = address.query;
        this.emit("query", address.query);
      }
      void this.restore(address);
    });
  }

  /** Opens what the address names; of loose files, where it names nothing, the first. */
  async restore(address: AddressState = parseAddress(location.search)): Promise<void> {
    await this.link.follow(() => this.openAddress(address));
    requestAnimationFrame(() => requestAnimationFrame(() => this.tellShown()));
  }

  private async openAddress(address: AddressState): Promise<void> {
    for (const id of address.results) this.resultIds.add(id);
    const loose = address.clips.length === 0 && this.session?.temporary === true;
    const first = loose ? (await api.clips("", 0, 1)).clips.map((clip) => clip.id) : [];
    await this.openClips(loose ? first : [...address.clips, ...address.results]);
    const linked = address.camera.length === 6;
    if (linked) this.takeView(address.view);
    if (address.range.length === 2) this.limit(address.range[0], address.range[1]);
    else if (this.clock.limited) this.limit(0, this.clock.frames);
    this.seek(address.frame);
    const stance = linked ? address.camera : this.preferences.stance;
    if (address.clips.length > 0 && stance.length === 6) this.viewer.stance = stance;
  }

  /** The view that a link holds: what it does not name is as usual. */
  private takeView(linked: AddressView): void {
    const { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement } = DEFAULT_PREFERENCES.view;
    const view = { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement, ...linked };
    this.prefer({
      view: { ...this.preferences.view, ...view },
      ...(this.open.some((clip) => clip.result) ? { resultsBeside: view.arrangement === "side" } : {}),
    });
    this.showTime();
  }

  /** Shows these clips and no others; the first ready one leads unless the leading one stays. */
  async openClips(ids: readonly number[]): Promise<void> {
    if (ids.every((id) => this.resultIds.has(id))) this.resultIds.clear(); // opened for itself it is a clip like any other
    const wanted = ids.slice(0, MOST_OPEN);
    if (ids.length > MOST_OPEN) this.notify(`Only ${MOST_OPEN} clips can be open at once.`, "info");
    for (const clip of this.open) if (!wanted.includes(clip.id)) this.viewer.remove(clip.id);
    const before = new Map(this.open.map((clip) => [clip.id, clip]));
    if (!wanted.some((id) => before.has(id))) this.clock.seek(0);
    this.open = wanted.map(
      (id) =>
        before.get(id) ?? {
          id,
          name: `Clip ${id}`,
          state: "loading",
          message: "",
          visible: true,
          result: this.resultIds.has(id),
          detail: null,
          motion: null,
          tree: null,
          tracks: null,
        },
    );
    for (const clip of this.open) clip.result = this.resultIds.has(clip.id);
    const leading = wanted.filter((id) => !this.resultIds.has(id));
    if (!wanted.includes(this.activeId)) this.activeId = leading[leading.length - 1] ?? wanted[wanted.length - 1] ?? -1;
    this.viewer.configure({ arrangement: this.arrangement });
    this.emit("open", this.open);
    this.applyOrder();
    await Promise.all(
      this.open.filter((clip) => clip.state === "loading" && !clip.detail).map((clip) => this.load(clip)),
    );
    this.writeAddress();
  }

  /** Shows what an operation made beside its sources, which stay as they are; of earlier results the last stays to be compared. */
  async showResults(ids: readonly number[], marks: readonly Span[] = []): Promise<void> {
    const sources = this.open.filter((clip) => !clip.result).map((clip) => clip.id);
    const fresh = ids.filter((id) => !sources.includes(id));
    const earlier = this.open.filter((clip) => clip.result && !fresh.includes(clip.id)).map((clip) => clip.id);
    for (const id of fresh) this.resultIds.add(id);
    if (fresh.length === 1 && marks.length > 0)
      this.marks.set(fresh[0], { name: "made", kind: "mark", side: "", spans: [...marks] });
    for (const clip of this.open) if (fresh.includes(clip.id)) clip.result = true;
    const range = this.clock.limited ? [this.clock.start, this.clock.end] : null; // a longer result leaves it as it is
    const room = Math.max(0, MOST_OPEN - sources.length - fresh.length);
    await this.openClips([...sources, ...earlier.slice(-Math.min(1, room) || earlier.length), ...fresh]);
    if (range && !this.clock.limited) this.clock.limit(range[0], range[1]);
    this.applyPreferences();
    this.showTime();
    this.viewer.showAll();
  }

  /** From now on operations take this clip, too. */
  useAsSource(id: number): void {
    const clip = this.open.find((other) => other.id === id);
    if (!clip?.result) return;
    this.resultIds.delete(id);
    clip.result = false;
    this.applyPreferences();
    this.emit("open", this.open);
    this.writeAddress();
  }

  addClip(id: number): Promise<void> {
    this.resultIds.delete(id);
    const ids = this.open.map((clip) => clip.id).filter((other) => other !== id);
    this.activeId = id;
    return this.openClips([...ids, id]);
  }

  closeClip(id: number): Promise<void> {
    return this.openClips(this.open.map((clip) => clip.id).filter((other) => other !== id));
  }

  private async load(clip: OpenClip): Promise<void> {
    try {
      clip.detail = await api.clip(clip.id);
      clip.name = clip.detail.summary.name;
      clip.motion = await api.motion(clip.detail.summary);
      clip.tree = treeFromMessage(clip.detail.skeleton);
      if (!this.open.includes(clip)) return;
      this.viewer.add(clip.id, clip.tree, clip.motion);
      clip.state = "ready";
      if (clip.detail.summary.has_character) void this.dress(clip);
      requestAnimationFrame(() => void this.findTracks(clip)); // first the body is shown
    } catch (thrown) {
      clip.state = "failed";
      clip.message = sentence(thrown);
    }
    if (!this.open.includes(clip)) return;
    this.emit("open", this.open);
    this.applyOrder();
  }

  private async findTracks(clip: OpenClip): Promise<void> {
    try {
      clip.tracks = (await api.tracks(clip.id)).tracks;
    } catch (thrown) {
      clip.tracks = [];
      this.notify(`The contacts of ${clip.name} could not be found: ${sentence(thrown)}`, "bad");
    }
    this.emit("tracks", clip);
  }

  private async dress(clip: OpenClip): Promise<void> {
    try {
      const outfit = await unpack(await api.character(clip.detail!.summary));
      this.viewer.wear(clip.id, outfit);
      this.showTime();
      const lost = outfit.pictures.filter((picture) => picture === null).length;
      if (lost > 0) this.notify(`${lost} of the textures of ${clip.name} could not be decoded.`, "bad");
    } catch (thrown) {
      this.notify(`The character of ${clip.name} could not be shown: ${sentence(thrown)}`, "bad");
    }
  }

  /** Tries a clip again that could not be opened. */
  async retry(id: number): Promise<void> {
    const clip = this.open.find((other) => other.id === id);
    if (!clip) return;
    clip.state = "loading";
    this.emit("open", this.open);
    await this.load(clip);
  }

  /** Makes a clip the leading one. */
  activate(id: number): void {
    if (id === this.activeId) return;
    this.activeId = id;
    this.applyOrder();
    this.emit("open", this.open);
  }

  setVisible(id: number, visible: boolean): void {
    const clip = this.open.find((other) => other.id === id);
    if (!clip) return;
    clip.visible = visible;
    this.viewer.setVisible(id, visible);
    this.emit("open", this.open);
  }

  private lastActive: OpenClip | null = null;
  private lastMotion: Motion | null = null;

  private applyOrder(): void {
    this.viewer.setOrder(
      this.open.map((clip) => clip.id),
      this.activeId,
    );
    const active = this.active;
    const ready = this.open.filter((clip) => clip.motion);
    const fps = active?.motion?.fps ?? ready[0]?.motion?.fps ?? 30;
    const frames = Math.max(0, ...ready.map((clip) => Math.round((clip.motion!.frames / clip.motion!.fps) * fps)));
    if (frames !== this.clock.frames || fps !== this.clock.fps) this.clock.fit(frames, fps);
    if (active !== this.lastActive || active?.motion !== this.lastMotion) {
      this.lastActive = active;
      this.lastMotion = active?.motion ?? null;
      if (this.joint >= (active?.motion?.joints ?? 0)) this.joint = -1;
      this.emit("active", active);
      this.selectJoint(this.joint);
    }
    if (frames === 0) this.clock.playing = false;
    this.showTime();
  }

  /** Selects a joint of the leading clip, -1 for none. */
  selectJoint(joint: number): void {
    this.joint = joint;
    this.viewer.select(joint);
    this.emit("joint", joint);
  }

  // --- time

  seek(frame: number): void {
    this.clock.seek(Math.round(frame));
    this.showTime();
    this.writeAddress();
  }

  step(count: number): void {
    this.clock.step(count);
    this.showTime();
    this.writeAddress();
  }

  togglePlaying(): void {
    this.clock.toggle();
    this.showTime();
    this.writeAddress();
  }

  setSpeed(speed: number): void {
    this.clock.speed = speed;
    this.prefer({ speed });
    this.emit("time", this.clock);
  }

  setLoop(loop: boolean): void {
    this.clock.loop = loop;
    this.prefer({ loop });
    this.emit("time", this.clock);
  }

  limit(start: number, end: number): void {
    this.clock.limit(start, end);
    this.emit("time", this.clock);
    this.emit("range", this.clock);
    this.writeAddress();
  }

  /** Called for every animation frame with the seconds since the last. */
  advance(elapsed: number): void {
    if (!this.clock.playing) return;
    this.clock.advance(elapsed);
    this.viewer.pose(this.clock.seconds, elapsed);
    this.emit("time", this.clock);
    if (!this.clock.playing) this.writeAddress();
  }

  private showTime(): void {
    this.viewer.pose(this.clock.seconds, 0);
    this.emit("time", this.clock);
  }

  // --- preferences and address

  prefer(change: Partial<Preferences>): void {
    Object.assign(this.preferences, change);
    savePreferences(this.preferences);
    this.applyPreferences();
  }

  preferView(change: Partial<Preferences["view"]>): void {
    this.prefer({ view: { ...this.preferences.view, ...change } });
    this.showTime();
    this.writeAddress();
  }

  private applyPreferences(): void {
    document.documentElement.dataset["theme"] = this.theme;
    this.viewer.configure({ ...this.preferences.view, arrangement: this.arrangement, theme: this.theme });
    this.emit("preferences", this.preferences);
  }

  setQuery(query: string): void {
    this.query = query;
    this.writeAddress();
  }

  setLibrarySize(size: number): void {
    if (size === this.librarySize) return;
    this.librarySize = size;
    this.emit("size", size);
  }

  /** All that a link to what is seen holds. */
  private addressState(): AddressState {
    const { style, follow, lockRoot, ghosts, paths, pathChoice } = this.preferences.view;
    const usual = DEFAULT_PREFERENCES.view;
    const now: AddressView = { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement: this.arrangement };
    const several = this.open.length > 1;
    const kept = Object.entries(now).filter(([key, value]) =>
      key === "arrangement" ? several && value !== usual.arrangement : value !== usual[key as keyof typeof usual],
    );
    return {
      clips: this.open.filter((clip) => !clip.result).map((clip) => clip.id),
      results: this.open.filter((clip) => clip.result).map((clip) => clip.id),
      frame: this.clock.shown,
      query: this.query,
      range: this.clock.limited ? [this.clock.start, this.clock.end] : [],
      camera: this.open.length > 0 ? this.viewer.stance : [],
      view: Object.fromEntries(kept),
    };
  }

  /** Keeps what is seen in the address, a moment later. */
  writeAddress(): void {
    this.link.write();
  }

  // --- work

  notify(text: string, tone: Tone = "info", action?: Notice["action"]): void {
    this.emit("notice", action ? { text, tone, action } : { text, tone });
  }

  async run(operation: string, request: OperationRequest): Promise<Job> {
    const job = await api.run(operation, request);
    this.emit("job", job);
    return job;
  }

  private setHistory(state: HistoryState): void {
    this.history = state;
    this.emit("history", state);
  }

  /** Takes the last change of the library back, whichever page made it. */
  async undo(): Promise<void> {
    await this.travel(api.undo, "Undone");
  }

  async redo(): Promise<void> {
    await this.travel(api.redo, "Done again");
  }

  private async travel(way: () => Promise<HistoryStep>, told: string): Promise<void> {
    if (this.session?.writable === false) return;
    try {
      const { done } = await way();
      this.notify(`${told}: ${done}`, "good");
      this.emit("library", this.revision);
      await this.checkOpen(false);
    } catch (thrown) {
      this.notify(sentence(thrown), thrown instanceof RequestError && thrown.status === 404 ? "info" : "bad");
    }
  }

  /** Removes a clip from the stage and from the library. */
  async removeClip(id: number): Promise<void> {
    const before = this.open.map((clip) => clip.id);
    await this.closeClip(id);
    try {
      await api.remove(id);
    } catch (thrown) {
      await this.openClips(before);
      throw thrown;
    }
    this.emit("library", this.revision);
  }

  /** Fetches the description of a clip again after it was changed. */
  async refresh(id: number): Promise<void> {
    const clip = this.open.find((other) => other.id === id);
    if (!clip) return;
    clip.detail = await api.clip(id);
    clip.name = clip.detail.summary.name;
    this.emit("open", this.open);
    if (id === this.activeId) this.emit("active", clip);
  }

  private receive(event: StudioEvent): void {
    if (event.kind === "job") this.emit("job", event.job);
    else if (event.kind === "history") this.setHistory(event.state);
    else if (event.revision !== this.revision) {
      this.revision = event.revision;
      this.emit("library", event.revision);
      this.checkOpen().catch((thrown: unknown) => this.notify(sentence(thrown), "bad"));
    }
  }

  /** After a change of the library: clips that are gone are closed, names are fetched again. */
  private async checkOpen(told = true): Promise<void> {
    for (const clip of [...this.open]) {
      if (clip.state !== "ready") continue;
      // A search and no request for the clip itself: that it is gone is an answer, not a failure.
      const { clips } = await api.clips(`id=${clip.id}`, 0, 1);
      if (!this.open.includes(clip)) continue;
      if (clips.length === 0) {
        if (told) this.notify(`${clip.name} was removed from the library.`, "info");
        await this.closeClip(clip.id);
      } else if (JSON.stringify(clips[0]) !== JSON.stringify(clip.detail?.summary)) await this.refresh(clip.id);
    }
  }
}

/** A row with its frames counted at another rate. */
function scaleTrack(track: Track, name: string, ratio: number): Track {
  const spans = track.spans.map(({ start, end, label }) => ({ start: start * ratio, end: end * ratio, label }));
  return { ...track, name, spans };
}
