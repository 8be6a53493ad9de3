"""GLB files as another program sees them: three.js loads and plays them, joints where our own kinematics has them."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import reenact
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
