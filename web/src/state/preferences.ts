/** What a person chose about the page itself; kept in the browser. */

import type { RotationForm } from "../motion/curves";
import { DEFAULT_OPTIONS, type ViewerOptions } from "../viewer/viewer";

export type ThemeChoice = "system" | "light" | "dark";
/** What a narrow window shows beside the stage, or instead of it. */
export type NarrowPane = "stage" | "library" | "side";
export type TabName = "joints" | "curves" | "operations" | "info";

export interface Preferences {
  theme: ThemeChoice;
  /** Pixels. */
  libraryWidth: number;
  sideWidth: number;
  timelineHeight: number;
  libraryOpen: boolean;
  sideOpen: boolean;
  timelineOpen: boolean;
  tab: TabName;
  narrowPane: NarrowPane;
  view: Omit<ViewerOptions, "theme">;
  speed: number;
  loop: boolean;
  rotationForm: RotationForm | "file";
  /** Camera position and target. */
  stance: number[];
  operation: string;
  /** What was made stands beside its sources, not over them. */
  resultsBeside: boolean;
}

const { theme: _, ...options } = DEFAULT_OPTIONS;
/** Clips are shown as people, where they have no mesh of their own. */
const view = { ...options, style: "mesh" as const };

export const DEFAULT_PREFERENCES: Preferences = {
  theme: "system",
  libraryWidth: 288,
  sideWidth: 328,
  timelineHeight: 224,
  libraryOpen: true,
  sideOpen: true,
  timelineOpen: true,
  tab: "joints",
  narrowPane: "library",
  view,
  speed: 1,
  loop: true,
  rotationForm: "file",
  stance: [],
  operation: "",
  resultsBeside: true,
};

const KEY = "reenact.studio.preferences";

/** Stored values of the right kind over the defaults; anything else is dropped. */
export function mergePreferences(stored: unknown): Preferences {
  return merge(DEFAULT_PREFERENCES, stored);
}

function merge<T extends object>(defaults: T, stored: unknown): T {
  const merged = { ...defaults };
  if (typeof stored !== "object" || stored === null) return merged;
  for (const key of Object.keys(defaults) as (keyof T)[]) {
    const value = (stored as Partial<T>)[key];
    const fallback = defaults[key];
    if (Array.isArray(fallback)) {
      if (Array.isArray(value)) merged[key] = value as T[keyof T];
    } else if (typeof fallback === "object" && fallback !== null) {
      merged[key] = merge(fallback, value);
    } else if (typeof value === typeof fallback) {
      merged[key] = value as T[keyof T];
    }
  }
  return merged;
}

export function loadPreferences(): Preferences {
  try {
    return mergePreferences(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    return { ...DEFAULT_PREFERENCES };
  }
}

export function savePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // private browsing: the page works, it only forgets
  }
}
