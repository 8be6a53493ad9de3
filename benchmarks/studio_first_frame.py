"""From the command to the first frame on the screen: CMU 15_01 in the studio, in viser and in Blender's BVH import.

    python benchmarks/studio_first_frame.py [--repeats N] [--no-peers]

Wall-clock seconds, the best and the median of several runs, in turns. Ours: `reenact studio 15_01.bvh` until its page in a headless
Chromium has drawn the clip. viser: a script that reads the same file and shows its skeleton, until its page in the same Chromium has
drawn it (viser reads no motion files: the script uses our reader through a file of positions made beforehand, which is not counted).
bpy: a script that imports the file with Blender's own importer and draws one frame with its software renderer; no browser has to
start there. The peers live in environments of their own, `.bench/viser` and `.bench/bpy`, made on the first run.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

import reenact

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
BENCH = REPOSITORY / ".bench"
PATIENCE = 180.0

FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
)

VISER = """
import sys, time
import numpy as np
import viser
held = np.load(sys.argv[1])
server = viser.ViserServer(host="127.0.0.1", port=int(sys.argv[2]), verbose=False)
places, parents = held["positions"], held["parents"]
bones = np.array([[places[0, j], places[0, p]] for j, p in enumerate(parents) if p >= 0])
server.scene.add_grid("/ground", width=10, height=10, plane="xz")
server.scene.add_line_segments("/bones", points=bones, colors=(40, 90, 200), line_width=4)
server.scene.add_point_cloud("/joints", points=places[0], colors=(240, 120, 30), point_size=0.03)
print("ready", flush=True)
time.sleep(600)
"""

BLENDER = """
import sys
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_anim.bvh(filepath=sys.argv[1], global_scale=0.0564)
figure = bpy.context.object
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location, camera.rotation_euler = (6, -8, 3), (1.25, 0, 0.64)
scene = bpy.context.scene
scene.collection.objects.link(camera)
scene.camera = camera
scene.frame_set(1)
for bone in figure.pose.bones:  # an armature is not drawn by a renderer: a stick for every bone
    mesh = bpy.data.meshes.new(bone.name)
    mesh.from_pydata([figure.matrix_world @ bone.head, figure.matrix_world @ bone.tail], [(0, 1)], [])
    stick = bpy.data.objects.new(bone.name, mesh)
    scene.collection.objects.link(stick)
    stick.modifiers.new("skin", "SKIN")
    for vertex in mesh.skin_vertices[0].data if mesh.skin_vertices else ():
        vertex.radius = (0.03, 0.03)
scene.render.engine = "CYCLES"
scene.cycles.device, scene.cycles.samples = "CPU", 1
scene.render.resolution_x, scene.render.resolution_y = 640, 480
scene.render.filepath = sys.argv[2]
bpy.ops.render.render(write_still=True)
print("drawn", flush=True)
"""


class Failure(RuntimeError):
    """Why something could not be measured."""


def find_clip() -> Path:
    """CMU 15_01 from the recordings."""
    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    path = folder / "cmu-bvh" / "15_01.bvh"
    if not path.is_file():
        raise SystemExit(f"{path} is not here: set REENACT_DATA to the folder of the recordings")
    return path


def environment(name: str, package: str) -> Path:
    """The Python of a peer's environment, installed when it is not there yet."""
    folder = BENCH / name
    python = folder / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode:
        print(f"installing {package} into .bench/{name} ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{package} does not install: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return python


def browse(url: str) -> float:
    """Open a page in a fresh headless Chromium; gives the moment at which it shows a body."""
    from playwright.sync_api import sync_playwright

    command = shutil.which(os.environ.get("REENACT_BROWSER", "chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=command, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(url, wait_until="commit")
        end = time.perf_counter() + PATIENCE
        while not shows_body(page):
            if time.perf_counter() > end:
                raise Failure("nothing was drawn")
            page.wait_for_timeout(10)
        shown = time.perf_counter()
        browser.close()
    return shown


def time_ours(clip: Path) -> float:
    """Seconds until the studio has drawn the clip."""
    script = Path(sys.executable).parent / "reenact"
    begun = time.perf_counter()
    server = subprocess.Popen(
        [script, "studio", clip, "--no-browser", "--json", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        return browse(url) - begun
    finally:
        server.terminate()
        server.wait()


def time_viser(python: Path, arrays: Path, script: Path) -> float:
    """Seconds until viser has drawn the skeleton."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begun = time.perf_counter()
    server = subprocess.Popen(
        [python, script, arrays, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        while "ready" not in (line := server.stdout.readline()):
            if not line:
                raise Failure("viser's script ended")
        return browse(f"http://127.0.0.1:{port}/") - begun
    finally:
        server.terminate()
        server.wait()


def shows_body(page: Page) -> bool:
    """Whether there is orange, a colour of both figures and of nothing else, in the 3-D view: told from a picture, alike for all."""
    canvas = "() => { const c = document.querySelector('canvas'); return c && c.getBoundingClientRect().toJSON(); }"
    box = page.evaluate(canvas)
    if not box or box["width"] < 100 or box["height"] < 100:
        return False
    part = {"x": box["x"], "y": box["y"] + 0.15 * box["height"], "width": box["width"], "height": 0.85 * box["height"]}
    picture = Image.open(io.BytesIO(page.screenshot(type="jpeg", quality=80, clip=part)))  # type: ignore[arg-type]
    seen = np.asarray(picture.convert("RGB"), dtype=int)
    return bool((seen[..., 0] - seen[..., 2] > 90).sum() > 60)


def time_blender(python: Path, clip: Path, script: Path, picture: Path) -> float:
    """Seconds until Blender has imported the clip and drawn a frame."""
    begun = time.perf_counter()
    done = subprocess.run([python, script, clip, picture], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode or "drawn" not in done.stdout:
        raise Failure(((done.stderr.strip() or done.stdout.strip()).splitlines() or ["it failed"])[-1])
    return time.perf_counter() - begun


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    clip = find_clip()
    subprocess.run([sys.executable, "-m", "reenact", "warm-up"], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="reenact-bench-") as name:
        folder = Path(name)
        tasks: dict[str, Callable[[], float]] = {"reenact studio": lambda: time_ours(clip)}
        missing: dict[str, str] = {}
        if not given.no_peers:
            tasks.update(_peers(clip, folder, missing))
        times: dict[str, list[float]] = {task: [] for task in tasks}
        for _ in range(given.repeats):
            for task, run in tasks.items():
                if task in missing:
                    continue
                try:
                    times[task].append(run())
                except (Failure, OSError, subprocess.SubprocessError) as error:
                    missing[task] = str(error)
    print(f"from the command to the first drawn frame, {clip.stem}, {given.repeats} runs")
    print(f"{'':28s} {'best':>8s} {'median':>8s}")
    for task, held in sorted(times.items(), key=lambda pair: min(pair[1], default=float("inf"))):
        if held:
            print(f"{task:28s} {min(held):6.2f} s {statistics.median(held):6.2f} s")
    for task, why in missing.items():
        print(f"{task:28s} {why}")


def _peers(clip: Path, folder: Path, missing: dict[str, str]) -> dict[str, Callable[[], float]]:
    read = reenact.load(clip)
    arrays = folder / "positions.npz"
    np.savez(arrays, positions=read.world().positions, parents=read.skeleton.parents)
    scripts = {"viser": folder / "show_viser.py", "bpy": folder / "import_bpy.py"}
    scripts["viser"].write_text(VISER)
    scripts["bpy"].write_text(BLENDER)
    tasks: dict[str, Callable[[], float]] = {}
    for title, name, package in (("viser", "viser", "viser"), ("bpy (import and picture)", "bpy", "bpy==5.0.1")):
        try:
            python = environment(name, package)
        except (Failure, OSError) as error:
            missing[title] = str(error)
            continue
        if name == "viser":
            tasks[title] = lambda python=python: time_viser(python, arrays, scripts["viser"])
        else:
            tasks[title] = lambda python=python: time_blender(python, clip, scripts["bpy"], folder / "drawn.png")
    return tasks


if __name__ == "__main__":
    main()
