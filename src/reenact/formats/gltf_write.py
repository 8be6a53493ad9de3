"""Writing glTF 2.0: nodes, skin, animations and, where given, the mesh of a character."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reenact.body.character import Character, rest_world, rigid_inverse
from reenact.core import rotations
from reenact.core.arrays import Bool, Float32, Int32
from reenact.core.clip import Clip
from reenact.core.origin import join_credits
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError, SkeletonError
from reenact.formats.atomic import atomic_write
from reenact.formats.gltf_attachments import add_attachments
from reenact.formats.gltf_buffer import BufferPlan
from reenact.formats.gltf_document import BIN_CHUNK, JSON_CHUNK, MAGIC
from reenact.formats.gltf_extras import KEY, VERSION, describe_animation, describe_roles
from reenact.formats.gltf_write_mesh import add_meshes
from reenact.formats.loaded import WriteOptions

_LARGEST = (1 << 32) - 1  # GLB counts its bytes in 32 bits

_BLOCK = 1 << 18  # values that are arranged for the file at a time
_ONES = np.ones(4, np.float32)


def write(clips: Sequence[Clip], path: Path, options: WriteOptions | None = None) -> None:
    """Write clips of one skeleton as animations, with `options.character` also its mesh and skin.

    Clips may differ in bone lengths (those of the character, else of the first clip, are the nodes'). No clips with a character write
    the character alone. A path that ends in .gltf gets one text file with the data inside, any other a GLB.
    """
    options = WriteOptions() if options is None else options
    path = Path(path)
    if options.unit not in (None, 1.0) or options.up not in (None, "y"):
        raise FormatError("glTF is always in metres with Y up; other units or axes cannot be written", path=path)
    character = options.character
    skeleton = _node_skeleton(clips, character, path)
    plan = BufferPlan()
    tree = _describe(clips, skeleton, character, plan)
    buffer: dict[str, Any] = {"byteLength": plan.length}
    tree["buffers"] = [buffer]
    with atomic_write(path) as stream:
        if path.suffix.lower() == ".gltf":
            data = base64.b64encode(b"".join(plan.chunks())).decode()
            buffer["uri"] = f"data:application/octet-stream;base64,{data}"
            stream.write(json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
            return
        text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + plan.length
        if total > _LARGEST:
            raise FormatError(f"{total} bytes are more than a GLB can hold (4 GiB); write fewer clips", path=path)
        stream.write(struct.pack("<4sIIII", MAGIC, 2, total, len(text), JSON_CHUNK))
        stream.write(text)
        stream.write(struct.pack("<II", plan.length, BIN_CHUNK))
        for chunk in plan.chunks():
            stream.write(chunk)


def _node_skeleton(clips: Sequence[Clip], character: Character | None, path: Path) -> Skeleton:
    """The skeleton the nodes stand for, after checking that everything fits it."""
    if not clips and character is None:
        raise FormatError("nothing to write: no clips and no character", path=path)
    skeleton = clips[0].skeleton if character is None else character.skeleton
    for clip in clips:
        difference = skeleton.difference(clip.skeleton)
        if difference:
            whose = "the character" if character is not None else f"clip {clips[0].name!r}"
            raise SkeletonError(
                f"clip {clip.name!r} does not fit the skeleton of {whose}: {difference}; retarget it first"
            )
        if clip.frames == 0:
            raise FormatError(f"clip {clip.name!r} has no frames", path=path)
        parts = [clip.rotations, clip.root] + ([clip.translations.values] if clip.translations is not None else [])
        if not all(np.isfinite(part).all() for part in parts):
            raise FormatError(f"clip {clip.name!r} holds values that are not finite", path=path)
    if clips and not len(skeleton.end_joints):
        first = clips[0].skeleton
        skeleton = replace(skeleton, end_joints=first.end_joints, end_offsets=first.end_offsets)
    if clips and not skeleton.roles:
        skeleton = skeleton.with_roles(clips[0].skeleton.roles)
    if not (
        np.isfinite(skeleton.offsets).all()
        and np.isfinite(skeleton.rest).all()
        and np.isfinite(skeleton.end_offsets).all()
    ):
        raise FormatError("the skeleton holds values that are not finite", path=path)
    return skeleton


def _describe(
    clips: Sequence[Clip], skeleton: Skeleton, character: Character | None, plan: BufferPlan
) -> dict[str, Any]:
    """The JSON tree without its buffer; notes the arrays in the plan."""
    nodes = _nodes(skeleton, clips[0].origin.end_names if clips else ())
    tree: dict[str, Any] = {
        "asset": {
            "version": "2.0",
            "generator": "reenact",
            **_copyright(clips),
            "extras": {KEY: {"version": VERSION, "roles": describe_roles(skeleton)}},
        },
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }
    rest = rest_world(skeleton)
    binds = rigid_inverse(rest.positions[0], rest.rotations[0]) if character is None else character.inverse_binds
    plan.open_view()
    columns = np.ascontiguousarray(binds.swapaxes(1, 2), dtype=np.float32).reshape(-1, 16)
    columns[:, 3::4] = (0, 0, 0, 1)
    binding = plan.add(len(skeleton), 16, "f4", lambda: columns)
    tree["skins"] = [{"joints": list(range(len(skeleton))), "skeleton": 0, "inverseBindMatrices": binding}]
    if character is not None and len(character.faces):
        for mesh, name in enumerate(add_meshes(character, plan, tree)):
            tree["scenes"][0]["nodes"].append(len(nodes))
            nodes.append({"mesh": mesh, "skin": 0, **({"name": name} if name else {})})
        if character.parts and character.name:
            tree["asset"]["extras"][KEY]["character"] = character.name
        add_attachments(character.attachments, nodes, tree)
    if clips:
        times: dict[tuple[float, int], int] = {}
        tree["animations"] = [_animation(clip, skeleton, plan, times) for clip in clips]
    tree["bufferViews"], tree["accessors"] = plan.views, plan.accessors
    return tree


def _nodes(skeleton: Skeleton, end_names: tuple[str, ...]) -> list[dict[str, Any]]:
    """One node for each joint, in order, then one for each end site."""
    nodes: list[dict[str, Any]] = []
    below: list[list[int]] = [list(children) for children in skeleton.children]
    for end, joint in enumerate(skeleton.end_joints):
        below[joint].append(len(skeleton) + end)
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name}
        turn = skeleton.rest[joint]
        length = float(np.linalg.norm(turn))
        if abs(length - 1) > 1e-6 or np.abs(turn).max() > 1:  # 1.00000005 is out of range for glTF
            turn = np.clip(turn / length, -1, 1) if length > 0 else rotations.identity()
        if skeleton.offsets[joint].any():
            node["translation"] = skeleton.offsets[joint].tolist()
        if not np.array_equal(turn, rotations.identity()):
            node["rotation"] = np.roll(turn, -1).tolist()
        if below[joint]:
            node["children"] = below[joint]
        nodes.append(node)
    named = end_names if len(end_names) == len(skeleton.end_joints) else ()
    for end, joint in enumerate(skeleton.end_joints):
        node = {"name": (named[end] if named else "") or f"{skeleton.names[joint]}_end"}
        if skeleton.end_offsets[end].any():
            node["translation"] = skeleton.end_offsets[end].tolist()
        nodes.append(node)
    return nodes


def _animation(clip: Clip, skeleton: Skeleton, plan: BufferPlan, times: dict[tuple[float, int], int]) -> dict[str, Any]:
    """One animation: a rotation channel for every joint, translations for the root and the joints that move.

    A channel that never changes has a single key.
    """
    channels: list[tuple[int, str, int, int]] = []  # node, path, keys, accessor of the values

    def add(path: str, joints: Int32, columns: Int32, values: Float32, arrange: Callable[[Float32], Float32]) -> None:
        """Channels of `joints`, whose values are these columns of (F, K, width), each with F keys."""
        keys, _, width = values.shape
        block = max(1, _BLOCK // (keys * width))
        for start in range(0, len(joints), block):
            part = slice(start, start + block)
            outputs = plan.add_row(
                len(joints[part]), keys, width, "f4", lambda part=part: arrange(values[:, columns[part]])
            )
            channels.extend(
                (joint, path, keys, output) for joint, output in zip(joints[part].tolist(), outputs, strict=True)
            )

    def add_both(path: str, joints: Int32, values: Float32, arrange: Callable[[Float32], Float32]) -> None:
        """Channels of `joints` from (F, J, width), with all keys or, where nothing changes, with one."""
        still = _still_columns(values)
        for which, keys in ((~still, clip.frames), (still, 1)):
            columns = np.flatnonzero(which).astype(np.int32)
            add(path, joints[columns], columns, values[:keys], arrange)

    plan.open_view()
    every = np.arange(len(skeleton), dtype=np.int32)
    add_both("rotation", every, clip.rotations, _rotation_keys)
    # The root's keys are always complete: they give the animation its duration.
    add("translation", every[:1], every[:1], clip.root[:, None], _joint_major)
    other = np.any(clip.skeleton.offsets != skeleton.offsets, axis=1)
    other[0] = False
    if clip.translations is not None:
        add_both("translation", clip.translations.joints, clip.translations.values, _joint_major)
        other[clip.translations.joints] = False
    add("translation", every[other], every[other], clip.skeleton.offsets[None].astype(np.float32), _joint_major)
    animation: dict[str, Any] = {
        "samplers": [
            {"input": _time_keys(plan, times, clip.fps, keys), "output": output} for _, _, keys, output in channels
        ],
        "channels": [
            {"sampler": sampler, "target": {"node": node, "path": path}}
            for sampler, (node, path, _, _) in enumerate(channels)
        ],
        "extras": describe_animation(clip, skeleton),
    }
    if clip.name:
        animation["name"] = clip.name
    return animation


def _time_keys(plan: BufferPlan, known: dict[tuple[float, int], int], fps: float, count: int) -> int:
    """The accessor of the times 0, 1 / fps, ...; made once for each rate and length."""
    key = (fps if count > 1 else 0.0, count)
    if key not in known:
        last = float(np.float32((count - 1) / fps))
        plan.open_view()
        known[key] = plan.add(
            count, 1, "f4", lambda: (np.arange(count) / fps).astype(np.float32), bounds=([0.0], [last])
        )
    return known[key]


def _still_columns(values: Float32) -> Bool:
    """(J,) True where a joint's values (F, J, width) are the same in all frames; a few frames are looked at first, which settles most."""
    some = values[:: max(1, len(values) // 4)]
    still = (some == values[:1]).all(axis=(0, 2))
    for joint in np.flatnonzero(still):
        still[joint] = (values[:, joint] == values[0, joint]).all()
    return still


def _joint_major(values: Float32) -> Float32:
    """(J, F, width) of (F, J, width): the keys of a channel lie together in the file."""
    return values.swapaxes(0, 1)


def _rotation_keys(q: Float32) -> Float32:
    """(J, F, 4) keys of rotations (F, J, 4) as glTF wants them: unit, xyzw, signs so that even a plain blend goes the short way."""
    q = rotations.unit_float32(q)
    keys = np.empty((q.shape[1], q.shape[0], 4), np.float32)
    for to, source in enumerate((1, 2, 3, 0)):
        keys[..., to] = q[..., source].T
    back = (keys[:, 1:] * keys[:, :-1]) @ _ONES < 0
    if back.any():
        keys[:, 1:] *= np.cumprod(np.where(back, -1, 1), axis=1)[..., None].astype(np.float32)
    return keys


def _copyright(clips: Sequence[Clip]) -> dict[str, str]:
    """What glTF has for whose work it is."""
    credits = join_credits(*(clip.origin.credits for clip in clips))
    return {"copyright": " / ".join(map(str, credits))} if credits else {}
