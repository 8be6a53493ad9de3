import { describe, expect, it } from "vitest";
import { errorOf, fileNameOf } from "../src/api/client";
import { retryDelay } from "../src/api/events";
import { formatAddress, parseAddress } from "../src/state/address";
import { Emitter } from "../src/state/emitter";
import { DEFAULT_PREFERENCES, mergePreferences } from "../src/state/preferences";
import { parseTags } from "../src/ui/info_pane";
import { tagWord } from "../src/ui/library_pane";
import { uploadOrder } from "../src/ui/uploads";
import { pagesOf, scrollToRow, visibleRows } from "../src/ui/virtual_rows";

describe("the address", () => {
  it("keeps clips in order, the frame and the search", () => {
    const state = {
      clips: [7, 3],
      results: [9],
      frame: 42,
      query: 'walk tag:"two words"',
      range: [10, 90],
      camera: [1.5, 2, -3.25, 0, 0.9, 0],
      view: { style: "skeleton" as const, follow: false, paths: true, arrangement: "side" as const },
    };
    expect(parseAddress(formatAddress(state))).toEqual(state);
  });

  it("drops what makes no sense", () => {
    expect(parseAddress("?clip=a&clip=-1&clip=1.5&clip=2&clip=2&frame=-3")).toEqual({
      clips: [2],
      results: [],
      frame: 0,
      query: "",
      range: [],
      camera: [],
      view: {},
    });
    expect(parseAddress(`?${Array.from({ length: 50 }, (_, k) => `clip=${k}`).join("&")}`).clips.length).toBe(12);
  });

  it("takes no view, range or camera that makes no sense", () => {
    const bad = parseAddress(
      `?clip=1&range=9-3&camera=1,2,NaN,4,5,6&view=${encodeURIComponent("style.<b>,follow.maybe,__proto__.yes,paths.yes,x")}`,
    );
    expect([bad.range, bad.camera, bad.view]).toEqual([[], [], { paths: true }]);
    expect(parseAddress("?camera=1,2,3,4,5,1e99&range=-1-5&view=style")).toMatchObject({ camera: [], range: [], view: {} });
  });

  it("is empty for an empty stage", () => {
    expect(formatAddress({ clips: [], results: [], frame: 9, query: "", range: [1, 2], camera: [], view: {} })).toBe("");
  });
});

describe("preferences", () => {
  it("keep what is of the right kind and drop the rest", () => {
    const merged = mergePreferences({
      theme: "dark",
      libraryWidth: "wide",
      view: { follow: false, style: 3 },
      more: 1,
    });
    expect(merged.theme).toBe("dark");
    expect(merged.libraryWidth).toBe(DEFAULT_PREFERENCES.libraryWidth);
    expect(merged.view.follow).toBe(false);
    expect(merged.view.style).toBe(DEFAULT_PREFERENCES.view.style);
    expect("more" in merged).toBe(false);
  });

  it("are the defaults for anything else", () => {
    for (const stored of [null, 3, "x", []]) expect(mergePreferences(stored)).toEqual(DEFAULT_PREFERENCES);
  });
});

describe("the long list", () => {
  it("shows rows in sight and a few more", () => {
    expect(visibleRows(640, 320, 64, 1000, 2)).toEqual({ first: 8, end: 17 });
    expect(visibleRows(0, 320, 64, 3, 2)).toEqual({ first: 0, end: 3 });
    expect(visibleRows(0, 320, 64, 0)).toEqual({ first: 0, end: 0 });
    expect(visibleRows(99_999, 320, 64, 10).end).toBe(10);
  });

  it("asks for the pages it needs", () => {
    expect(pagesOf({ first: 95, end: 205 }, 100)).toEqual([0, 1, 2]);
    expect(pagesOf({ first: 100, end: 200 }, 100)).toEqual([1]);
    expect(pagesOf({ first: 0, end: 0 }, 100)).toEqual([]);
  });

  it("scrolls no farther than needed", () => {
    expect(scrollToRow(0, 320, 64, 2)).toBe(0);
    expect(scrollToRow(0, 320, 64, 5)).toBe(64);
    expect(scrollToRow(640, 320, 64, 1)).toBe(64);
  });
});

describe("requests", () => {
  it("turn the server's error into a sentence with its place", () => {
    const error = errorOf(
      422,
      "Unprocessable",
      '{"error":{"code":"parameter","message":"fps must be above 0","where":"fps"}}',
    );
    expect([error.message, error.where, error.code, error.status]).toEqual([
      "fps must be above 0",
      "fps",
      "parameter",
      422,
    ]);
    expect(errorOf(502, "Bad Gateway", "<html>").message).toBe("The server answered 502 Bad Gateway");
  });

  it("try again later and later", () => {
    expect([0, 1, 2, 9].map(retryDelay)).toEqual([0.5, 1, 2, 10]);
  });

  it("send skeletons before the motions that need them", () => {
    const files = ["a.amc", "b.ASF", "c.bvh"].map((name) => new File([], name));
    expect(uploadOrder(files).map((file) => file.name)).toEqual(["b.ASF", "a.amc", "c.bvh"]);
    const others = ["c.bvh", "c.plants", "c.credits"].map((name) => new File([], name));
    expect(uploadOrder(others).map((file) => file.name)).toEqual(["c.plants", "c.credits", "c.bvh"]);
  });
});

describe("words", () => {
  it("make tags and queries of what people type", () => {
    expect(parseTags(" walk, , fast ,walk")).toEqual(["walk", "fast"]);
    expect(tagWord("fast")).toBe("tag:fast");
    expect(tagWord("two words")).toBe('tag:"two words"');
  });

  it("reach those who listen until they stop", () => {
    const emitter = new Emitter<{ said: string }>();
    const heard: string[] = [];
    const stop = emitter.on("said", (word) => heard.push(word));
    emitter.emit("said", "one");
    stop();
    emitter.emit("said", "two");
    expect(heard).toEqual(["one"]);
  });
});

describe("the name of a file to save", () => {
  it("is the encoded one where there is one", () => {
    expect(fileNameOf("attachment; filename*=utf-8''walk%2Brun%20%C3%A9.zip")).toBe("walk+run é.zip");
    expect(fileNameOf(`attachment; filename="x.bvh"; filename*=UTF-8''a%20b.bvh`)).toBe("a b.bvh");
    expect(fileNameOf('attachment; filename="walk.bvh"')).toBe("walk.bvh");
  });

  it("is none where the header makes no sense", () => {
    expect(fileNameOf("")).toBe("");
    expect(fileNameOf("attachment; filename*=utf-8''%E0%A4%A")).toBe("");
  });
});
