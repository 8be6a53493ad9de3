/** Colours of figures and of the stage they stand on. */

import { LEFT, RIGHT } from "../motion/sides";

export type Theme = "light" | "dark";

/** Colours of one figure: trunk, left limbs, right limbs (as the character has them). */
export interface Tint {
  readonly trunk: number;
  readonly left: number;
  readonly right: number;
}

/** The first is the main figure; they repeat after the last. */
export const TINTS: readonly Tint[] = [
  { trunk: 0xa8aeb8, left: 0x2f6fd6, right: 0xe8711a },
  { trunk: 0x7eaa92, left: 0x12967a, right: 0x96b020 },
  { trunk: 0xb094ba, left: 0x7e4ec8, right: 0xd84896 },
  { trunk: 0xbea884, left: 0x966c28, right: 0xcea21e },
  { trunk: 0x8fa9b8, left: 0x2a8ca8, right: 0xc7524a },
  { trunk: 0xa3a68c, left: 0x6b7a1f, right: 0xb08a5a },
];

export interface StageColours {
  readonly background: number;
  readonly ground: number;
  readonly line: number;
  readonly axis: number;
  readonly shadow: number;
  readonly dot: number;
  readonly selected: number;
}

export const STAGES: Record<Theme, StageColours> = {
  light: {
    background: 0xf4f6f9,
    ground: 0xe6eaf0,
    line: 0xc0c7d2,
    axis: 0x98a1b0,
    shadow: 0x2c3442,
    dot: 0xfafafc,
    selected: 0xffc53d,
  },
  dark: {
    background: 0x15171c,
    ground: 0x23262d,
    line: 0x3d434e,
    axis: 0x626a79,
    shadow: 0x000000,
    dot: 0xf0f3f8,
    selected: 0xffc53d,
  },
};

/** The tint of the clip with this index. */
export function tintOf(index: number): Tint {
  return TINTS[index % TINTS.length];
}

/** Colour of a side. */
export function sideColour(tint: Tint, side: number): number {
  return side === LEFT ? tint.left : side === RIGHT ? tint.right : tint.trunk;
}

/** "#rrggbb" of a number. */
export function cssColour(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
