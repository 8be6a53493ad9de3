/** Elements without ceremony. Styles are set by class or CSSOM only: the page's policy forbids inline style attributes. */

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;
export type Child = Node | string | null | undefined | false;

/** An element with attributes, listeners (`onclick`) and children. `true` sets an empty attribute, `false` none. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/** Puts children behind what is there. */
export function fill(element: Element, ...children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** Replaces everything inside. */
export function refill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  fill(element, ...children);
}

const PATHS = {
  play: "M7 4.5v15l12-7.500z",
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  back: "M17 5v14l-9-7zM5.500 5H8v14H5.500z",
  forward: "M7 5v14l9-7zM16 5h2.500v14H16z",
  first: "M18 5v14l-8-7zM6 5h2.200v14H6z",
  last: "M6 5v14l8-7zM15.800 5H18v14h-2.200z",
} as const;

const STROKES = {
  loop: "M17 3l3 3-3 3M4 11V9a3 3 0 013-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 01-3 3H4",
  search: "M10.500 17a6.500 6.500 0 100-13 6.500 6.500 0 000 13zM15.500 15.500L21 21",
  close: "M6 6l12 12M18 6L6 18",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 15a3 3 0 100-6 3 3 0 000 6z",
  hidden:
    "M4 4l16 16M9.500 5.800A9 9 0 0112 5.500c6 0 9.500 6.500 9.500 6.500a17 17 0 01-2.800 3.500M6.300 7.500A16 16 0 002.500 12S6 18.500 12 18.500a9 9 0 004-.9",
  sun: "M12 16a4 4 0 100-8 4 4 0 000 8zM12 2v2.500M12 19.500V22M2 12h2.500M19.500 12H22M5 5l1.700 1.700M17.300 17.300L19 19M5 19l1.700-1.700M17.300 6.700L19 5",
  moon: "M20 14.500A8.500 8.500 0 019.500 4 8.500 8.500 0 1020 14.500z",
  auto: "M12 3.500a8.500 8.500 0 100 17 8.500 8.500 0 000-17zM12 3.500v17M12 8l5-2M12 12h8M12 16l5 2",
  help: "M12 21a9 9 0 100-18 9 9 0 000 18zM9.500 9.500a2.500 2.500 0 113.500 2.300c-.7.400-1 .9-1 1.700M12 16.800v.1",
  upload: "M12 16V4M7 9l5-5 5 5M4 16v3a1.500 1.500 0 001.500 1.500h13A1.500 1.500 0 0020 19v-3",
  download: "M12 4v12M7 11l5 5 5-5M4 17v2a1.500 1.500 0 001.500 1.500h13A1.500 1.500 0 0020 19v-2",
  left: "M4 4.500h16v15H4zM9.500 4.500v15",
  right: "M4 4.500h16v15H4zM14.500 4.500v15",
  bottom: "M4 4.500h16v15H4zM4 14h16",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  trash: "M4 7h16M10 4h4M6.500 7l.8 13h9.400l.8-13M10 11v5.500M14 11v5.500",
  camera: "M4 8h3.500L9 5.500h6L16.500 8H20v11H4zM12 16.500a3.200 3.200 0 100-6.400 3.200 3.200 0 000 6.400z",
  check: "M5 12.500l4.500 4.500L19 7",
  warning: "M12 4l9 16H3zM12 10v4.500M12 17.200v.1",
  plus: "M12 5v14M5 12h14",
  several: "M3.500 6.500l2 2 3.500-3.500M3.500 16.500l2 2 3.500-3.500M12.500 7h8M12.500 17h8",
  up: "M12 19V6M6 11l6-6 6 6",
  playhead: "M8 3.500h8v5l-4 4-4-4zM12 12.500V21",
  undo: "M8 5L4 9l4 4M4 9h10a5.500 5.500 0 010 11h-4",
  redo: "M16 5l4 4-4 4M20 9H10a5.500 5.500 0 000 11h4",
  clip: "M4 5h16v14H4zM8 5v14M16 5v14M4 9.700h4M4 14.300h4M16 9.700h4M16 14.300h4",
} as const;

export type IconName = keyof typeof PATHS | keyof typeof STROKES;

/** A 24-unit pictogram in the text's colour; decoration only, so controls carry their own label. */
export function icon(name: IconName, size = 16): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(space, "path");
  if (name in PATHS) {
    path.setAttribute("d", PATHS[name as keyof typeof PATHS]);
    path.setAttribute("fill", "currentColor");
  } else {
    path.setAttribute("d", STROKES[name as keyof typeof STROKES]);
    for (const [key, value] of Object.entries({
      fill: "none",
      stroke: "currentColor",
      "stroke-width": "1.8",
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }))
      path.setAttribute(key, value);
  }
  svg.append(path);
  return svg;
}

/** Longer names are shortened in their middle where there is no room: results differ in how their names end. */
const SHORT_NAME = 16;
const TAIL = 9;

/** A name for one line: it keeps its beginning and its end as long as anything fits. */
export function nameParts(name: string): HTMLElement[] {
  if (name.length <= SHORT_NAME) return [h("span", {}, name)];
  const cut = name.length - TAIL;
  return [h("span", { class: "name-head" }, name.slice(0, cut)), h("span", { class: "name-tail" }, name.slice(cut))];
}

/** A name of at most so many letters, shortened in its middle: for places that hold nothing but text. */
export function shortName(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - TAIL - 1)}…${name.slice(-TAIL)}`;
}

/** A square button with a pictogram; its label is spoken and shown as a hint. */
export function iconButton(name: IconName, label: string, run: () => void, className = ""): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: `icon-button ${className}`, "aria-label": label, title: label, onclick: run },
    icon(name),
  );
}

/** Calls `run` once, some time after the last call. */
export function debounce<Arguments extends unknown[]>(
  run: (...values: Arguments) => void,
  milliseconds: number,
): (...values: Arguments) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), milliseconds);
  };
}

let counter = 0;

/** An id for labels, unique on the page. */
export function freshId(prefix: string): string {
  return `${prefix}-${++counter}`;
}
