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

/** An image laid over a mesh; `image` is its number in the message. */
export interface TextureLook {
  readonly image: number;
  readonly uv_set: number;
  readonly wrap: readonly string[];
  readonly mag_filter: string;
  readonly min_filter: string;
  readonly offset: readonly number[];
  readonly turn: number;
  readonly scale: readonly number[];
}

/** What a group of faces is made of; colours are linear. */
export interface MaterialLook {
  readonly name: string;
  readonly base_color: readonly number[];
  readonly base_color_texture: TextureLook | null;
  readonly metallic: number;
  readonly roughness: number;
  readonly metallic_roughness_texture: TextureLook | null;
  readonly normal_texture: TextureLook | null;
  readonly normal_scale: number;
  readonly occlusion_texture: TextureLook | null;
  readonly occlusion_strength: number;
  readonly emissive: readonly number[];
  readonly emissive_texture: TextureLook | null;
  readonly emissive_strength: number;
  readonly alpha_mode: "opaque" | "mask" | "blend";
  readonly alpha_cutoff: number;
  readonly double_sided: boolean;
  readonly unlit: boolean;
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
  /** Sets of texture coordinates, each (V, 2). */
  readonly uvs: readonly Float32Array[];
  /** (V, 4) linear. */
  readonly colours: Float32Array | null;
  /** (V, 4). */
  readonly tangents: Float32Array | null;
  /** (G, 3): material, first face and number of faces. */
  readonly groups: Uint32Array;
  /** None: the page chooses a colour. */
  readonly materials: readonly MaterialLook[];
  /** Files of images. */
  readonly images: readonly Blob[];
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

  /** Bytes that are followed by padding to 4. */
  bytes(count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, this.take(count + (-count & 3)), count);
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
  const walker = new Walker(buffer, "the character", "RNS2");
  const [vertices, faces, joints, influences, sets, coloured, tangible, groupCount, imageCount, text] = walker.uints(10);
  const positions = walker.floats(vertices * 3);
  const normals = walker.floats(vertices * 3);
  const triangles = walker.uints(faces * 3);
  const jointIndices = walker.uints(vertices * influences);
  const weights = walker.floats(vertices * influences);
  const inverseBinds = walker.floats(joints * 16);
  const uvs: Float32Array[] = [];
  for (let set = 0; set < sets; set++) uvs.push(walker.floats(vertices * 2));
  const colours = coloured ? walker.floats(vertices * 4) : null;
  const tangents = tangible ? walker.floats(vertices * 4) : null;
  const groups = walker.uints(groupCount * 3);
  const about = parseLooks(walker.bytes(text));
  if (about.images.length !== imageCount)
    throw new DecodeError(`the character names ${about.images.length} images and holds ${imageCount}`);
  const images = about.images.map((type) => new Blob([walker.bytes(walker.uint())], { type }));
  walker.finish();
  for (const index of triangles)
    if (index >= vertices) throw new DecodeError(`a face uses vertex ${index}, there are ${vertices}`);
  for (const index of jointIndices)
    if (index >= joints) throw new DecodeError(`a vertex follows joint ${index}, there are ${joints}`);
  for (let group = 0; group < groupCount; group++) {
    const [material, first, count] = groups.subarray(3 * group, 3 * group + 3);
    if (first + count > faces) throw new DecodeError(`a group ends at face ${first + count}, there are ${faces}`);
    if (about.materials.length > 0 && material >= about.materials.length)
      throw new DecodeError(`a group is of material ${material}, there are ${about.materials.length}`);
  }
  return {
    ...{ vertices, faces, joints, influences, positions, normals, triangles, jointIndices, weights, inverseBinds },
    ...{ uvs, colours, tangents, groups, materials: about.materials, images },
  };
}

function parseLooks(text: Uint8Array<ArrayBuffer>): { materials: MaterialLook[]; images: string[] } {
  try {
    return JSON.parse(new TextDecoder().decode(text)) as { materials: MaterialLook[]; images: string[] };
  } catch {
    throw new DecodeError("the materials of the character are no JSON");
  }
}
