"""glTF animations as clips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from reenact.core import rotations
from reenact.core.arrays import Float, Float32
from reenact.core.clip import Clip, JointTranslations
from reenact.core.origin import Origin
from reenact.errors import FormatError
from reenact.formats.gltf_accessors import read_floats
from reenact.formats.gltf_document import Document, Json
from reenact.formats.gltf_extras import ClipExtras, read_clip_extras, with_named_roles
from reenact.formats.gltf_keys import FrameGrid, Interpolation, KeyPlan, detect_grid, on_frames
from reenact.formats.gltf_nodes import Nodes, unit_rotations
from reenact.formats.gltf_rigs import Rig, make_unique
from reenact.formats.gltf_scale import absorb_scale, carry_root, scale_moves

_PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_ADDED = {
    "translation": np.zeros((1, 3)),
    "rotation": rotations.identity(1),
    "scale": np.ones((1, 3)),
}  # of a root that was added
_INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")
_STILL = 1e-5  # share of the skeleton's size a joint may leave its rest offset by and still count as fixed
_FREE_POSES = 1 << 24  # joint rotations that may be made from any file; more only in proportion to its size


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """Keys of one property of one node: ascending times (n,) and values (n, width), for CUBICSPLINE (n, 3, width). Rotations are wxyz."""

    node: int
    path: str
    source: int
    times: Float32
    values: Float32
    interpolation: Interpolation


@dataclass(frozen=True, slots=True)
class Animation:
    """One animation of the file: its channels by (node, path)."""

    name: str
    where: str
    entry: Json
    channels: dict[tuple[int, str], Channel]


def read_animations(doc: Document) -> list[Animation]:
    """Every animation, its keys decoded and checked. Times shared by channels are one array."""
    times: dict[int, Float32] = {}
    found = []
    for i, entry in enumerate(doc.objects("animations")):
        where = f"animations[{i}]"
        samplers = doc.objects("samplers", entry, where)
        channels: dict[tuple[int, str], Channel] = {}
        for k, channel in enumerate(doc.objects("channels", entry, where)):
            spot = f"{where}.channels[{k}]"
            target = doc.object(channel, "target", spot) or {}
            node, path = doc.reference(target, "node", "nodes", f"{spot}.target"), target.get("path")
            if node is None or not isinstance(path, str) or path not in _PATHS:
                shown = path if isinstance(path, str) else "nothing"
                doc.note("ignored-channel", "info", "animations", f"channels that animate {shown[:40]!r} are ignored")
                continue
            at = doc.integer(channel, "sampler", spot)
            if at >= len(samplers):
                doc.fail(f"{spot}.sampler: names samplers[{at}], there are {len(samplers)}")
            if (node, path) in channels:
                doc.quirk("same-target", spot, f"animates the {path} of nodes[{node}] a second time; ignored")
                continue
            read = _read_channel(doc, samplers[at], node, path, times, f"{where}.samplers[{at}]")
            if read is not None:
                channels[node, path] = read
        found.append(Animation(doc.text(entry, "name"), where, entry, channels))
    return found


def _read_channel(
    doc: Document, sampler: Json, node: int, path: str, cache: dict[int, Float32], where: str
) -> Channel | None:
    source, output = (
        doc.reference(sampler, "input", "accessors", where),
        doc.reference(sampler, "output", "accessors", where),
    )
    if source is None or output is None:
        doc.fail(f"{where}: needs input and output")
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in _INTERPOLATIONS:
        shown = interpolation if isinstance(interpolation, str) else "no text"
        doc.fail(f"{where}.interpolation: {shown[:40]!r} is not one of {', '.join(_INTERPOLATIONS)}")
    if source not in cache:
        cache[source] = read_floats(doc, source, ("SCALAR",), "key times")[:, 0]
    times = cache[source]
    values = read_floats(doc, output, (_PATHS[path],), f"keys of a {path}")
    if interpolation == "CUBICSPLINE":
        if len(values) != 3 * len(times):
            doc.fail(f"{where}: {len(times)} key times need {3 * len(times)} cubic spline values, found {len(values)}")
        values = values.reshape(-1, 3, values.shape[1])
    if len(values) != len(times):
        doc.fail(f"{where}: {len(times)} key times, but {len(values)} values")
    if len(times) == 0:
        doc.quirk("no-keys", where, "has no keys; ignored")
        return None
    if np.any(np.diff(times) <= 0):
        doc.quirk("key-order", where, "key times do not ascend; sorted, of equal ones the last is kept")
        order = np.argsort(times, kind="stable")
        last = np.append(np.diff(times[order]) > 0, True)
        times, values = times[order][last], values[order][last]
        source = -1 - output  # no longer the shared times
    if path == "rotation":
        values = values[..., [3, 0, 1, 2]]
        if interpolation == "CUBICSPLINE":
            values[:, 1] = unit_rotations(doc, values[:, 1], where)
        else:
            values = unit_rotations(doc, values, where)
    return Channel(node, path, source, times, values, interpolation)


def animated_nodes(animations: Iterable[Animation]) -> set[int]:
    """Every node that some animation moves."""
    return {node for animation in animations for node, _ in animation.channels}


def make_clips(doc: Document, nodes: Nodes, rigs: list[Rig], animations: list[Animation]) -> list[Clip]:
    """One clip for each animation and each skeleton it moves."""
    rates: dict[str, list[str]] = {}
    reach = [{*rig.nodes, *rig.above} for rig in rigs]
    moved = set().union(*reach)
    budget = _FREE_POSES + doc.size
    jobs = []
    for i, animation in enumerate(animations):
        outside = sorted({node for node, _ in animation.channels} - moved)
        if outside:
            named = ", ".join(repr(nodes.names[node] or f"nodes[{node}]") for node in outside[:3])
            message = f"moves {len(outside)} nodes outside the skeleton, which are ignored: {named}"
            doc.note("ignored-nodes", "info", animation.where, message)
        base = animation.name or (doc.path.stem if len(animations) == 1 else f"{doc.path.stem}_{i + 1}")
        for rig, near in zip(rigs, reach, strict=True):
            own = {key: channel for key, channel in animation.channels.items() if key[0] in near}
            if not own:
                continue
            extras = read_clip_extras(doc, animation.entry, animation.where, len(rig.nodes))
            grid = _choose_grid(doc, animation, list(own.values()), extras, rates, base)
            budget -= grid.frames * (len(rig.nodes) + len(own))
            if budget < 0:
                asked = f"{grid.frames} frames of {len(rig.nodes)} joints"
                doc.fail(f"{animation.where}: {asked} are more than a file of {doc.size} bytes may ask for")
            name = base if len(rigs) == 1 else f"{base}:{rig.title}"
            jobs.append((name, rig, animation, own, grid, extras))
    for message, names in rates.items():
        where = names[0] if len(names) == 1 else f"{len(names)} animations"
        doc.note("frame-rate", "info", where, message, fixed=True)
    unique = make_unique([job[0] for job in jobs])
    return [
        _make_clip(doc, nodes, rig, animation, own, grid, extras, name)
        for name, (_, rig, animation, own, grid, extras) in zip(unique, jobs, strict=True)
    ]


def _choose_grid(
    doc: Document,
    animation: Animation,
    channels: list[Channel],
    extras: ClipExtras | None,
    rates: dict[str, list[str]],
    name: str,
) -> FrameGrid:
    times = list({channel.source: channel.times for channel in channels}.values())
    if extras is not None:
        end = max(float(one[-1]) for one in times)
        every = np.unique(np.concatenate(times)).astype(np.float64)
        if every[0] >= 0 and end <= (extras.frames - 0.5) / extras.fps and on_frames(every, extras.fps):
            return FrameGrid(0.0, extras.fps, extras.frames, sure=True, exact=True)
        doc.quirk("extras", animation.where, "the noted frame rate no longer fits the keys; ignored")
    grid = detect_grid(times)
    if not grid.exact:
        message = f"the keys of {name!r} lie on no regular frames; sampled at {grid.fps:g} frames a second"
        doc.note("resampled", "warning", animation.where, message, fixed=True)
    else:
        how = "from the spacing of the keys" if grid.sure else "taken, every key lies on a frame of it"
        rates.setdefault(f"{grid.fps:.6g} frames a second, {how}", []).append(name)
    if abs(grid.start) > 1e-6:
        rates.setdefault(f"the first key is at {grid.start:.4g} s, where frame 0 is put", []).append(name)
    return grid


def _make_clip(
    doc: Document,
    nodes: Nodes,
    rig: Rig,
    animation: Animation,
    channels: dict[tuple[int, str], Channel],
    grid: FrameGrid,
    extras: ClipExtras | None,
    name: str,
) -> Clip:
    plans: dict[int, KeyPlan] = {}

    def values_of(node: int, path: str, fixed: Float) -> Float:
        channel = channels.get((node, path))
        if channel is None:
            return (
                fixed[node][None]
                if node >= 0
                else {"rotation": rotations.identity(1), "scale": np.ones((1, 3))}.get(path, np.zeros((1, 3)))
            )
        if channel.source not in plans:
            plans[channel.source] = KeyPlan(channel.times, grid)
        return plans[channel.source].sample(channel.values, channel.interpolation, turning=path == "rotation")

    chain = [*rig.above, *rig.nodes]
    over = len(rig.above)
    skeleton = rig.skeleton
    turns = [values_of(node, "rotation", nodes.rotations) for node in chain]
    moves = [values_of(node, "translation", nodes.translations) for node in chain]
    scales = [values_of(node, "scale", nodes.scales) for node in chain]
    parents = [i - 1 for i in range(over)] + [over - 1 if p < 0 else int(p) + over for p in skeleton.parents]
    offsets, stretches = absorb_scale(parents, turns, moves, scales)
    root, turn = carry_root(turns[:over], offsets[: over + 1])
    found = np.empty((grid.frames, len(skeleton), 4), np.float32)
    for joint, rotation in enumerate(turns[over:]):
        found[:, joint] = rotation
    if over:
        found[:, 0] = rotations.multiply(turn, np.asarray(turns[over], dtype=np.float64))
    places = np.broadcast_to(root, (grid.frames, 3)).astype(np.float32)
    if not (np.isfinite(found).all() and np.isfinite(places).all()):
        doc.fail(f"{animation.where}: the motion leaves the range of numbers")
    if any(map(scale_moves, stretches[over:])):
        doc.note(
            "moving-scale",
            "warning",
            animation.where,
            "animates scale; joints stand where it puts them, sizes stay",
            fixed=True,
        )
    if extras is not None and extras.offsets:
        fixed = np.array([offset[0] for offset in offsets[over:]], dtype=np.float64)
        skeleton = replace(skeleton, offsets=np.vstack([skeleton.offsets[:1], fixed[1:]]))
    moved = _moving_joints(rig, offsets[over:], grid.frames, extras)
    if moved is not None and not np.isfinite(moved.values).all():
        doc.fail(f"{animation.where}: the motion leaves the range of numbers")
    if extras is None:
        clip = Clip(skeleton, found, places, grid.fps, name, moved, Origin(doc.format, str(doc.path)))
        return clip.as_recorded()
    if extras.rest is not None:
        skeleton = replace(skeleton, rest=extras.rest)
    if extras.roles is not None:
        try:
            skeleton = with_named_roles(skeleton, extras.roles)
        except FormatError as error:
            doc.quirk("extras", animation.where, f"the noted roles are ignored: {error.message}")
    clip = Clip(skeleton, found, places, grid.fps, name, moved, extras.origin)
    clip = clip.as_recorded() if extras.pristine else clip
    if extras.plants is None:
        return clip
    plants, seen = extras.plants
    if len(plants) != len(clip) or not seen.fits(clip):
        changed = "the noted foot plants are ignored: the motion was changed since"
        doc.note("plants", "warning", animation.where, changed)
        return clip
    return clip.with_plants(plants)


def _moving_joints(rig: Rig, offsets: list[Float], frames: int, extras: ClipExtras | None) -> JointTranslations | None:
    """The joints that leave their rest offset, with their positions; for a clip written here exactly those it had."""
    rest = rig.skeleton.offsets
    if extras is not None:
        joints = list(extras.translated)
    else:
        joints = [j for j in range(1, len(offsets)) if np.abs(offsets[j] - rest[j]).max() > _STILL * rig.size]
    if not joints:
        return None
    values = np.stack([np.broadcast_to(offsets[j], (frames, 3)) for j in joints], axis=1).astype(np.float32)
    return JointTranslations(np.array(joints, np.int32), values)
