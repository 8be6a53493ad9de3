import { describe, expect, it } from "vitest";
import { decodeCharacter, DecodeError, decodeMotion } from "../src/motion/decode";
import { message } from "./samples";

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, k) => from + k);

describe("decodeMotion", () => {
  const good = (): ArrayBuffer =>
    message(
      "RNM1",
      ["u", [2, 3]],
      ["f", [120]],
      ["u", [1]],
      ["i", [2]],
      ["f", range(6)],
      ["f", range(24, 100)],
      ["f", range(6, 500)],
    );

  it("reads every part in place", () => {
    const motion = decodeMotion(good());
    expect([motion.frames, motion.joints, motion.fps]).toEqual([2, 3, 120]);
    expect([...motion.moved]).toEqual([2]);
    expect([...motion.root]).toEqual(range(6));
    expect([...motion.rotations]).toEqual(range(24, 100));
    expect([...motion.translations]).toEqual(range(6, 500));
  });

  it("copies nothing", () => {
    const buffer = good();
    expect(decodeMotion(buffer).rotations.buffer).toBe(buffer);
  });

  it("refuses other messages, short ones and long ones", () => {
    expect(() => decodeMotion(message("RNS1"))).toThrow(/must start with RNM1, found "RNS1"/);
    expect(() => decodeMotion(new ArrayBuffer(2))).toThrow(DecodeError);
    expect(() => decodeMotion(good().slice(0, -4))).toThrow(/ends after 164 bytes, at least 168/);
    const long = new ArrayBuffer(172);
    new Uint8Array(long).set(new Uint8Array(good()));
    expect(() => decodeMotion(long)).toThrow(/holds 172 bytes, expected 168/);
  });

  it("refuses joints and rates that cannot be", () => {
    const wrong = good();
    new DataView(wrong).setInt32(20, 3, true);
    expect(() => decodeMotion(wrong)).toThrow(/joint 3 moves, there are joints 0 to 2/);
    const still = good();
    new DataView(still).setFloat32(12, 0, true);
    expect(() => decodeMotion(still)).toThrow(/0 frames per second/);
  });

  it("does not believe a count that the message cannot hold", () => {
    expect(() => decodeMotion(message("RNM1", ["u", [0xffffffff, 0xffff]], ["f", [30]], ["u", [0]]))).toThrow(
      DecodeError,
    );
  });
});

describe("decodeCharacter", () => {
  const good = (face = 2, joint = 0): ArrayBuffer =>
    message(
      "RNS1",
      ["u", [3, 1, 1, 2]],
      ["f", range(9)],
      ["f", range(9)],
      ["u", [0, 1, face]],
      ["u", [joint, 0, 0, 0, 0, 0]],
      ["f", [1, 0, 1, 0, 1, 0]],
      ["f", range(16)],
    );

  it("reads every part", () => {
    const mesh = decodeCharacter(good());
    expect([mesh.vertices, mesh.faces, mesh.joints, mesh.influences]).toEqual([3, 1, 1, 2]);
    expect([...mesh.triangles]).toEqual([0, 1, 2]);
    expect([...mesh.inverseBinds]).toEqual(range(16));
  });

  it("refuses faces and joints outside", () => {
    expect(() => decodeCharacter(good(3))).toThrow(/vertex 3, there are 3/);
    expect(() => decodeCharacter(good(2, 1))).toThrow(/joint 1, there are 1/);
  });
});
