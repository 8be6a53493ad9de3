"""The peers' side of the benchmarks, run in their own environment by run.py."""

from __future__ import annotations

import copy
import io
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

from timing import serve

Task = Callable[[], object]


def decode_pybvh(path: str) -> Task:
    """File to quaternions."""
    import pybvh

    return lambda: pybvh.read_bvh_file(path).to_quat()


def decode_pymotion(path: str) -> Task:
    """File to quaternions."""
    from pymotion.io.bvh import BVH

    def task() -> object:
        motion = BVH()
        motion.load(path)
        return motion.get_data()

    return task


def decode_bvhtoolbox(path: str) -> Task:
    """File to quaternions of every joint."""
    from bvhtoolbox import BvhTree, get_quaternions

    def task() -> object:
        tree = BvhTree(Path(path).read_text())
        return [get_quaternions(tree, name, axes="rzyx") for name in tree.get_joints_names()]

    return task


def decode_bvhsdk(path: str) -> Task:
    """File to channel values: it has no quaternions."""
    import bvhsdk

    return lambda: bvhsdk.ReadFile(path)


def skin_libigl() -> Task:
    """A mesh in some poses by libigl's matrix of weighted points, made once, times the joints of all frames."""
    import igl
    import numpy as np
    from skinning import JOINTS, make_skin

    made = make_skin()
    dense = np.zeros((len(made["vertices"]), JOINTS))
    np.put_along_axis(dense, made["joints"].astype(int), made["weights"], axis=1)
    matrix = igl.lbs_matrix(made["vertices"].astype(np.float64), dense)

    def task() -> object:
        w, x, y, z = np.moveaxis(made["rotations"], -1, 0)
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        turns = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
        moves = np.concatenate([turns, made["positions"][..., None]], axis=3)
        table = moves.transpose(1, 3, 0, 2).reshape(4 * JOINTS, -1)
        return np.ascontiguousarray((matrix @ table).reshape(len(matrix), -1, 3).transpose(1, 0, 2))

    return task


def decode_bvhio(path: str) -> Task:
    """File to a hierarchy of quaternion keyframes."""
    import bvhio

    return lambda: bvhio.readAsHierarchy(path)


def contacts_pybvh(folder: str) -> Task:
    """Foot contacts of every recording of a folder, on fresh objects: they keep what they have worked out."""
    clips = _read_pybvh(folder)
    return lambda: [clip.foot_contacts() for clip in copy.deepcopy(clips)]


def copies_pybvh(folder: str) -> Task:
    """The fresh objects alone, to be taken off the task above."""
    clips = _read_pybvh(folder)
    return lambda: copy.deepcopy(clips)


def _read_pybvh(folder: str) -> list:
    import pybvh

    return [pybvh.read_bvh_file(path) for path in sorted(Path(folder).glob("*.bvh"))]


def write_pybvh(path: str) -> Task:
    """A loaded clip to a file; a fresh object each time would add its reading, and its writer keeps nothing between calls."""
    import pybvh

    clip, out = pybvh.read_bvh_file(path), _out("pybvh.bvh")
    return lambda: pybvh.write_bvh_file(clip, out)


def write_pymotion(path: str) -> Task:
    """A loaded clip to a file."""
    from pymotion.io.bvh import BVH

    motion, out = BVH(), str(_out("pymotion.bvh"))
    motion.load(path)
    return lambda: motion.save(out)


def write_bvhsdk(path: str) -> Task:
    """A loaded clip to a file."""
    import bvhsdk

    clip, out = bvhsdk.ReadFile(path), str(_out("x").parent)

    def task() -> None:
        with redirect_stdout(io.StringIO()):
            bvhsdk.WriteBVH(clip, out, name="bvhsdk", refTPose=False, precision=6)

    return task


def fk_pymotion(path: str) -> Task:
    """Local rotations to world positions and rotations."""
    from pymotion.io.bvh import BVH
    from pymotion.ops.skeleton import fk

    motion = BVH()
    motion.load(path)
    rotations, positions, parents, offsets, *_ = motion.get_data()
    root = positions[:, 0]
    return lambda: fk(rotations, root, offsets, parents)


def fk_pymotion_quaternions(path: str) -> Task:
    """Local rotations to world quaternions and positions, its other way."""
    from pymotion.io.bvh import BVH
    from pymotion.ops.skeleton import fk_quat

    motion = BVH()
    motion.load(path)
    rotations, positions, parents, offsets, *_ = motion.get_data()
    root = positions[:, 0]
    return lambda: fk_quat(rotations, root, offsets, parents)


def fk_pybvh(path: str) -> Task:
    """Euler angles to world positions; the object is copied each time, as it keeps results."""
    import pybvh

    clip = pybvh.read_bvh_file(path)
    return lambda: clip.copy().joint_positions()


def glb_pygltflib(path: str) -> Task:
    """Nodes and one animation, a rotation track for every joint and the root's path, built and saved as its users do."""
    import numpy as np
    import pygltflib as gltf
    from pymotion.io.bvh import BVH

    motion, out = BVH(), str(_out("pygltflib.glb"))
    motion.load(path)
    rotations, positions, parents, offsets, *_ = motion.get_data()
    turns = rotations[..., [1, 2, 3, 0]].astype(np.float32)
    root = positions[:, 0].astype(np.float32)
    times = (np.arange(len(turns)) / 120).astype(np.float32)

    def task() -> None:
        tracks = [
            (times, "SCALAR"),
            (root, "VEC3"),
            *((np.ascontiguousarray(turns[:, j]), "VEC4") for j in range(len(parents))),
        ]
        views, accessors, blob = [], [], b""
        for n, (values, kind) in enumerate(tracks):
            data = values.tobytes()
            views.append(gltf.BufferView(buffer=0, byteOffset=len(blob), byteLength=len(data)))
            span = {"min": [float(values.min())], "max": [float(values.max())]} if n == 0 else {}
            accessors.append(
                gltf.Accessor(bufferView=n, componentType=gltf.FLOAT, count=len(values), type=kind, **span)
            )
            blob += data
        samplers = [gltf.AnimationSampler(input=0, output=n, interpolation="LINEAR") for n in range(1, len(tracks))]
        targets = [(0, "translation"), *((joint, "rotation") for joint in range(len(parents)))]
        channels = [
            gltf.AnimationChannel(sampler=n, target=gltf.AnimationChannelTarget(node=node, path=what))
            for n, (node, what) in enumerate(targets)
        ]
        nodes = [
            gltf.Node(
                translation=offsets[j].tolist(),
                children=[int(c) for c in np.flatnonzero(np.asarray(parents) == j) if c != j],
            )
            for j in range(len(parents))
        ]
        scene = gltf.GLTF2(
            scene=0,
            scenes=[gltf.Scene(nodes=[0])],
            nodes=nodes,
            animations=[gltf.Animation(samplers=samplers, channels=channels)],
            accessors=accessors,
            bufferViews=views,
            buffers=[gltf.Buffer(byteLength=len(blob))],
        )
        scene.set_binary_blob(blob)
        scene.save_binary(out)

    return task


def warping_dtaidistance(first: str, second: str) -> Task:
    """Accumulated costs of time warping, by its compiled code."""
    import numpy as np
    from dtaidistance import dtw_ndim

    a, b = (np.ascontiguousarray(np.load(file)) for file in (first, second))
    return lambda: dtw_ndim.warping_paths_fast(a, b)


def _out(name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix="reenact-bench-")) / name


if __name__ == "__main__":
    serve(
        {
            name: task
            for name, task in globals().items()
            if name.split("_")[0] in ("decode", "write", "fk", "glb", "contacts", "copies", "warping", "skin")
        }
    )
