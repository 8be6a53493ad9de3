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
  interface Changes {
    face?: number;
    joint?: number;
    group?: number[];
    about?: unknown;
    images?: number;
  }

  /** Numbers of the text, four letters each. */
  const letters = (text: string): number[] => {
    const bytes = new TextEncoder().encode(text.padEnd(4 * Math.ceil(text.length / 4)));
    return [...new Uint32Array(bytes.buffer)];
  };

  const good = ({ face = 2, joint = 0, group = [0, 0, 1], about, images = 1 }: Changes = {}): ArrayBuffer => {
    const text = letters(JSON.stringify(about ?? { materials: [{ name: "skin" }], images: ["image/png"] }));
    return message(
      "RNS2",
      ["u", [3, 1, 1, 2, 2, 1, 1, 1, images, 4 * text.length]],
      ["f", range(9)],
      ["f", range(9)],
      ["u", [0, 1, face]],
      ["u", [joint, 0, 0, 0, 0, 0]],
      ["f", [1, 0, 1, 0, 1, 0]],
      ["f", range(16)],
      ["f", range(6, 20)],
      ["f", range(6, 30)],
      ["f", range(12, 40)],
      ["f", range(12, 60)],
      ["u", group],
      ["u", text],
      ["u", [5, 0x04030201, 5]],
    );
  };

  it("reads every part", async () => {
    const mesh = decodeCharacter(good());
    expect([mesh.vertices, mesh.faces, mesh.joints, mesh.influences]).toEqual([3, 1, 1, 2]);
    expect([...mesh.triangles]).toEqual([0, 1, 2]);
    expect([...mesh.inverseBinds]).toEqual(range(16));
    expect(mesh.uvs.map((set) => [...set])).toEqual([range(6, 20), range(6, 30)]);
    expect([...mesh.colours!]).toEqual(range(12, 40));
    expect([...mesh.tangents!]).toEqual(range(12, 60));
    expect([...mesh.groups]).toEqual([0, 0, 1]);
    expect(mesh.materials.map(({ name }) => name)).toEqual(["skin"]);
    expect(mesh.images.map(({ type, size }) => [type, size])).toEqual([["image/png", 5]]);
    expect([...new Uint8Array(await mesh.images[0].arrayBuffer())]).toEqual([1, 2, 3, 4, 5]);
  });

  it("refuses faces, joints, groups and images outside", () => {
    expect(() => decodeCharacter(good({ face: 3 }))).toThrow(/vertex 3, there are 3/);
    expect(() => decodeCharacter(good({ joint: 1 }))).toThrow(/joint 1, there are 1/);
    expect(() => decodeCharacter(good({ group: [0, 1, 1] }))).toThrow(/ends at face 2, there are 1/);
    expect(() => decodeCharacter(good({ group: [1, 0, 1] }))).toThrow(/material 1, there are 1/);
    expect(() => decodeCharacter(good({ images: 2 }))).toThrow(/names 1 images and holds 2/);
  });
});
