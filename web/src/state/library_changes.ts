/** Changes of the library, made here, in another window or by another program, and taking them back. */

import { api, RequestError, sentence } from "../api/client";
import type { HistoryState, HistoryStep } from "../generated/messages";
import type { Cast } from "./cast";
import type { News } from "./news";

export class LibraryChanges {
  history: HistoryState = { undo: "", redo: "", undo_number: 0 };
  /** Clips in the whole library, -1 before it is known. */
  size = -1;
  /** False: nothing can be changed. */
  writable = true;
  private revision = -1;
  /** Steps of the history under way: what goes by them is told once, by them. */
  private travelling = 0;

  constructor(
    private readonly cast: Cast,
    private readonly news: News,
  ) {}

  /** Takes over what the server says at the start. */
  begin(revision: number, history: HistoryState, writable: boolean): void {
    this.revision = revision;
    this.writable = writable;
    this.setHistory(history);
  }

  setHistory(state: HistoryState): void {
    this.history = state;
    this.news.emit("history", state);
  }

  setSize(size: number): void {
    if (size === this.size) return;
    this.size = size;
    this.news.emit("size", size);
  }

  /** The library is another one now. */
  noticed(revision: number): void {
    if (revision === this.revision) return;
    this.revision = revision;
    this.news.emit("library", revision);
    this.checkOpen().catch((thrown: unknown) => this.news.notify(sentence(thrown), "bad"));
  }

  /** Takes the last change of the library back, whichever page made it. */
  async undo(): Promise<void> {
    await this.travel(api.undo, "Undone");
  }

  async redo(): Promise<void> {
    await this.travel(api.redo, "Done again");
  }

  /** Removes a clip from the stage and from the library. */
  async remove(id: number): Promise<void> {
    const before = this.cast.open.map((clip) => clip.id);
    await this.cast.closeClip(id);
    try {
      await api.remove(id);
    } catch (thrown) {
      await this.cast.openClips(before);
      throw thrown;
    }
    this.news.emit("library", this.revision);
  }

  private async travel(way: () => Promise<HistoryStep>, told: string): Promise<void> {
    if (!this.writable) return;
    this.travelling++;
    try {
      const { done } = await way();
      this.news.notify(`${told}: ${done}`, "good");
      this.news.emit("library", this.revision);
      await this.checkOpen();
    } catch (thrown) {
      this.news.notify(sentence(thrown), thrown instanceof RequestError && thrown.status === 404 ? "info" : "bad");
    } finally {
      this.travelling--;
    }
  }

  /** Clips that are gone are closed, names are fetched again. */
  private async checkOpen(): Promise<void> {
    for (const clip of [...this.cast.open]) {
      if (clip.state !== "ready") continue;
      // A search and no request for the clip itself: that it is gone is an answer, not a failure.
      const { clips } = await api.clips(`id=${clip.id}`, 0, 1);
      if (!this.cast.open.includes(clip)) continue;
      if (clips.length === 0) {
        if (this.travelling === 0) this.news.notify(`${clip.name} was removed from the library.`, "info");
        await this.cast.closeClip(clip.id);
      } else if (JSON.stringify(clips[0]) !== JSON.stringify(clip.detail?.summary)) await this.cast.refresh(clip.id);
    }
  }
}
