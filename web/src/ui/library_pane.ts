/** The library: search, tags, and a list that stays quick with thousands of clips. */

import { api, RequestError, sentence } from "../api/client";
import type { ClipSummary, TagCount } from "../generated/messages";
import { formatDuration } from "../player/timeline_maths";
import type { Studio } from "../studio";
import { debounce, fill, h, icon, iconButton, nameParts, refill } from "./dom";
import { PictureQueue } from "./picture_queue";
import { pagesOf, scrollToRow, visibleRows } from "./virtual_rows";

const ROW = 64;
const PAGE = 100;
const MOST_TAGS = 14;

export class LibraryPane {
  readonly element: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly chips = h("div", { class: "chips", role: "group", "aria-label": "Tags" });
  private readonly count = h("span", { class: "quiet count", "aria-live": "polite" });
  private readonly space = h("div", { class: "rows" });
  private readonly list: HTMLElement;
  private readonly message = h("div", { class: "pane-message", hidden: true });
  private readonly thumbnails: PictureQueue;
  private pages = new Map<number, ClipSummary[]>();
  private asked = new Set<number>();
  private total = -1;
  private tags: TagCount[] = [];
  private rows = new Map<number, HTMLElement>();
  private readonly chipOf = new Map<string, HTMLButtonElement>();
  /** A pointer is down on the tags. */
  private pressing = false;
  private drawLater = false;
  /** A press on a clip adds it or takes it away, as with Ctrl, which fingers do not have. */
  private several = false;
  private readonly severalButton = iconButton("several", "Choose several", () => this.chooseSeveral(!this.several));
  private readonly chosen = h("span", { class: "grow" });
  private readonly chosenBar = h(
    "div",
    { class: "chosen-bar", hidden: true },
    this.chosen,
    h("button", { type: "button", class: "button", onclick: () => this.chooseSeveral(false) }, "Done"),
  );
  private cursor = 0;
  private anchor = 0;
  private turn = 0;

  constructor(
    private readonly studio: Studio,
    chooseFiles: () => void,
  ) {
    this.thumbnails = new PictureQueue(studio.shown);
    this.search = h("input", {
      type: "search",
      placeholder: "Search names, tags, types",
      "aria-label": "Search the library",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.search.value = studio.query;
    const searchSoon = debounce(() => {
      studio.setQuery(this.search.value.trim());
      this.reload(true);
    }, 180);
    this.search.addEventListener("input", searchSoon);
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        this.list.focus();
      }
    });
    this.list = h("div", {
      class: "list",
      role: "listbox",
      tabindex: 0,
      "aria-label": "Clips",
      "aria-multiselectable": "true",
      onscroll: () => this.draw(),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.list.append(this.space);
    const add = iconButton("upload", "Add files", chooseFiles);
    this.element = h(
      "section",
      { class: "pane library", "aria-label": "Library" },
      h("header", { class: "pane-head" }, h("h2", {}, "Library"), this.count, h("span", { class: "grow" }), this.severalButton, add),
      h("div", { class: "search" }, icon("search"), this.search),
      this.chips,
      this.list,
      this.message,
      this.chosenBar,
    );
    this.severalButton.setAttribute("aria-pressed", "false");
    this.chips.addEventListener("pointerdown", () => (this.pressing = true));
    for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, () => this.release());
    new ResizeObserver(() => this.draw()).observe(this.list);
    studio.on("library", () => this.reload(false));
    studio.on("query", (query) => {
      this.search.value = query;
      this.reload(true);
    });
    studio.on("open", () => this.markOpen());
    let theme = studio.theme;
    studio.on("preferences", () => {
      if (studio.theme === theme) return;
      theme = studio.theme;
      this.redraw(); // thumbnails have the page's colours
    });
    studio.on("connected", (open) => open && this.total < 0 && this.reload(true));
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  /** Asks again for what is shown. */
  reload(toTop: boolean): void {
    this.turn++;
    this.asked.clear();
    if (toTop) {
      this.pages.clear();
      this.list.scrollTop = 0;
      this.cursor = 0;
    }
    if (this.total < 0) this.showSkeletons();
    void this.ask(toTop ? 0 : Math.floor(this.list.scrollTop / ROW / PAGE), true);
  }

  private async ask(page: number, fresh: boolean): Promise<void> {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    const turn = this.turn;
    try {
      const answer = await api.clips(this.studio.query, page * PAGE, PAGE);
      if (turn !== this.turn) return;
      if (fresh) this.pages.clear();
      this.pages.set(page, answer.clips);
      this.studio.cast.know(answer.clips);
      this.total = answer.total;
      if (this.studio.query === "") this.studio.library.setSize(answer.total);
      this.tags = answer.tags;
      this.drawChips();
      this.redraw();
      this.showState();
    } catch (thrown) {
      if (turn !== this.turn) return;
      this.asked.delete(page);
      this.showFailure(thrown);
    }
  }

  private summary(row: number): ClipSummary | undefined {
    return this.pages.get(Math.floor(row / PAGE))?.[row % PAGE];
  }

  /** Draws rows anew whose clip is another or was changed; the others stay, so that no click on them is lost. */
  private redraw(): void {
    for (const [row, element] of this.rows) {
      const summary = this.summary(row);
      if (summary && element.dataset["shows"] === this.stampOf(summary)) continue;
      element.remove();
      this.rows.delete(row);
    }
    this.draw();
  }

  /** All that a row shows. */
  private stampOf(clip: ClipSummary): string {
    return JSON.stringify([clip, this.total, this.studio.theme]);
  }

  private draw(): void {
    if (this.total < 0) return;
    this.space.style.height = `${this.total * ROW}px`;
    const range = visibleRows(this.list.scrollTop, this.list.clientHeight, ROW, this.total);
    for (const page of pagesOf(range, PAGE)) if (!this.pages.has(page)) void this.ask(page, false);
    for (const [row, element] of this.rows)
      if (row < range.first || row >= range.end) {
        element.remove();
        this.rows.delete(row);
      }
    for (let row = range.first; row < range.end; row++) {
      const summary = this.summary(row);
      const known = this.rows.get(row);
      if (known && (known.dataset["id"] !== undefined || !summary)) continue;
      known?.remove();
      const element = summary
        ? this.createRow(row, summary)
        : h("div", { class: "row waiting", "aria-hidden": "true" });
      element.style.transform = `translateY(${row * ROW}px)`;
      this.rows.set(row, element);
      this.space.append(element);
    }
    this.markOpen();
  }

  private createRow(row: number, clip: ClipSummary): HTMLElement {
    const picture = h("img", { alt: "", decoding: "async", width: 64, height: 48, draggable: "false" });
    picture.addEventListener("error", () => picture.classList.add("broken"), { once: true });
    this.thumbnails.add(picture, api.thumbnailAddress(clip, this.studio.theme));
    const facts = [formatDuration(clip.seconds), `${clip.frames} frames`, `${Math.round(clip.fps * 100) / 100} Hz`];
    const labels = [clip.type, ...clip.tags].filter((tag, k, all) => tag && all.indexOf(tag) === k).slice(0, 3);
    return h(
      "div",
      {
        class: "row",
        role: "option",
        id: `clip-row-${row}`,
        "data-id": clip.id,
        "data-shows": this.stampOf(clip),
        "aria-setsize": this.total,
        "aria-posinset": row + 1,
        title: [clip.name, clip.description, clip.source].filter(Boolean).join("\n"),
        onclick: (event: MouseEvent) => this.choose(row, event),
      },
      h("span", { class: "thumb" }, picture),
      h(
        "span",
        { class: "row-text" },
        h("span", { class: "row-name one-line" }, ...nameParts(clip.name)),
        h("span", { class: "row-facts quiet" }, facts.join(" · ")),
        labels.length > 0 &&
          h("span", { class: "row-tags quiet" }, ...labels.map((label) => h("span", { class: "tag" }, label))),
      ),
      this.createAdd(row),
    );
  }

  /** For fingers, which have no Ctrl key; by keys it is Ctrl Space. */
  private createAdd(row: number): HTMLElement {
    const add = h(
      "button",
      { type: "button", class: "icon-button small add", tabindex: -1, "aria-hidden": "true", title: "Add to the stage, or take away (Ctrl click)" },
      icon("plus"),
      icon("check"),
    );
    add.addEventListener("click", (event) => {
      event.stopPropagation();
      this.choose(row, { shiftKey: false, ctrlKey: true, metaKey: false });
    });
    return add;
  }

  private choose(row: number, event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): void {
    const clip = this.summary(row);
    if (!clip) return;
    this.cursor = row;
    const open = this.studio.cast.open.map((other) => other.id);
    if (event.shiftKey) {
      const [low, high] = [Math.min(this.anchor, row), Math.max(this.anchor, row)];
      const ids: number[] = [];
      for (let k = low; k <= high; k++) {
        const found = this.summary(k);
        if (found) ids.push(found.id);
      }
      void this.studio.cast.openClips(ids);
    } else if (event.ctrlKey || event.metaKey || this.several) {
      this.anchor = row;
      void (open.includes(clip.id) ? this.studio.cast.closeClip(clip.id) : this.studio.cast.addClip(clip.id));
    } else {
      this.anchor = row;
      void this.studio.cast.openClips([clip.id]);
      if (matchMedia("(max-width: 600px)").matches) this.studio.prefer({ narrowPane: "stage" });
    }
    this.markOpen();
  }

  private chooseSeveral(several: boolean): void {
    this.several = several;
    this.severalButton.setAttribute("aria-pressed", String(several));
    this.list.classList.toggle("several", several);
    this.chosenBar.hidden = !several;
    if (!several && this.studio.cast.open.length > 0 && matchMedia("(max-width: 600px)").matches)
      this.studio.prefer({ narrowPane: "stage" });
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -this.total,
      End: this.total,
    };
    const move = moves[event.key];
    if (move !== undefined) {
      this.cursor = Math.max(0, Math.min(this.total - 1, this.cursor + move));
      this.list.scrollTop = scrollToRow(this.list.scrollTop, this.list.clientHeight, ROW, this.cursor);
      this.draw();
    } else if (event.key === "Enter") this.choose(this.cursor, event);
    else if (event.key === " " && (event.ctrlKey || event.metaKey))
      this.choose(this.cursor, { shiftKey: false, ctrlKey: true, metaKey: false });
    else return; // the bare space bar plays, here as everywhere
    event.preventDefault();
    event.stopPropagation();
  }

  private markOpen(): void {
    const open = new Set(this.studio.cast.open.map((clip) => String(clip.id)));
    const active = String(this.studio.cast.activeId);
    this.chosen.textContent = open.size === 1 ? "1 clip is open" : `${open.size} clips are open`;
    for (const [row, element] of this.rows) {
      const id = element.dataset["id"];
      if (id === undefined) continue;
      element.setAttribute("aria-selected", String(open.has(id)));
      element.classList.toggle("leading", id === active && open.size > 1);
      element.classList.toggle("current", row === this.cursor);
    }
    if (this.rows.has(this.cursor)) this.list.setAttribute("aria-activedescendant", `clip-row-${this.cursor}`);
  }

  private drawChips(): void {
    const words = wordsOf(this.studio.query);
    const chosen = (name: string): boolean => words.includes(tagWord(name));
    const shown = [...this.tags].sort((a, b) => Number(chosen(b.name)) - Number(chosen(a.name)) || b.count - a.count);
    const wanted = shown.slice(0, MOST_TAGS).map((tag) => {
      const chip = this.chipOf.get(tag.name) ?? this.createChip(tag.name);
      chip.setAttribute("aria-pressed", String(chosen(tag.name)));
      chip.lastElementChild!.textContent = String(tag.count);
      return chip;
    });
    this.chips.hidden = this.tags.length === 0;
    if (wanted.length === this.chips.childElementCount && wanted.every((chip, k) => chip === this.chips.children[k])) return;
    if (this.pressing) this.drawLater = true; // moving a button under the finger would lose its click
    else refill(this.chips, ...wanted);
  }

  private createChip(name: string): HTMLButtonElement {
    const chip = h(
      "button",
      { type: "button", class: "chip", onclick: () => this.toggleTag(name) },
      name,
      h("span", { class: "chip-count" }),
    );
    this.chipOf.set(name, chip);
    return chip;
  }

  /** Adds a tag to the search, or takes it away; the search is that of now, whatever was drawn last. */
  private toggleTag(name: string): void {
    const words = wordsOf(this.search.value);
    const rest = words.filter((word) => word !== tagWord(name));
    const query = (rest.length < words.length ? rest : [...words, tagWord(name)]).join(" ");
    this.search.value = query;
    this.studio.setQuery(query);
    this.drawChips();
    this.reload(true);
  }

  private release(): void {
    if (!this.pressing) return;
    this.pressing = false;
    if (!this.drawLater) return;
    this.drawLater = false;
    setTimeout(() => this.drawChips()); // after the click
  }

  private showSkeletons(): void {
    refill(
      this.space,
      ...Array.from({ length: 8 }, (_, k) => {
        const row = h("div", { class: "row waiting", "aria-hidden": "true" });
        row.style.transform = `translateY(${k * ROW}px)`;
        return row;
      }),
    );
  }

  private showState(): void {
    this.count.textContent = this.total === 1 ? "1 clip" : `${this.total} clips`;
    this.space
      .querySelectorAll(".waiting")
      .forEach((row) => ![...this.rows.values()].includes(row as HTMLElement) && row.remove());
    this.message.hidden = this.total > 0;
    this.list.hidden = this.total === 0;
    if (this.total > 0) return;
    if (this.studio.query) {
      refill(
        this.message,
        h("strong", {}, "Nothing found"),
        h("p", {}, `No clip answers “${this.studio.query}”.`),
        h("button", { type: "button", class: "button", onclick: () => this.clearSearch() }, "Show all clips"),
      );
    } else {
      const endings = this.studio.session?.formats.flatMap((format) => format.endings).join(", ") ?? "";
      refill(
        this.message,
        h("strong", {}, "The library is empty"),
        h("p", {}, "Drop motion files anywhere on this page, or use the arrow above to choose some."),
      );
      if (endings) fill(this.message, h("p", { class: "quiet" }, `Read are ${endings}`));
    }
  }

  private clearSearch(): void {
    this.search.value = "";
    this.studio.setQuery("");
    this.reload(true);
  }

  private showFailure(thrown: unknown): void {
    this.message.hidden = false;
    this.list.hidden = true;
    this.total = -1;
    const offline = thrown instanceof RequestError && thrown.status === 0;
    refill(
      this.message,
      h("strong", {}, offline ? "No connection" : "The library could not be read"),
      h("p", {}, sentence(thrown)),
      h(
        "button",
        {
          type: "button",
          class: "button",
          onclick: () => ((this.message.hidden = true), (this.list.hidden = false), this.reload(true)),
        },
        "Try again",
      ),
    );
  }
}

/** The words of a query; what stands between quotes is one. */
function wordsOf(query: string): string[] {
  return query.match(/[^\s"]*"[^"]*"|\S+/g)?.map(String) ?? [];
}

/** How a tag is written in a query. */
export function tagWord(name: string): string {
  return /\s/.test(name) ? `tag:"${name}"` : `tag:${name}`;
}
