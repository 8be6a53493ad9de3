import { describe, expect, it } from "vitest";
import { tablesOf, textOf } from "../src/ui/report_tables";

describe("a value of a report", () => {
  it.each([
    [null, "–"],
    [[], "–"],
    ["", "–"],
    [true, "yes"],
    [0.123456789, "0.12346"],
    [120, "120"],
    [[1, 2.5, "x"], "1, 2.5, x"],
    [
      [
        [12, 45],
        [70, 120],
      ],
      "12–45, 70–120",
    ],
    [{ height: 0.03, normal: [0, 1, 0] }, "height 0.03, normal 0, 1, 0"],
  ])("%j reads %j", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it("counts what is long", () => {
    expect(textOf(Array.from({ length: 30 }, (_, k) => k))).toMatch(/23 and 6 more$/);
  });
});

describe("a report", () => {
  it("has plain values first, and a table for everything with rows", () => {
    const tables = tablesOf({
      type: "walk",
      segments: [
        { type: "stand", start: 0, end: 40 },
        { type: "walk", start: 40, end: 200, note: "" },
      ],
      shares: { walk: 0.8, stand: 0.2 },
      frames: 200,
    });
    expect(tables).toEqual([
      { title: "", columns: [], rows: [["type", "walk"], ["frames", "200"]] },
      { title: "segments", columns: ["type", "start", "end"], rows: [["stand", "0", "40"], ["walk", "40", "200"]] },
      { title: "shares", columns: [], rows: [["walk", "0.8"], ["stand", "0.2"]] },
    ]);
  });

  it("may be empty", () => {
    expect(tablesOf({})).toEqual([]);
  });

  it("says when there are too many rows to show", () => {
    const [table] = tablesOf({ found: Array.from({ length: 500 }, (_, frame) => ({ frame })) });
    expect(table!.rows).toHaveLength(200);
    expect(table!.title).toBe("found, the first 200 of 500");
  });
});
