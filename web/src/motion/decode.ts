/** The two binary messages of the server: the motion of a clip and the skinned mesh of a character. */

/** Motion of a skeleton: frame k is at k / fps seconds. All arrays are views into the message, nothing is copied. */
export interface Motion {
  readonly frames: number;
  readonly joints: number;
  readonly fps: number;
  /** (K) joints that move in their parent's frame. */
  readonly moved: Int32Array;
  /** (F, 3) metres. */
  readonly root: Float32Array;
  /** (F, J, 4) wxyz, local to the parent. */
  readonly rotations: Float32Array;
  /** (F, K, 3) metres, instead of the skeleton's offsets. */
  readonly translations: Float32Array;
}

/** Skinned mesh in its bind pose. */
export interface CharacterMesh {
  readonly vertices: number;
  readonly faces: number;
  readonly joints: number;
  readonly influences: number;
  /** (V, 3) metres. */
  readonly positions: Float32Array;
  /** (V, 3). */
  readonly normals: Float32Array;
  /** (T, 3). */
  readonly triangles: Uint32Array;
  /** (V, K). */
  readonly jointIndices: Uint32Array;
  /** (V, K). */
  readonly weights: Float32Array;
  /** (J, 16) column-major. */
  readonly inverseBinds: Float32Array;
}

/** A message that is not what its first bytes promise. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Walks through a little-endian message; the arrays it hands out are views. */
class Walker {
  private offset = 4;
  private readonly view: DataView;

  constructor(
    private readonly buffer: ArrayBuffer,
    private readonly what: string,
    magic: string,
  ) {
    this.view = new DataView(buffer);
    const found = buffer.byteLength >= 4 ? String.fromCharCode(...new Uint8Array(buffer, 0, 4)) : "";
    if (found !== magic) throw new DecodeError(`${what} must start with ${magic}, found ${JSON.stringify(found)}`);
  }

  uint(): number {
    const at = this.take(4);
    return this.view.getUint32(at, true);
  }

  float(): number {
    const at = this.take(4);
    return this.view.getFloat32(at, true);
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.buffer, this.take(4 * count), count);
  }

  uints(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(4 * count), count);
  }

  ints(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(4 * count), count);
  }

  finish(): void {
    if (this.offset !== this.buffer.byteLength)
      throw new DecodeError(`${this.what} holds ${this.buffer.byteLength} bytes, expected ${this.offset}`);
  }

  private take(bytes: number): number {
    const at = this.offset;
    if (at + bytes > this.buffer.byteLength)
      throw new DecodeError(
        `${this.what} ends after ${this.buffer.byteLength} bytes, at least ${at + bytes} are needed`,
      );
    this.offset = at + bytes;
    return at;
  }
}

/** The answer of `/api/clips/{id}/motion`. */
export function decodeMotion(buffer: ArrayBuffer): Motion {
  const walker = new Walker(buffer, "the motion", "RNM1");
  const frames = walker.uint();
  const joints = walker.uint();
  const fps = walker.float();
  const count = walker.uint();
  if (!(fps > 0) || !Number.isFinite(fps)) throw new DecodeError(`the motion has ${fps} frames per second`);
  const moved = walker.ints(count);
  for (const joint of moved)
    if (joint < 0 || joint >= joints)
      throw new DecodeError(`joint ${joint} moves, there are joints 0 to ${joints - 1}`);
  const root = walker.floats(frames * 3);
  const rotations = walker.floats(frames * joints * 4);
  const translations = walker.floats(frames * count * 3);
  walker.finish();
  return { frames, joints, fps, moved, root, rotations, translations };
}

/** The answer of `/api/clips/{id}/character`. */
export function decodeCharacter(buffer: ArrayBuffer): CharacterMesh {
  const walker = new Walker(buffer, "the character", "RNS1");
  const vertices = walker.uint();
  const faces = walker.uint();
  const joints = walker.uint();
  const influences = walker.uint();
  const mesh = {
    vertices,
    faces,
    joints,
    influences,
    positions: walker.floats(vertices * 3),
    normals: walker.floats(vertices * 3),
    triangles: walker.uints(faces * 3),
    jointIndices: walker.uints(vertices * influences),
    weights: walker.floats(vertices * influences),
    inverseBinds: walker.floats(joints * 16),
  };
  walker.finish();
  for (const index of mesh.triangles)
    if (index >= vertices) throw new DecodeError(`a face uses vertex ${index}, there are ${vertices}`);
  for (const index of mesh.jointIndices)
    if (index >= joints) throw new DecodeError(`a vertex follows joint ${index}, there are ${joints}`);
  return mesh;
}
