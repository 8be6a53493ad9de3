/** The page: a bar at the top, library, stage, tabs, time line; panes can be resized and folded away. */

import type { NarrowPane, TabName } from "../state/preferences";
import type { Studio } from "../studio";
import { CurvesPane } from "./curves_pane";
import { h, icon, iconButton, type IconName, refill } from "./dom";
import { createHelp } from "./help";
import { InfoPane } from "./info_pane";
import { JointsPane } from "./joints_pane";
import { listenToKeys } from "./keys";
import { LibraryPane } from "./library_pane";
import { OperationsPane } from "./operations_pane";
import { createSplitter } from "./splitter";
import { createCast, createRadioGroup, createStageBar } from "./stage_bar";
import { TimelinePane } from "./timeline_pane";
import { createToasts } from "./toasts";
import { Uploads } from "./uploads";

const TABS: readonly (readonly [TabName, string])[] = [
  ["joints", "Joints"],
  ["curves", "Curves"],
  ["operations", "Operations"],
  ["info", "Info"],
];

export interface Layout {
  /** Called once the session is known. */
  start(): void;
  /** Instead of the stage: what went wrong at the start. */
  fail(message: string): void;
}

export function buildLayout(host: HTMLElement, studio: Studio, canvas: HTMLCanvasElement): Layout {
  const uploads = new Uploads(studio);
  const library = new LibraryPane(studio, uploads.choose);
  const timeline = new TimelinePane(studio);
  const operations = new OperationsPane(studio);
  const help = createHelp();
  const side = createTabs(studio, operations);
  const stage = createStage(studio, canvas, uploads.choose);
  const limits = { library: [200, 480], side: [264, 560], timeline: [112, 420] } as const;
  const prefer = (key: "libraryWidth" | "sideWidth" | "timelineHeight") => (size: number) =>
    studio.prefer({ [key]: size });
  const main = h(
    "main",
    { class: "workspace" },
    library.element,
    createSplitter({
      label: "Width of the library",
      axis: "x",
      direction: 1,
      low: limits.library[0],
      high: () => limits.library[1],
      get: () => studio.preferences.libraryWidth,
      set: prefer("libraryWidth"),
    }),
    stage.element,
    createSplitter({
      label: "Width of the side pane",
      axis: "x",
      direction: -1,
      low: limits.side[0],
      high: () => limits.side[1],
      get: () => studio.preferences.sideWidth,
      set: prefer("sideWidth"),
    }),
    side,
  );
  const below = createSplitter({
    label: "Height of the time line",
    axis: "y",
    direction: -1,
    low: limits.timeline[0],
    high: () => limits.timeline[1],
    get: () => studio.preferences.timelineHeight,
    set: prefer("timelineHeight"),
  });
  const topBar = createTopBar(studio, help.show);
  const switcher = createSwitcher(studio);
  refill(
    host,
    topBar.element,
    switcher,
    main,
    below,
    timeline.element,
    createToasts(studio),
    uploads.panel,
    uploads.veil,
    help.element,
  );
  const apply = (): void => {
    const p = studio.preferences;
    host.style.setProperty("--library-width", `${p.libraryWidth}px`);
    host.style.setProperty("--side-width", `${p.sideWidth}px`);
    host.style.setProperty("--timeline-height", `${p.timelineHeight}px`);
    host.classList.toggle("no-library", !p.libraryOpen);
    host.classList.toggle("no-side", !p.sideOpen);
    host.classList.toggle("no-timeline", !p.timelineOpen);
    host.dataset["narrow"] = p.narrowPane;
  };
  studio.on("preferences", apply);
  apply();
  listenToKeys(studio, {
    help: help.show,
    search: () => {
      if (!studio.preferences.libraryOpen) studio.prefer({ libraryOpen: true });
      if (studio.preferences.narrowPane !== "library") studio.prefer({ narrowPane: "library" });
      library.focusSearch();
    },
  });
  return {
    start: () => {
      topBar.start();
      operations.start();
      library.reload(true);
      stage.update();
    },
    fail: stage.fail,
  };
}

const NARROW: readonly (readonly [NarrowPane, string])[] = [
  ["stage", "Stage"],
  ["library", "Library"],
  ["side", "Details"],
];

/** In a narrow window: which pane is shown. */
function createSwitcher(studio: Studio): HTMLElement {
  const buttons = NARROW.map(([name, text]) =>
    h("button", { type: "button", role: "radio", onclick: () => studio.prefer({ narrowPane: name }) }, text),
  );
  const group = createRadioGroup("Shown pane", buttons);
  const update = (): void =>
    NARROW.forEach(([name], k) => {
      const chosen = name === studio.preferences.narrowPane;
      buttons[k].setAttribute("aria-checked", String(chosen));
      buttons[k].tabIndex = chosen ? 0 : -1;
    });
  studio.on("preferences", update);
  update();
  return h("nav", { class: "switcher", "aria-label": "Panes" }, group);
}

function createTopBar(studio: Studio, showHelp: () => void): { element: HTMLElement; start(): void } {
  const title = h("span", { class: "library-title ellipsis" });
  const offline = h(
    "span",
    { class: "offline", role: "status", hidden: true },
    icon("warning", 14),
    "No connection, trying again",
  );
  const fold = (name: IconName, label: string, key: "libraryOpen" | "sideOpen" | "timelineOpen"): HTMLButtonElement => {
    const button = iconButton(name, label, () => studio.prefer({ [key]: !studio.preferences[key] }));
    const update = (): void => button.setAttribute("aria-pressed", String(studio.preferences[key]));
    studio.on("preferences", update);
    update();
    return button;
  };
  const travel = (name: "undo" | "redo", word: string, keys: string): HTMLButtonElement => {
    const button = iconButton(name, word, () => void studio.library[name]());
    const update = (): void => {
      const what = studio.library.history[name];
      button.disabled = what === "" || studio.session?.writable === false;
      button.title = what ? `${word}: ${what} (${keys})` : `Nothing to ${name} (${keys})`;
      button.setAttribute("aria-label", what ? `${word}: ${what}` : word);
    };
    studio.on("history", update);
    update();
    return button;
  };
  const order = ["system", "light", "dark"] as const;
  const theme = iconButton("auto", "Colours", () => {
    const next = order[(order.indexOf(studio.preferences.theme) + 1) % order.length];
    studio.prefer({ theme: next });
  });
  const showTheme = (): void => {
    const choice = studio.preferences.theme;
    const label = `Colours: ${choice === "system" ? "as the system" : choice}`;
    refill(theme, icon(choice === "system" ? "auto" : choice === "light" ? "sun" : "moon"));
    theme.setAttribute("aria-label", label);
    theme.title = label;
  };
  studio.on("preferences", showTheme);
  showTheme();
  let seen = false;
  studio.on("connected", (open) => {
    seen ||= open;
    offline.hidden = open || !seen;
  });
  const element = h(
    "header",
    { class: "top-bar" },
    h("h1", { class: "brand" }, "reenact", h("span", {}, "studio")),
    title,
    offline,
    h("span", { class: "grow" }),
    travel("undo", "Undo", "Ctrl+Z"),
    travel("redo", "Redo", "Ctrl+Shift+Z"),
    h("span", { class: "divider" }),
    h(
      "span",
      { class: "folds" },
      fold("left", "Library pane", "libraryOpen"),
      fold("bottom", "Time line", "timelineOpen"),
      fold("right", "Side pane", "sideOpen"),
    ),
    h("span", { class: "divider" }),
    theme,
    iconButton("help", "Keys (?)", showHelp),
  );
  return {
    element,
    start: () => {
      const session = studio.session!;
      title.textContent = session.temporary ? `${session.title} (not kept)` : session.title;
      title.title = session.library_path;
      document.title = `${session.title} · reenact studio`;
    },
  };
}

function createStage(
  studio: Studio,
  canvas: HTMLCanvasElement,
  chooseFiles: () => void,
): { element: HTMLElement; update(): void; fail(message: string): void } {
  const message = h("div", { class: "stage-message", hidden: true });
  const holder = h("div", { class: "stage-canvas" }, canvas, createCast(studio), message);
  let failed = false;
  const update = (): void => {
    if (failed) return;
    const open = studio.cast.open.length > 0;
    message.hidden = open && !studio.cast.open.every((clip) => clip.state === "failed");
    if (message.hidden) return;
    if (open) {
      const broken = studio.cast.open[0];
      refill(
        message,
        h("strong", {}, `${broken.name} could not be opened`),
        h("p", {}, broken.message),
        h("button", { type: "button", class: "button", onclick: () => void studio.cast.retry(broken.id) }, "Try again"),
      );
    } else {
      const empty = studio.library.size === 0;
      refill(
        message,
        icon(empty ? "upload" : "clip", 36),
        h("strong", {}, empty ? "Drop motion files here" : "Choose a clip"),
        h(
          "p",
          {},
          empty
            ? "They are read, checked and kept in the library; then they can be played, compared and changed."
            : "Press a clip in the library to see it move, the plus in its row to lay it over others.",
        ),
        h("button", { type: "button", class: "button", onclick: chooseFiles }, icon("upload"), "Add files"),
      );
    }
  };
  studio.on("open", update);
  studio.on("size", update);
  const element = h("section", { class: "stage", "aria-label": "Stage" }, createStageBar(studio), holder);
  return {
    element,
    update,
    fail: (text) => {
      failed = true;
      message.hidden = false;
      refill(
        message,
        icon("warning", 36),
        h("strong", {}, "The studio could not start"),
        h("p", {}, text),
        h("button", { type: "button", class: "button", onclick: () => location.reload() }, "Try again"),
      );
    },
  };
}

function createTabs(studio: Studio, operations: OperationsPane): HTMLElement {
  const curves = new CurvesPane(studio);
  const bodies: Record<TabName, HTMLElement> = {
    joints: new JointsPane(studio).element,
    curves: curves.element,
    operations: operations.element,
    info: new InfoPane(studio).element,
  };
  const tabs = TABS.map(([name, text]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": `panel-${name}`,
        onclick: () => studio.prefer({ tab: name }),
      },
      text,
    ),
  );
  const panels = TABS.map(([name]) =>
    h(
      "div",
      { role: "tabpanel", id: `panel-${name}`, class: "panel", "aria-labelledby": `tab-${name}`, tabindex: -1 },
      bodies[name],
    ),
  );
  const show = (): void =>
    TABS.forEach(([name], k) => {
      const chosen = name === studio.preferences.tab;
      tabs[k].setAttribute("aria-selected", String(chosen));
      tabs[k].tabIndex = chosen ? 0 : -1;
      panels[k].hidden = !chosen;
    });
  let shown: TabName | null = null;
  const update = (): void => {
    show();
    const open = studio.preferences.tab;
    if (open !== shown) curves.setActive(open === "curves");
    if (open !== shown && open === "operations") operations.refresh();
    shown = open;
  };
  studio.on("preferences", update);
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "About the clip" }, ...tabs);
  bar.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = TABS.findIndex(([name]) => name === studio.preferences.tab);
    const next = (at + way + TABS.length) % TABS.length;
    studio.prefer({ tab: TABS[next][0] });
    tabs[next].focus();
  });
  const element = h("section", { class: "pane side", "aria-label": "Details" }, bar, ...panels);
  update();
  return element;
}
