"""Acclaim skeletons as text: the writing side of `formats.asf`."""

from __future__ import annotations

import math
from collections.abc import Iterable

from reenact.formats.acclaim import ROOT, AcclaimBone, AcclaimSkeleton, order_bones


def format_skeleton(acclaim: AcclaimSkeleton) -> str:
    """The text of a skeleton file. Numbers have 10 digits, far below any capture's accuracy."""
    from_radians = 180 / math.pi if acclaim.degrees else 1.0
    root = acclaim.root
    lines = [
        "# Acclaim skeleton file",
        ":version 1.10",
        f":name {acclaim.name}",
        ":units",
        f"  mass {acclaim.mass:.10g}",
        f"  length {acclaim.length:.10g}",
        f"  angle {'deg' if acclaim.degrees else 'rad'}",
        ":documentation",
        "   a length divided by the length unit is in inches",
        ":root",
        f"   order {' '.join(root.dofs).upper()}",
        f"   axis {root.axis_order.upper()}",
        f"   position {_join(root.position)}",
        f"   orientation {_join(angle * from_radians for angle in root.orientation)}",
        ":bonedata",
    ]
    for number, bone in enumerate(acclaim.bones, start=1):
        lines += _bone_lines(number, bone, from_radians)
    lines += [":hierarchy", "  begin"]
    children: dict[int, list[str]] = {}
    for bone, parent in zip(acclaim.bones, acclaim.parents, strict=True):
        children.setdefault(parent, []).append(bone.name)
    for index in order_bones(acclaim.parents):
        if index in children:
            parent_name = "root" if index == ROOT else acclaim.bones[index].name
            lines.append(f"    {' '.join([parent_name, *children[index]])}")
    lines.append("  end")
    return "".join(f"{line}\n" for line in lines)


def _bone_lines(number: int, bone: AcclaimBone, from_radians: float) -> list[str]:
    axis = _join(angle * from_radians for angle in bone.axis)
    lines = [
        "  begin",
        f"     id {number}",
        f"     name {bone.name}",
        f"     direction {_join(bone.direction)}",
        f"     length {bone.length:.10g}",
        f"     axis {axis}  {bone.axis_order.upper()}",
    ]
    if bone.mass is not None:
        lines.append(f"     bodymass {bone.mass:.10g}")
    if bone.centre is not None:
        lines.append(f"     cofmass {bone.centre:.10g}")
    if bone.dofs:
        lines.append(f"    dof {' '.join(bone.dofs)}")
    for n, (dof, (low, high)) in enumerate(zip(bone.dofs, bone.limits, strict=False)):
        scale = from_radians if dof.startswith("r") else 1.0
        lines.append(f"    {'limits' if n == 0 else '      '} ({low * scale:.10g} {high * scale:.10g})")
    return [*lines, "  end"]


def _join(numbers: Iterable[float]) -> str:
    return " ".join(f"{number + 0.0:.10g}" for number in numbers)
