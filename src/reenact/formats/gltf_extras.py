"""What reenact keeps in a glTF file beyond glTF itself, under the key "reenact" of `extras`, and reads back with every value checked.

asset.extras.reenact      {"version": 1, "roles": {role: joint name}, and where its parts are named otherwise "character": name}
animations[i].extras.reenact  {"fps", "frames", "origin": {...}, and where they apply "translated": [joint], "offsets": true,
                           "rest": [[w, x, y, z], ...], "roles": {...}, "pristine": true, "plants": {...}}
animations[i].extras.events   [{"time": seconds, "name": "left heel down"}, ...], foot plants as game engines take them; not read back
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reenact.core.arrays import Float64
from reenact.core.clip import Clip
from reenact.core.foot_plants import SIDES, FootPlants, intervals_of
from reenact.core.motion_print import MotionPrint, take_print
from reenact.core.origin import Origin
from reenact.core.roles import ROLES
from reenact.core.skeleton import Skeleton
from reenact.errors import FormatError
from reenact.formats.gltf_document import Document, Json, is_number
from reenact.formats.origin_json import origin_from_json, origin_to_json
from reenact.formats.plants_json import plants_from_json, plants_to_json

KEY = "reenact"
VERSION = 1


@dataclass(frozen=True, slots=True)
class ClipExtras:
    """What a written animation says about its clip.

    Attributes:
        fps: frames per second.
        frames: how many.
        translated: joints whose translations are the clip's own.
        offsets: True when constant translations are bone lengths that differ from the nodes'.
        rest: (J, 4) rest rotations where they differ from the nodes', or None.
        roles: role -> joint name where they differ from the file's, or None.
        origin: where the clip came from.
        pristine: whether it was as recorded.
        plants: foot plants and by what their motion is recognised, or None.
    """

    fps: float
    frames: int
    translated: tuple[int, ...]
    offsets: bool
    rest: Float64 | None
    roles: Mapping[str, str] | None
    origin: Origin
    pristine: bool
    plants: tuple[FootPlants, MotionPrint] | None = None


def describe_roles(skeleton: Skeleton) -> dict[str, str]:
    """Role -> joint name."""
    return {role: skeleton.names[joint] for role, joint in skeleton.roles.items()}


def describe_animation(clip: Clip, nodes: Skeleton) -> Json:
    """All extras of a clip's animation; `nodes` is the skeleton the file's nodes stand for."""
    own = describe_clip(clip, nodes)
    if clip.plants is None:
        return {KEY: own}
    own["plants"] = plants_to_json(clip.plants, take_print(clip))
    return {KEY: own, "events": plant_events(clip.plants)}


def plant_events(plants: FootPlants) -> list[Json]:
    """When heels and balls come down and lift, in the order of time."""
    found = [
        (frame / plants.fps, f"{side} {point} {what}")
        for side in SIDES
        for point in ("heel", "ball")
        for start, end in intervals_of(getattr(plants.foot(side), point))
        for frame, what in ((start, "down"), (end, "up"))
        if not (what == "up" and end == len(plants))
    ]
    return [{"time": round(time, 6), "name": name} for time, name in sorted(found)]


def describe_clip(clip: Clip, nodes: Skeleton) -> Json:
    """What reenact keeps of a clip; `nodes` is the skeleton the file's nodes stand for."""
    found: Json = {"fps": float(clip.fps), "frames": clip.frames}
    if clip.translations is not None:
        found["translated"] = clip.translations.joints.tolist()
    if not np.array_equal(clip.skeleton.offsets, nodes.offsets):
        found["offsets"] = True
    if not np.array_equal(clip.skeleton.rest, nodes.rest):
        found["rest"] = clip.skeleton.rest.tolist()
    roles = describe_roles(clip.skeleton)
    if roles != describe_roles(nodes):
        found["roles"] = roles
    origin = origin_to_json(clip.origin)
    if origin:
        # The folder is the reader's own business; a file that is passed on carries the name alone.
        if "path" in origin:
            origin["path"] = origin["path"].replace("\\", "/").rsplit("/", 1)[-1]
        found["origin"] = origin
    if clip.pristine:
        found["pristine"] = True
    return found


def read_clip_extras(doc: Document, animation: Json, where: str, joints: int) -> ClipExtras | None:
    """The extras of an animation, or None when it has none or they do not fit (a finding then)."""
    found = _own(animation)
    if found is None:
        return None
    try:
        return _parse(found, joints)
    except FormatError as error:
        doc.quirk("extras", where, f"the notes under extras.{KEY} are ignored: {error.message}")
        return None


def read_roles(doc: Document, skeleton: Skeleton) -> Skeleton:
    """The skeleton with the roles the file gives it, if any."""
    asset = doc.object(doc.tree, "asset", "") or {}
    found = _own(asset)
    if found is None or "roles" not in found:
        return skeleton
    try:
        return with_named_roles(skeleton, _roles(found["roles"]))
    except FormatError as error:
        doc.quirk("extras", "asset", f"the roles under extras.{KEY} are ignored: {error.message}")
        return skeleton


def read_character_name(doc: Document) -> str:
    """What the file's character is called, where the names of its nodes do not say so."""
    found = _own(doc.object(doc.tree, "asset", "") or {})
    return doc.text(found, "character") if found is not None else ""


def with_named_roles(skeleton: Skeleton, roles: Mapping[str, str]) -> Skeleton:
    """The skeleton with roles given by joint names."""
    joint_of = {name: joint for joint, name in enumerate(skeleton.names)}
    lost = [name for name in roles.values() if name not in joint_of]
    if lost:
        raise FormatError(f"there is no joint {lost[0]!r}")
    return skeleton.with_roles({role: joint_of[name] for role, name in roles.items()})


def _own(holder: Json) -> Json | None:
    extras = holder.get("extras")
    found = extras.get(KEY) if isinstance(extras, dict) else None
    return found if isinstance(found, dict) else None


def _parse(found: Json, joints: int) -> ClipExtras:
    fps, frames = found.get("fps"), found.get("frames")
    if not (is_number(fps) and 0 < fps <= 1e6):  # type: ignore[operator]
        raise FormatError("fps is not a positive number")
    if not isinstance(frames, int) or isinstance(frames, bool) or frames < 1:
        raise FormatError("frames is not a positive whole number")
    translated = found.get("translated", [])
    if not isinstance(translated, list) or not all(type(j) is int and 0 < j < joints for j in translated):
        raise FormatError("translated does not list joints")
    rest = found.get("rest")
    return ClipExtras(
        fps=float(fps),  # type: ignore[arg-type]
        frames=frames,
        translated=tuple(sorted(set(translated))),
        offsets=found.get("offsets") is True,
        rest=None if rest is None else _rest(rest, joints),
        roles=_roles(found["roles"]) if "roles" in found else None,
        origin=origin_from_json(found.get("origin", {}), joints),
        pristine=found.get("pristine") is True,
        plants=plants_from_json(found["plants"]) if "plants" in found else None,
    )


def _rest(found: Any, joints: int) -> Float64:
    rows = found if isinstance(found, list) else []
    if len(rows) != joints or not all(isinstance(q, list) and len(q) == 4 and all(map(is_number, q)) for q in rows):
        raise FormatError(f"rest does not hold {joints} rotations")
    return np.array(rows, dtype=np.float64)


def _roles(found: Any) -> dict[str, str]:
    if not isinstance(found, dict) or not all(role in ROLES and isinstance(name, str) for role, name in found.items()):
        raise FormatError("roles does not map known roles to joint names")
    return found
