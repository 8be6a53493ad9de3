"""GLB files as another program sees them: three.js loads and plays them, joints where our own kinematics has them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core.cutting import cut_frames
from reenact.samples import make_sample

pytestmark = pytest.mark.xdist_group("browser")

ORIGIN = "http://three.test"
THREE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "three"

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"three": "/build/three.module.js", "three/addons/": "/examples/jsm/"}}</script>
<canvas width="320" height="240"></canvas><script type="module" src="/play.js"></script>"""

SCRIPT = """
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
window.play = async (data, names, times) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
    const gltf = await new GLTFLoader().parseAsync(bytes, "");
    const canvas = document.querySelector("canvas");
    const renderer = new THREE.WebGLRenderer({ canvas, preserveDrawingBuffer: true });
    const scene = new THREE.Scene().add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x444444, 3));
    scene.add(new THREE.SkeletonHelper(gltf.scene));
    const camera = new THREE.PerspectiveCamera(40, 4 / 3, 0.1, 100);
    camera.position.set(3, 1.5, 6);
    camera.lookAt(0, 1, 0);
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    const byName = new Map();
    let skinned = 0;
    gltf.scene.traverse((node) => {
        byName.set(node.userData.name ?? node.name, node);
        if (node.isSkinnedMesh) skinned++;
    });
    const pictures = new Set();
    const places = times.map((time) => {
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        renderer.render(scene, camera);
        pictures.add(canvas.toDataURL());
        return names.map((name) => byName.get(name).getWorldPosition(new THREE.Vector3()).toArray());
    });
    return { places, clips: gltf.animations.length, length: gltf.animations[0].duration, skinned, pictures: pictures.size };
};
const laid = (texture) => {
    if (!texture) return null;
    const { width, height } = texture.image;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(texture.image, 0, 0);
    return {
        size: [width, height], pixel: [...context.getImageData(1, 1, 1, 1).data], channel: texture.channel,
        wrap: [texture.wrapS, texture.wrapT], filters: [texture.magFilter, texture.minFilter],
        offset: texture.offset.toArray(), scale: texture.repeat.toArray(), turn: texture.rotation, space: texture.colorSpace,
    };
};
window.looks = async (data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
    const gltf = await new GLTFLoader().parseAsync(bytes, "");
    const found = { meshes: [], cameras: gltf.cameras.length, lights: 0, clips: gltf.animations.length };
    const morphs = gltf.animations.flatMap((clip) => clip.tracks).filter((track) => track.name.endsWith("morphTargetInfluences"));
    found.tracks = morphs.map((track) => ({ name: track.name, times: [...track.times], values: [...track.values] }));
    gltf.scene.traverse((node) => {
        if (node.isLight) found.lights++;
        if (!node.isSkinnedMesh) return;
        const { material: m, geometry } = node;
        found.meshes.push({
            name: node.userData.name ?? node.name, part: node.parent.userData.name ?? node.parent.name,
            attributes: Object.keys(geometry.attributes).sort(), vertices: geometry.attributes.position.count,
            morphs: Object.keys(node.morphTargetDictionary ?? {}), influences: [...(node.morphTargetInfluences ?? [])],
            material: {
                name: m.name, type: m.type, color: m.color.toArray(), opacity: m.opacity, metalness: m.metalness,
                roughness: m.roughness, map: laid(m.map), metal: laid(m.metalnessMap), rough: laid(m.roughnessMap),
                normal: laid(m.normalMap), normalScale: m.normalScale?.toArray(), shade: laid(m.aoMap),
                shading: m.aoMapIntensity, glow: laid(m.emissiveMap), emissive: m.emissive?.toArray(),
                brightness: m.emissiveIntensity, coat: m.clearcoat, coatMap: laid(m.clearcoatMap),
                alphaTest: m.alphaTest, transparent: m.transparent, double: m.side === THREE.DoubleSide,
            },
        });
    });
    return found;
};
"""


@pytest.fixture
def player(open_page, builder):
    """A page with three.js' own loader; nothing of the studio is in it."""
    builder.install_packages(THREE.parents[1], builder.find_node(), builder.environment_of(builder.find_node()))
    studio = open_page(ORIGIN, load=False)

    def answer(route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        if path == "/":
            route.fulfill(body=PAGE, content_type="text/html")
        elif path == "/play.js":
            route.fulfill(body=SCRIPT, content_type="text/javascript")
        else:
            route.fulfill(body=(THREE / path.lstrip("/")).read_bytes(), content_type="text/javascript")

    studio.page.route(f"{ORIGIN}/**", answer)
    studio.page.goto(f"{ORIGIN}/")
    studio.until("!!window.play")
    return studio.page


def compare(page, clip, path: Path) -> dict:
    """Play a clip's GLB and compare every joint of some frames; gives what the page says."""
    reenact.save(clip, path)
    frames = np.unique(np.linspace(0, clip.frames - 1, 12).astype(int))
    times = [frame / clip.fps for frame in frames]
    times[-1] -= 1e-6  # at its very end a looping action starts again
    data = base64.b64encode(path.read_bytes()).decode()
    names = list(clip.skeleton.names)
    told = page.evaluate("([data, names, times]) => play(data, names, times)", [data, names, times])
    assert told["clips"] == 1
    assert told["length"] == pytest.approx((clip.frames - 1) / clip.fps, abs=1e-4)
    gap = np.abs(np.array(told["places"]) - clip.world().positions[frames]).max()
    assert gap < 1e-4, f"{gap} m"
    assert told["pictures"] > len(frames) // 2, "it moves on the screen"
    return told


@pytest.mark.parametrize("name", ["walk_circle_tight_left", "jump_forward"])
def test_a_sample_plays_in_three(player, tmp_path, name):
    compare(player, make_sample(name).clip, tmp_path / "sample.glb")


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["cmu-bvh/15_01.bvh", "cmu-bvh/02_05.bvh"])
def test_a_recording_plays_in_three(player, tmp_path, corpus, name):
    compare(player, reenact.load(corpus / name), tmp_path / "recording.glb")


def told_looks(page, path: Path) -> dict:
    data = base64.b64encode(path.read_bytes()).decode()
    return page.evaluate("(data) => looks(data)", data)


def test_materials_as_three_reads_them(player, tmp_path, looks):
    """Every map, factor, sampler and transform of a written file, in the terms of another program."""
    clip = make_sample("walk_normal").clip
    made = looks.dressed(clip.skeleton)
    reenact.save(clip, tmp_path / "hero.glb", reenact.WriteOptions(character=made))
    told = told_looks(player, tmp_path / "hero.glb")
    assert (told["cameras"], told["lights"], len(told["meshes"])) == (1, 1, 3)
    by_name = {mesh["material"]["name"]: mesh for mesh in told["meshes"]}
    assert [mesh["name"] for mesh in told["meshes"]] == list(made.parts)
    skin, leaves, lamp = (by_name[name]["material"] for name in ("skin", "leaves", "lamp"))
    assert {"position", "normal", "tangent", "uv", "uv1", "skinIndex", "skinWeight"} <= set(
        by_name["skin"]["attributes"]
    )
    assert skin["type"] == "MeshPhysicalMaterial"
    assert (skin["color"], skin["metalness"], skin["roughness"]) == ([1, 0.75, 0.5], 0.25, 0.5)
    assert np.abs(np.array(skin["map"]["pixel"]) - (230, 30, 30, 255)).max() <= 1
    assert (skin["map"]["space"], skin["normal"]["space"]) == ("srgb", "")
    assert skin["metal"] == skin["rough"] != None  # noqa: E711
    assert skin["metal"]["size"] == [32, 32]
    assert (skin["normalScale"], skin["shading"], skin["shade"]["channel"]) == ([0.75, 0.75], 0.5, 1)
    assert (skin["emissive"], skin["brightness"]) == ([0.125, 0, 0], 2.0)
    assert (skin["coat"], skin["coatMap"]["size"]) == (0.5, [4, 4])
    nearest, linear_mipmap_linear, clamp, mirror = 1003, 1008, 1001, 1002
    assert skin["map"]["filters"] == [nearest, linear_mipmap_linear]
    assert leaves["map"]["wrap"] == [clamp, mirror]
    assert leaves["map"]["filters"][1] == nearest
    assert (leaves["map"]["offset"], leaves["map"]["scale"], leaves["map"]["turn"]) == ([0.25, 0.5], [2, 3], 0.5)
    assert (leaves["alphaTest"], leaves["double"], leaves["transparent"]) == (0.25, True, False)
    assert leaves["map"]["pixel"][3] in (0, 255)
    assert (lamp["type"], lamp["transparent"], lamp["opacity"]) == ("MeshBasicMaterial", True, 0.5)
    lit = [mesh for mesh in told["meshes"] if "point" in mesh["morphs"]]
    assert [mesh["influences"][mesh["morphs"].index("point")] for mesh in lit] == [0.25]


def test_ten_operations_and_the_library_change_no_look_in_three(player, tmp_path, looks):
    """Whatever was done to the motion, three.js reads the same meshes, materials, textures, cameras and lights."""
    clip = cut_frames(make_sample("walk_normal").clip, 0, 160)
    first = tmp_path / "hero.glb"
    reenact.save(clip, first, reenact.WriteOptions(character=looks.dressed(clip.skeleton)))
    last = looks.through_library(looks.after_ten_operations(first, tmp_path)[-1], tmp_path)
    before, after = told_looks(player, first), told_looks(player, last)
    for told in (before, after):
        del told["tracks"]
    assert before["meshes"][0]["material"]["map"] is not None
    assert after == before


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["kaykit/Knight", "khronos/CesiumMan", "khronos/Fox", "mesh2motion/human-male"])
def test_real_characters_keep_their_texture_in_three(player, tmp_path, corpus, name):
    """The same picture on the same material as three.js reads from the file before it went through us."""
    source = corpus / "characters" / f"{name}.glb"
    loaded = reenact.load_all(source)
    clips = loaded.clips[:1] or (reenact.loading.standing_still(loaded.characters[0]),)
    reenact.save(clips[0], tmp_path / "again.glb", reenact.WriteOptions(character=loaded.characters[0]))
    before, after = (told_looks(player, path) for path in (source, tmp_path / "again.glb"))
    maps = [{json.dumps(mesh["material"]["map"]) for mesh in told["meshes"]} for told in (before, after)]
    assert maps[0] <= maps[1]
    assert "null" not in maps[1]
    assert {mesh["name"] for mesh in before["meshes"]} <= {mesh["name"] for mesh in after["meshes"]}
