/** The materials of a character as three.js has them: textures of decoded images, alpha, both sides. */

import * as THREE from "three";
import type { CharacterMesh, MaterialLook, TextureLook } from "../motion/decode";

/** A mesh with its images decoded; null where one could not be. */
export interface Outfit {
  readonly mesh: CharacterMesh;
  /** A person in place of a clip's bones: the shirt has the clip's colour. */
  readonly standIn: boolean;
  readonly pictures: readonly (ImageBitmap | null)[];
}

/** Decodes the images of a mesh. Image data is taken as it is: neither turned over nor converted. */
export async function unpack(mesh: CharacterMesh, standIn = false): Promise<Outfit> {
  const asIs: ImageBitmapOptions = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const decode = (image: Blob): Promise<ImageBitmap | null> => createImageBitmap(image, asIs).catch(() => null);
  return { mesh, standIn, pictures: await Promise.all(mesh.images.map(decode)) };
}

const WRAPS: Record<string, THREE.Wrapping> = {
  repeat: THREE.RepeatWrapping,
  clamp: THREE.ClampToEdgeWrapping,
  mirror: THREE.MirroredRepeatWrapping,
};
const MIN_FILTERS: Record<string, THREE.MinificationTextureFilter> = {
  nearest: THREE.NearestFilter,
  linear: THREE.LinearFilter,
  nearest_mipmap_nearest: THREE.NearestMipmapNearestFilter,
  linear_mipmap_nearest: THREE.LinearMipmapNearestFilter,
  nearest_mipmap_linear: THREE.NearestMipmapLinearFilter,
};
const MOST_METAL = 0.4; // the stage has no surroundings for metal to mirror: more would be black

/** The materials of one mesh and all that they hold on the graphics card. */
export class Wardrobe {
  readonly materials: THREE.Material[];
  private readonly textures = new Map<string, THREE.Texture>();

  /** @param colour of a mesh without materials. */
  constructor(
    private readonly mesh: CharacterMesh,
    private readonly pictures: readonly (ImageBitmap | null)[],
    colour: number,
  ) {
    this.materials =
      mesh.materials.length > 0
        ? mesh.materials.map((look) => this.make(look))
        : [new THREE.MeshStandardMaterial({ color: colour, roughness: 0.7, metalness: 0 })];
  }

  /** Gives the materials of a name another colour. */
  dye(name: string, colour: number): void {
    for (const material of this.materials)
      if (material.name === name && material instanceof THREE.MeshStandardMaterial) material.color.set(colour);
  }

  private make(look: MaterialLook): THREE.Material {
    const [red, green, blue, alpha] = look.base_color;
    const common = {
      name: look.name,
      color: new THREE.Color(red, green, blue),
      opacity: look.alpha_mode === "opaque" ? 1 : alpha,
      map: this.texture(look.base_color_texture, THREE.SRGBColorSpace),
      vertexColors: this.mesh.colours !== null,
      side: look.double_sided ? THREE.DoubleSide : THREE.FrontSide,
      transparent: look.alpha_mode === "blend",
      depthWrite: look.alpha_mode !== "blend",
      alphaTest: look.alpha_mode === "mask" ? look.alpha_cutoff : 0,
    };
    if (look.unlit) return new THREE.MeshBasicMaterial(common);
    const rough = this.texture(look.metallic_roughness_texture);
    // Without tangents three.js finds them from the texture coordinates, whose v runs the other way.
    const flip = this.mesh.tangents ? 1 : -1;
    return new THREE.MeshStandardMaterial({
      ...common,
      metalness: Math.min(look.metallic, MOST_METAL),
      roughness: look.roughness,
      metalnessMap: rough,
      roughnessMap: rough,
      normalMap: this.texture(look.normal_texture),
      normalScale: new THREE.Vector2(look.normal_scale, flip * look.normal_scale),
      aoMap: this.texture(look.occlusion_texture),
      aoMapIntensity: look.occlusion_strength,
      emissive: new THREE.Color(...look.emissive),
      emissiveMap: this.texture(look.emissive_texture, THREE.SRGBColorSpace),
      emissiveIntensity: look.emissive_strength,
    });
  }

  private texture(look: TextureLook | null, space: THREE.ColorSpace = THREE.NoColorSpace): THREE.Texture | null {
    const picture = look && this.pictures[look.image];
    if (!look || !picture || look.uv_set >= this.mesh.uvs.length) return null;
    const key = JSON.stringify([look, space]);
    const known = this.textures.get(key);
    if (known) return known;
    const made = new THREE.Texture(picture);
    made.flipY = false;
    made.colorSpace = space;
    made.channel = look.uv_set;
    made.wrapS = WRAPS[look.wrap[0]] ?? THREE.RepeatWrapping;
    made.wrapT = WRAPS[look.wrap[1]] ?? THREE.RepeatWrapping;
    made.magFilter = look.mag_filter === "nearest" ? THREE.NearestFilter : THREE.LinearFilter;
    made.minFilter = MIN_FILTERS[look.min_filter] ?? THREE.LinearMipmapLinearFilter;
    made.generateMipmaps = look.min_filter !== "nearest" && look.min_filter !== "linear";
    made.anisotropy = 4;
    made.offset.fromArray(look.offset);
    made.repeat.fromArray(look.scale);
    made.rotation = look.turn;
    made.needsUpdate = true;
    this.textures.set(key, made);
    return made;
  }

  dispose(): void {
    for (const texture of this.textures.values()) texture.dispose();
    for (const material of this.materials) material.dispose();
    for (const picture of this.pictures) picture?.close();
  }
}
