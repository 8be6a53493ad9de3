/** The clips on the stage: sources that operations take, and results that stand beside them. */

import { api, sentence } from "../api/client";
import type { ClipSummary, Span, Track } from "../generated/messages";
import type { Motion } from "../motion/decode";
import { isHuman } from "../motion/human";
import { treeFromMessage } from "../motion/kinematics";
import { unpack } from "../viewer/materials";
import type { Viewer } from "../viewer/viewer";
import type { News, OpenClip } from "./news";
import type { Transport } from "./transport";

export const MOST_OPEN = 12;

export class Cast {
  open: OpenClip[] = [];
  activeId = -1;
  /** The source that led last: what an operation takes of which it takes one, while a result leads. */
  sourceId = -1;
  /** The selected joint of the leading clip, -1 for none. */
  joint = -1;
  /** Clips that were shown as results; those that are open say so themselves. */
  private readonly resultIds = new Set<number>();
  /** What was done where in results whose own rows are not known yet. */
  private readonly marks = new Map<number, Track>();
  /** What lists have said of clips: their motion can be asked for at once. */
  private readonly listed = new Map<number, ClipSummary>();
  private readonly dressed = new WeakSet<OpenClip>();
  private people = false;
  private lastActive: OpenClip | null = null;
  private lastMotion: Motion | null = null;

  /**
   * @param arrange lets the viewer know how clips stand, now that there are others.
   * @param settled is told when what is open has been loaded.
   */
  constructor(
    private readonly viewer: Viewer,
    private readonly transport: Transport,
    private readonly news: News,
    private readonly arrange: () => void,
    private readonly settled: () => void,
  ) {}

  get active(): OpenClip | null {
    return this.open.find((clip) => clip.id === this.activeId) ?? null;
  }

  find(id: number): OpenClip | undefined {
    return this.open.find((clip) => clip.id === id);
  }

  /** The clips that operations take: all that are ready but for results. */
  get sources(): OpenClip[] {
    return this.open.filter((clip) => clip.state === "ready" && !clip.result);
  }

  get hasResults(): boolean {
    return this.open.some((clip) => clip.result);
  }

  /** Rows of the time line: of the leading clip, and what was done where in the results beside it. Null while they are looked for. */
  get tracks(): readonly Track[] | null {
    const { active } = this;
    if (!active) return null;
    const mark = this.marks.get(active.id);
    const own = active.tracks ?? (mark ? [mark] : null);
    const marks = this.open.filter((clip) => clip.result && clip !== active).flatMap((clip) => this.marksOf(clip));
    return own ? [...own, ...marks] : marks.length > 0 ? marks : null;
  }

  /** What was done where in a result, in the frames of the stage. */
  marksOf(clip: OpenClip): Track[] {
    const { motion } = clip;
    if (!motion || !clip.visible) return [];
    return (clip.tracks ?? [this.marks.get(clip.id)])
      .filter((track) => track !== undefined)
      .filter((track) => track.kind === "mark")
      .map((track) => scaleTrack(track, clip.name, this.transport.clock.fps / motion.fps));
  }

  /** From now on these are results, whether they are open or will be. */
  expectResults(ids: readonly number[]): void {
    for (const id of ids) this.resultIds.add(id);
  }

  /** Shows these clips and no others; the first ready one leads unless the leading one stays. */
  async openClips(ids: readonly number[]): Promise<void> {
    if (ids.every((id) => this.resultIds.has(id))) this.resultIds.clear(); // opened for itself it is a clip like any other
    const wanted = ids.slice(0, MOST_OPEN);
    if (ids.length > MOST_OPEN) this.news.notify(`Only ${MOST_OPEN} clips can be open at once.`, "info");
    for (const clip of this.open) if (!wanted.includes(clip.id)) this.viewer.remove(clip.id);
    const before = new Map(this.open.map((clip) => [clip.id, clip]));
    if (!wanted.some((id) => before.has(id))) this.transport.clock.seek(0);
    this.open = wanted.map((id) => before.get(id) ?? newClip(id));
    for (const clip of this.open) clip.result = this.resultIds.has(clip.id);
    const leading = wanted.filter((id) => !this.resultIds.has(id));
    if (!wanted.includes(this.activeId))
      this.activeId = leading.find((id) => id === this.sourceId) ?? leading[leading.length - 1] ?? wanted[wanted.length - 1] ?? -1;
    this.arrange();
    this.news.emit("open", this.open);
    this.applyOrder();
    await Promise.all(
      this.open.filter((clip) => clip.state === "loading" && !clip.detail).map((clip) => this.load(clip)),
    );
    this.settled();
  }

  /**
   * Shows what an operation made beside its sources, which stay what operations take; of earlier results the last stays to be
   * compared. The first result leads: time line, curves and facts are its own.
   */
  async showResults(ids: readonly number[], marks: readonly Span[] = []): Promise<void> {
    const sources = this.open.filter((clip) => !clip.result).map((clip) => clip.id);
    const fresh = ids.filter((id) => !sources.includes(id));
    const earlier = this.open.filter((clip) => clip.result && !fresh.includes(clip.id)).map((clip) => clip.id);
    this.expectResults(fresh);
    if (fresh.length === 1 && marks.length > 0)
      this.marks.set(fresh[0], { name: "made", kind: "mark", side: "", spans: [...marks] });
    for (const clip of this.open) if (fresh.includes(clip.id)) clip.result = true;
    const { clock } = this.transport;
    const range = clock.limited ? [clock.start / clock.fps, clock.end / clock.fps] : null; // a result leaves it as it is
    const led = this.activeId;
    const room = Math.max(0, MOST_OPEN - sources.length - fresh.length);
    await this.openClips([...sources, ...earlier.slice(-Math.min(1, room) || earlier.length), ...fresh]);
    const first = this.find(ids[0]);
    if (first?.state === "ready" && this.activeId === led) this.activate(first.id); // unless another was chosen meanwhile
    if (range) clock.limit(range[0] * clock.fps, range[1] * clock.fps);
    this.transport.show();
    this.viewer.showAll();
  }

  /** From now on operations take this clip, too. */
  useAsSource(id: number): void {
    const clip = this.find(id);
    if (!clip?.result) return;
    this.resultIds.delete(id);
    clip.result = false;
    if (id === this.activeId) this.sourceId = id;
    this.arrange();
    this.news.emit("open", this.open);
    this.settled();
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

  /** Tries a clip again that could not be opened. */
  async retry(id: number): Promise<void> {
    const clip = this.find(id);
    if (!clip) return;
    clip.state = "loading";
    this.news.emit("open", this.open);
    await this.load(clip);
  }

  /** Makes a clip the leading one. */
  activate(id: number): void {
    if (id === this.activeId) return;
    this.activeId = id;
    this.applyOrder();
    this.news.emit("open", this.open);
  }

  setVisible(id: number, visible: boolean): void {
    const clip = this.find(id);
    if (!clip) return;
    clip.visible = visible;
    this.viewer.setVisible(id, visible);
    this.news.emit("open", this.open);
  }

  /** Selects a joint of the leading clip, -1 for none. */
  selectJoint(joint: number): void {
    this.joint = joint;
    this.viewer.select(joint);
    this.news.emit("joint", joint);
  }

  /** Fetches the description of a clip again after it was changed. */
  async refresh(id: number): Promise<void> {
    const clip = this.find(id);
    if (!clip) return;
    clip.detail = await api.clip(id);
    clip.name = clip.detail.summary.name;
    this.news.emit("open", this.open);
    if (id === this.activeId) this.news.emit("active", clip);
  }

  /** Tells what a list says of clips. */
  know(summaries: readonly ClipSummary[]): void {
    for (const one of summaries) this.listed.set(one.id, one);
  }

  private async load(clip: OpenClip): Promise<void> {
    const listed = this.listed.get(clip.id);
    const motion = listed && api.motion(listed);
    motion?.catch(() => undefined); // asked for again, or told below
    try {
      clip.detail = await api.clip(clip.id);
      const { summary } = clip.detail;
      clip.name = summary.name;
      clip.motion = await (motion && listed.revision === summary.revision ? motion : api.motion(summary));
      clip.tree = treeFromMessage(clip.detail.skeleton);
      if (!this.open.includes(clip)) return;
      this.viewer.add(clip.id, clip.tree, clip.motion);
      clip.state = "ready";
      this.dressIfWanted(clip);
      requestAnimationFrame(() => void this.findTracks(clip)); // first the body is shown
    } catch (thrown) {
      clip.state = "failed";
      clip.message = sentence(thrown);
    }
    if (!this.open.includes(clip)) return;
    this.news.emit("open", this.open);
    this.applyOrder();
  }

  private async findTracks(clip: OpenClip): Promise<void> {
    if (!this.open.includes(clip)) return;
    try {
      clip.tracks = (await api.tracks(clip.id)).tracks;
    } catch (thrown) {
      clip.tracks = [];
      if (!this.open.includes(clip)) return; // it was closed, or is gone
      this.news.notify(`The contacts of ${clip.name} could not be found: ${sentence(thrown)}`, "bad");
    }
    this.news.emit("tracks", clip);
  }

  /** Whether people stand in for clips without a mesh. */
  showPeople(shown: boolean): void {
    this.people = shown;
    for (const clip of this.open) this.dressIfWanted(clip);
  }

  /** Fetches the mesh of a clip once: its own, or a person where those are shown. */
  private dressIfWanted(clip: OpenClip): void {
    if (clip.state !== "ready" || this.dressed.has(clip)) return;
    const own = clip.detail!.summary.has_character;
    if (!own && !(this.people && isHuman(clip.tree!))) return;
    this.dressed.add(clip);
    void this.dress(clip, own);
  }

  private async dress(clip: OpenClip, own: boolean): Promise<void> {
    try {
      const { summary } = clip.detail!;
      const outfit = await unpack(await (own ? api.character(summary) : api.person(summary)), !own);
      if (!this.open.includes(clip)) return;
      this.viewer.wear(clip.id, outfit);
      this.transport.show();
      const lost = outfit.pictures.filter((picture) => picture === null).length;
      if (lost > 0) this.news.notify(`${lost} of the textures of ${clip.name} could not be decoded.`, "bad");
    } catch (thrown) {
      if (!own || !this.open.includes(clip)) return; // without a person the bones are shown
      this.news.notify(`The character of ${clip.name} could not be shown: ${sentence(thrown)}`, "bad");
    }
  }

  private applyOrder(): void {
    this.viewer.setOrder(
      this.open.map((clip) => clip.id),
      this.activeId,
    );
    const { active } = this;
    if (active && !active.result) this.sourceId = active.id;
    const { clock } = this.transport;
    const ready = this.open.filter((clip) => clip.motion);
    const fps = active?.motion?.fps ?? ready[0]?.motion?.fps ?? 30;
    const frames = Math.max(0, ...ready.map((clip) => Math.round((clip.motion!.frames / clip.motion!.fps) * fps)));
    if (frames !== clock.frames || fps !== clock.fps) clock.fit(frames, fps);
    if (active !== this.lastActive || active?.motion !== this.lastMotion) {
      this.lastActive = active;
      this.lastMotion = active?.motion ?? null;
      if (this.joint >= (active?.motion?.joints ?? 0)) this.joint = -1;
      this.news.emit("active", active);
      this.selectJoint(this.joint);
    }
    if (frames === 0) clock.playing = false;
    this.transport.show();
  }
}

function newClip(id: number): OpenClip {
  return {
    id,
    name: `Clip ${id}`,
    state: "loading",
    message: "",
    visible: true,
    result: false,
    detail: null,
    motion: null,
    tree: null,
    tracks: null,
  };
}

/** A row with its frames counted at another rate. */
function scaleTrack(track: Track, name: string, ratio: number): Track {
  const spans = track.spans.map(({ start, end, label }) => ({ start: start * ratio, end: end * ratio, label }));
  return { ...track, name, spans };
}
