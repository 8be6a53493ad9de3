import { describe, expect, it } from "vitest";
import type { FormField, OperationForm } from "../src/generated/messages";
import { initialText, inputStep, parseField, parseForm, rangeText } from "../src/ui/form_values";

const field = (change: Partial<FormField>): FormField => ({
  name: "x",
  label: "X",
  kind: "number",
  default: null,
  required: false,
  nullable: false,
  unit: "",
  low: null,
  high: null,
  above: null,
  choices: [],
  help: "",
  moment: "",
  endings: [],
  motion: false,
  ...change,
});

describe("a field", () => {
  it("starts with its default", () => {
    expect(initialText(field({ default: 2.5 }))).toBe("2.5");
    expect(initialText(field({ kind: "flag", default: true }))).toBe("true");
    expect(initialText(field({ nullable: true }))).toBe("");
    expect(initialText(field({ kind: "numbers", default: [1, 2] }))).toBe("1 2");
  });

  it("says its range", () => {
    expect(rangeText(field({ low: 0, high: 90, unit: "degrees" }))).toBe("0 to 90 degrees");
    expect(rangeText(field({ above: 0, high: 9, unit: "Hz" }))).toBe("above 0 and at most 9 Hz");
    expect(rangeText(field({ low: 1 }))).toBe("at least 1");
    expect(rangeText(field({}))).toBe("");
  });

  it.each([
    ["abc", /a number/],
    ["1e999", /a number/],
    ["0x10", /a number/],
    ["-1", /at least 0/],
    ["", /needed/],
  ])("refuses %j", (text, message) => {
    const parsed = parseField(field({ low: 0 }), text);
    expect(parsed.error).toMatch(message);
  });

  it("excludes the bound above which it must lie", () => {
    expect(parseField(field({ above: 0 }), "0").error).toMatch(/above 0/);
    expect(parseField(field({ above: 0 }), "0.001")).toEqual({ value: 0.001 });
  });

  it("wants whole numbers where frames are counted", () => {
    expect(parseField(field({ kind: "integer" }), "2.5").error).toMatch(/whole/);
    expect(parseField(field({ kind: "integer" }), " -3 ")).toEqual({ value: -3 });
  });

  it("takes several texts with semicolons between", () => {
    const parts = field({ kind: "texts", default: ["one 0 5", "two 5 9"] });
    expect(initialText(parts)).toBe("one 0 5; two 5 9");
    expect(parseField(parts, " one 0 5 ;two 5 9; ")).toEqual({ value: ["one 0 5", "two 5 9"] });
    expect(parseField(parts, "")).toEqual({ value: [] });
  });

  it("takes nothing for null", () => {
    expect(parseField(field({ nullable: true }), " ")).toEqual({ value: null });
  });

  it("reads lists, choices, flags and text", () => {
    expect(parseField(field({ kind: "numbers" }), "1, 2;3 4")).toEqual({ value: [1, 2, 3, 4] });
    expect(parseField(field({ kind: "numbers", high: 2 }), "1 3").error).toMatch(/at most 2/);
    expect(parseField(field({ kind: "choice", choices: ["a"] }), "b").error).toMatch(/one of a/);
    expect(parseField(field({ kind: "flag" }), "true")).toEqual({ value: true });
    expect(parseField(field({ kind: "flag", nullable: true }), "")).toEqual({ value: null });
    expect(parseField(field({ kind: "flag", nullable: true }), "false")).toEqual({ value: false });
    expect(parseField(field({ kind: "text" }), "")).toEqual({ value: "" });
  });

  it("steps by what suits it", () => {
    expect(inputStep(field({ kind: "integer", default: 500 }))).toBe(1);
    expect(inputStep(field({ unit: "degrees", default: 0.5 }))).toBe(1);
    expect(inputStep(field({ unit: "m", default: 0.05 }))).toBeCloseTo(0.001, 9);
    expect(inputStep(field({ unit: "m", default: 0 }))).toBeCloseTo(0.1, 9);
  });
});

describe("a form", () => {
  const form: OperationForm = {
    name: "cut",
    help: "",
    takes: "clip",
    gives: "clip",
    inputs: ["a motion"],
    least: 1,
    most: 1,
    essentials: [],
    parameters: [
      field({ name: "start", kind: "integer", default: 0 }),
      field({ name: "end", kind: "integer", nullable: true }),
      field({ name: "must", required: true }),
    ],
    needs: "must must be given",
  };

  it("sends only what differs from the defaults", () => {
    expect(parseForm(form, { start: "0", end: "", must: "1" })).toEqual({ parameters: { must: 1 }, errors: {} });
    expect(parseForm(form, { start: "4", end: "9", must: "1" }).parameters).toEqual({ start: 4, end: 9, must: 1 });
  });

  it("collects what is wrong by field", () => {
    expect(Object.keys(parseForm(form, { start: "x" }).errors)).toEqual(["start", "must"]);
  });
});
