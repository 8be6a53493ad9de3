/** The studio: its clips, its time, its library, what a person prefers, and the address that names all of it. */

import { api } from "./api/client";
import { EventStream } from "./api/events";
import type { Job, OperationRequest, Session, StudioEvent } from "./generated/messages";
import { type AddressState, type AddressView, parseAddress } from "./state/address";
import { Cast } from "./state/cast";
import { LibraryChanges } from "./state/library_changes";
import { Link } from "./state/link";
import { News } from "./state/news";
import { DEFAULT_PREFERENCES, loadPreferences, type Preferences, savePreferences } from "./state/preferences";
import { Transport } from "./state/transport";
import type { Theme } from "./viewer/palette";
import type { Viewer } from "./viewer/viewer";

export class Studio extends News {
  readonly preferences: Preferences = loadPreferences();
  readonly transport: Transport;
  readonly cast: Cast;
  readonly library: LibraryChanges;
  query = parseAddress(location.search).query;
  session: Session | null = null;
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

  constructor(readonly viewer: Viewer) {
    super();
    this.shown = new Promise((resolve) => (this.tellShown = resolve));
    const settled = (): void => this.writeAddress();
    const arrange = (): void => viewer.configure({ arrangement: this.arrangement });
    this.transport = new Transport(viewer, this, settled);
    this.cast = new Cast(viewer, this.transport, this, arrange, settled);
    this.library = new LibraryChanges(this.cast, this);
    this.clock.speed = this.preferences.speed;
    this.clock.loop = this.preferences.loop;
    this.dark.addEventListener("change", () => this.applyPreferences());
    this.applyPreferences();
  }

  get clock(): Transport["clock"] {
    return this.transport.clock;
  }

  /** How several clips stand: results have a choice of their own, as they would lie exactly over what they were made of. */
  get arrangement(): "overlay" | "side" {
    const { view, resultsBeside } = this.preferences;
    return this.cast.hasResults ? (resultsBeside ? "side" : "overlay") : view.arrangement;
  }

  toggleArrangement(): void {
    if (this.cast.hasResults) this.prefer({ resultsBeside: !this.preferences.resultsBeside });
    else this.preferView({ arrangement: this.arrangement === "side" ? "overlay" : "side" });
    this.transport.show();
    this.writeAddress();
  }

  get theme(): Theme {
    const choice = this.preferences.theme;
    return choice === "system" ? (this.dark.matches ? "dark" : "light") : choice;
  }

  /** Learns what the server offers and starts to listen. */
  async connect(asked: Promise<Session>): Promise<void> {
    const session = await asked;
    this.session = session;
    this.library.begin(session.revision, session.history, session.writable);
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

  private receive(event: StudioEvent): void {
    if (event.kind === "job") this.emit("job", event.job);
    else if (event.kind === "history") this.library.setHistory(event.state);
    else this.library.noticed(event.revision);
  }

  async run(operation: string, request: OperationRequest): Promise<Job> {
    const job = await api.run(operation, request);
    this.emit("job", job);
    return job;
  }

  // --- preferences

  prefer(change: Partial<Preferences>): void {
    Object.assign(this.preferences, change);
    savePreferences(this.preferences);
    this.applyPreferences();
  }

  preferView(change: Partial<Preferences["view"]>): void {
    this.prefer({ view: { ...this.preferences.view, ...change } });
    this.transport.show();
    this.writeAddress();
  }

  setSpeed(speed: number): void {
    this.transport.setSpeed(speed);
    this.prefer({ speed });
  }

  setLoop(loop: boolean): void {
    this.transport.setLoop(loop);
    this.prefer({ loop });
  }

  private applyPreferences(): void {
    document.documentElement.dataset["theme"] = this.theme;
    this.viewer.configure({ ...this.preferences.view, arrangement: this.arrangement, theme: this.theme });
    this.cast.showPeople(this.preferences.view.style === "mesh");
    this.emit("preferences", this.preferences);
  }

  // --- address

  setQuery(query: string): void {
    this.query = query;
    this.writeAddress();
  }

  /** Opens what the address names; of loose files, where it names nothing, the first. */
  async restore(address: AddressState = parseAddress(location.search)): Promise<void> {
    await this.link.follow(() => this.openAddress(address));
    requestAnimationFrame(() => requestAnimationFrame(() => this.tellShown()));
  }

  private async openAddress(address: AddressState): Promise<void> {
    this.cast.expectResults(address.results);
    const loose = address.clips.length === 0 && this.session?.temporary === true;
    const first = loose ? (await api.clips("", 0, 1)).clips : [];
    this.cast.know(first);
    await this.cast.openClips(loose ? first.map((clip) => clip.id) : [...address.clips, ...address.results]);
    const linked = address.camera.length === 6;
    if (linked) this.takeView(address.view);
    if (address.range.length === 2) this.transport.limit(address.range[0], address.range[1]);
    else if (this.clock.limited) this.transport.limit(0, this.clock.frames);
    this.transport.seek(address.frame);
    const stance = linked ? address.camera : this.preferences.stance;
    if (address.clips.length > 0 && stance.length === 6) this.viewer.stance = stance;
  }

  /** The view that a link holds: what it does not name is as usual. */
  private takeView(linked: AddressView): void {
    const { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement } = DEFAULT_PREFERENCES.view;
    const view = { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement, ...linked };
    this.prefer({
      view: { ...this.preferences.view, ...view },
      ...(this.cast.hasResults ? { resultsBeside: view.arrangement === "side" } : {}),
    });
    this.transport.show();
  }

  /** All that a link to what is seen holds. */
  private addressState(): AddressState {
    const { style, follow, lockRoot, ghosts, paths, pathChoice } = this.preferences.view;
    const usual = DEFAULT_PREFERENCES.view;
    const { open } = this.cast;
    const now: AddressView = { style, follow, lockRoot, ghosts, paths, pathChoice, arrangement: this.arrangement };
    const kept = Object.entries(now).filter(([key, value]) =>
      key === "arrangement" ? open.length > 1 && value !== usual.arrangement : value !== usual[key as keyof typeof usual],
    );
    return {
      clips: open.filter((clip) => !clip.result).map((clip) => clip.id),
      results: open.filter((clip) => clip.result).map((clip) => clip.id),
      frame: this.clock.shown,
      query: this.query,
      range: this.clock.limited ? [this.clock.start, this.clock.end] : [],
      camera: open.length > 0 ? this.viewer.stance : [],
      view: Object.fromEntries(kept),
    };
  }

  /** Keeps what is seen in the address, a moment later. */
  writeAddress(): void {
    this.link.write();
  }
}
