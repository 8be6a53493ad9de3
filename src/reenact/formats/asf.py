"""Acclaim skeleton files (ASF): read, checked and understood; see `formats.acclaim` for what they mean."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from reenact.core.clip import Clip
from reenact.core.findings import Finding, Severity
from reenact.core.origin import Origin
from reenact.errors import FormatError
from reenact.formats.acclaim import (
    DOFS,
    LOOSE,
    ROOT,
    AcclaimBone,
    AcclaimRoot,
    AcclaimSkeleton,
    Prepared,
    Triple,
    prepare,
)
from reenact.formats.loaded import MAX_JOINTS, Loaded, ReadOptions, Tolerance

REST_FPS = 120.0  # what Acclaim systems record at: the rate of the single rest frame that `read` gives
LARGEST = 1e6
"""Bound of every finite number in the file: larger ones can only be damage, and would overflow the clip's float32."""

_LINE = re.compile(r"\r\n|\r|\n")
_BLANKS = str.maketrans("(),", "   ")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$", re.IGNORECASE)
_ENDLESS = re.compile(r"[+-]?(inf|infinity|1\.#inf\d*)$", re.IGNORECASE)


def read(path: Path, options: ReadOptions) -> Loaded:
    """Read a skeleton file as one clip of a single frame in its rest pose."""
    path = Path(path)
    prepared, findings, text = read_skeleton(path, options.tolerance)
    skeleton = prepared.skeleton
    clip = Clip(
        skeleton,
        skeleton.rest[None].astype(np.float32),
        skeleton.offsets[:1].astype(np.float32),
        REST_FPS,
        path.stem,
        origin=Origin("asf", str(path), prepared.acclaim.unit, acclaim=(text,), findings=findings),
    )
    return Loaded((clip.as_recorded(),), (), findings, "asf")


def read_limits(path: str | PathLike[str]) -> dict[str, tuple[tuple[str, float, float], ...]]:
    """Joint limits of a skeleton file: bone -> (degree of freedom, lowest, highest), in radians and metres; may be infinite."""
    acclaim = read_skeleton(Path(path), "normal")[0].acclaim
    found = {}
    for bone in acclaim.bones:
        if bone.limits:
            units = [1.0 if dof.startswith("r") else acclaim.unit for dof in bone.dofs]
            rows = zip(bone.dofs, bone.limits, units, strict=False)
            found[bone.name] = tuple((dof, low * unit, high * unit) for dof, (low, high), unit in rows)
    return found


def read_skeleton(path: Path, tolerance: Tolerance) -> tuple[Prepared, tuple[Finding, ...], str]:
    """A skeleton file ready for decoding, what was noticed about it, and its text."""
    data = path.read_bytes()
    try:
        prepared, findings, text = parse_skeleton(data, tolerance)
    except FormatError as error:
        raise error.at(path) from None
    return prepared, tuple(replace(f, where=f"{path}:{f.where}" if f.where else str(path)) for f in findings), text


@lru_cache(maxsize=16)
def parse_skeleton(data: bytes, tolerance: Tolerance) -> tuple[Prepared, tuple[Finding, ...], str]:
    """As `read_skeleton`, from the bytes of a file; a folder of motion files has few skeletons, so the last ones are kept."""
    parser = _Parser(data, tolerance)
    return prepare(parser.parse()), tuple(parser.findings), parser.text


class _Parser:
    """One pass over the lines of a file. `self.line` is the number of the line at hand, for messages."""

    def __init__(self, data: bytes, tolerance: Tolerance) -> None:
        if not data.strip():
            raise FormatError("the file is empty, expected an Acclaim skeleton")
        if b"\0" in data:
            raise FormatError("the file holds binary data, expected the text of an Acclaim skeleton")
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.text = data.decode("latin-1")
        self.tolerance = tolerance
        self.findings: list[Finding] = []
        self.line = 0
        self.units: dict[str, str] = {}
        self.root: dict[str, Any] = {}
        self.bones: list[dict] = []
        self.pairs: list[tuple[str, list[str], int]] = []
        self.title = ""
        self.open = False  # within the hierarchy's begin and end

    def note(
        self,
        code: str,
        message: str,
        severity: Severity = "warning",
        *,
        quirk: bool = True,
        fixed: bool = False,
        confidence: float | None = None,
    ) -> None:
        """Record a finding; a quirk of the file is an error when reading strictly."""
        if quirk and self.tolerance == "strict":
            raise FormatError(message, line=self.line or None)
        where = str(self.line) if self.line else ""
        self.findings.append(Finding(code, severity, where, message, fixed, confidence))

    def fail(self, message: str) -> FormatError:
        return FormatError(message, line=self.line or None)

    def parse(self) -> AcclaimSkeleton:
        section, bone = "", None
        seen = set()
        for number, raw in enumerate(_LINE.split(self.text), start=1):
            words = raw.split("#", 1)[0].translate(_BLANKS).split()
            if not words:
                continue
            self.line = number
            key = words[0].lower()
            if key.startswith(":"):
                if bone is not None:
                    raise self.fail(f"expected `end` of the bone before {words[0]}")
                section = key[1:]
                seen.add(section)
                if section == "name":
                    self.title = " ".join(words[1:])
            elif section == "units":
                self.units[key] = " ".join(words[1:]).lower()
            elif section == "root":
                self._read_root(key, words[1:])
            elif section == "bonedata":
                bone = self._read_bone(bone, key, words)
            elif section == "hierarchy":
                if key in ("begin", "end"):
                    self.open = key == "begin"
                else:
                    self.pairs.append((words[0], words[1:], number))
            elif not section:
                raise self.fail(f"expected a keyword such as :version, found {raw.strip()[:40]!r}")
        if bone is not None:
            raise self.fail("the file ends within a bone, expected `end`")
        for wanted in ("root", "bonedata", "hierarchy"):
            if wanted not in seen:
                raise self.fail(f"the file ends without a :{wanted} section")
        if self.open:
            message = "the file ends within the hierarchy, expected `end`"
            if self.tolerance != "recover":
                raise self.fail(message)
            self.note("asf.cut-off", message, "error")
        return self._build()

    def _number(self, word: str, *, endless: bool = False) -> float:
        if endless and _ENDLESS.match(word):
            return -math.inf if word.startswith("-") else math.inf
        value = float(word) if _NUMBER.match(word) else math.nan
        if not abs(value) <= LARGEST:
            raise self.fail(f"expected a number, found {word[:40]!r}")
        return value

    def _triple(self, words: list[str], what: str) -> Triple:
        if len(words) < 3:
            raise self.fail(f"{what} takes three numbers, found {len(words)}")
        return self._number(words[0]), self._number(words[1]), self._number(words[2])

    def _order(self, words: list[str], what: str) -> str:
        order = words[-1].lower() if words else ""
        if sorted(order) == ["x", "y", "z"]:
            return order
        if words and not _NUMBER.match(order):
            raise self.fail(f"{what} ends in an order of axes such as XYZ, found {words[-1][:20]!r}")
        self.note("asf.no-axis-order", f"{what} names no order of axes; XYZ is taken", fixed=True)
        return "xyz"

    def _dofs(self, words: list[str], allowed: tuple[str, ...]) -> tuple[str, ...]:
        dofs = tuple(word.lower() for word in words)
        for n, dof in enumerate(dofs):
            if dof not in allowed:
                raise self.fail(f"degree of freedom {words[n][:20]!r} is not one of {' '.join(allowed)}")
            if dof in dofs[:n]:
                raise self.fail(f"degree of freedom {dof!r} stands twice")
        return dofs

    def _read_root(self, key: str, words: list[str]) -> None:
        if key == "order":
            self.root["dofs"] = self._dofs(words, DOFS[:6])
        elif key == "axis":
            self.root["axis_order"] = self._order(words, "the root's axis")
        elif key in ("position", "orientation"):
            self.root[key] = self._triple(words, f"the root's {key}")
        else:
            self.note("asf.unknown-word", f"{key[:40]!r} is no property of the root; it is passed over", "info")

    def _read_bone(self, bone: dict | None, key: str, words: list[str]) -> dict | None:
        if key == "begin":
            if bone is not None:
                raise self.fail("expected `end` of the bone before the next `begin`")
            return {"line": self.line}
        if bone is None:
            raise self.fail(f"expected `begin`, found {words[0][:40]!r}")
        if key == "end":
            if "name" not in bone and "id" in bone:
                bone["name"] = bone["id"]
            if "name" not in bone:
                raise self.fail("the bone has no name")
            self.bones.append(bone)
            if len(self.bones) >= MAX_JOINTS:
                raise self.fail(f"more than {MAX_JOINTS - 1} bones")
            return None
        rest = words[1:]
        if "limits" in bone and (_NUMBER.match(words[0]) or _ENDLESS.match(words[0])):
            bone["limits"] += [self._number(word, endless=True) for word in words]
        elif key in ("name", "id", "length", "bodymass", "cofmass") and not rest:
            raise self.fail(f"{key} needs a value")
        elif key in ("name", "id"):
            bone[key] = rest[0]
        elif key in ("length", "bodymass", "cofmass"):
            bone[key] = self._number(rest[0])
        elif key == "direction":
            bone["direction"] = self._direction(rest)
        elif key == "axis":
            bone["axis"] = self._triple(rest, "axis")
            bone["axis_order"] = self._order(rest[3:] or ["0"], "the bone's axis")
        elif key == "dof":
            bone["dofs"] = self._dofs(rest, DOFS)
        elif key == "limits":
            bone["limits"] = [self._number(word, endless=True) for word in rest]
        else:
            self.note("asf.unknown-word", f"{key[:40]!r} is no property of a bone; it is passed over", "info")
        return bone

    def _direction(self, words: list[str]) -> Triple:
        direction = np.array(self._triple(words, "direction"))
        size = float(np.linalg.norm(direction))
        if size > 0 and abs(size - 1) > 1e-3:
            self.note("asf.direction", f"a bone's direction has length {size:.4g}; it is scaled to 1", fixed=True)
            direction /= size
        x, y, z = direction.tolist()
        return x, y, z

    def _build(self) -> AcclaimSkeleton:
        degrees = self._angle_unit()
        to_radians = math.pi / 180 if degrees else 1.0
        bones = tuple(self._make_bone(bone, to_radians) for bone in self.bones)
        parents = self._attach(bones)
        self.line = 0
        root = dict(self.root)
        for key in ("dofs", "axis_order"):
            if key not in root:
                self.note(
                    "asf.root-default",
                    f"the root has no {'order' if key == 'dofs' else 'axis'}; the usual one is taken",
                    fixed=True,
                )
        if any(root.get("orientation", ())):
            root["orientation"] = tuple(angle * to_radians for angle in root["orientation"])
            message = "the root has an orientation: all motion, its path too, is turned by it"
            self.note("asf.root-orientation", message, "info", quirk=False, fixed=True)
        length = self._length_unit()
        return AcclaimSkeleton(
            bones, parents, AcclaimRoot(**root), self.title or "skeleton", length, self._mass_unit(), degrees
        )

    def _angle_unit(self) -> bool:
        self.line = 0
        unit = self.units.get("angle", "")
        if unit.startswith(("deg", "rad")):
            return unit.startswith("deg")
        self.note(
            "asf.no-angle-unit",
            f"the angle unit is {unit[:20] or 'not given'!r}, expected deg or rad; degrees are taken",
            fixed=True,
        )
        return True

    def _length_unit(self) -> float:
        word = self.units.get("length", "")
        if not word:
            self.note(
                "asf.length-unit",
                "no length unit is given; lengths are taken as inches, as is custom",
                fixed=True,
                confidence=0.5,
            )
            return 1.0
        length = self._number(word.split()[0])
        if not length > 1e-6:
            raise FormatError(f"the length unit must be a positive number, not {length:g}")
        if length == 1.0:
            message = "the length unit is 1; lengths are taken as inches, as is custom"
            self.note("asf.length-unit", message, "info", quirk=False, confidence=0.6)
        return length

    def _mass_unit(self) -> float:
        return self._number(self.units.get("mass", "").split()[0]) if self.units.get("mass") else 1.0

    def _make_bone(self, found: dict, to_radians: float) -> AcclaimBone:
        self.line = found["line"]
        name, length = found["name"], found.get("length", 0.0)
        direction = found.get("direction", (0.0, 0.0, 0.0))
        if length != 0 and not any(direction):
            raise self.fail(f"bone {name!r} has a length but no direction")
        if name.lower() == "root":
            raise self.fail("a bone may not be called 'root'")
        dofs = found.get("dofs", ())
        ends = found.get("limits", [])
        if len(ends) not in (0, 2 * len(dofs)):
            message = f"bone {name!r} has {len(dofs)} degrees of freedom and {len(ends)} limit values, expected {2 * len(dofs)}"
            self.note("asf.limits", message + "; its limits are left out", fixed=True)
            ends = []
        limits = []
        for dof, low, high in zip(dofs, ends[::2], ends[1::2], strict=False):
            scale = to_radians if dof.startswith("r") else 1.0
            limits.append((low * scale, high * scale))
        axis = found.get("axis", (0.0, 0.0, 0.0))
        order = found.get("axis_order", "xyz")
        if order != "xyz" and sum(map(bool, axis)) > 1:
            message = f"the axis of bone {name!r} has the order {order.upper()}; its angles are taken as about x, y, z in this sequence"
            self.note("asf.axis-order", message, "info", quirk=False, confidence=0.7)
        x, y, z = axis
        return AcclaimBone(
            name, direction, length, (x * to_radians, y * to_radians, z * to_radians), order, dofs, tuple(limits),
            found.get("bodymass"), found.get("cofmass"),
        )  # fmt: skip

    def _attach(self, bones: tuple[AcclaimBone, ...]) -> tuple[int, ...]:
        names = BoneNames([bone.name for bone in bones])
        for n, bone in enumerate(bones):
            if names.exact[bone.name] != n:
                self.line = self.bones[n]["line"]
                raise self.fail(f"bone {bone.name!r} stands twice")
        parents = [LOOSE] * len(bones)
        for parent_name, children, line in self.pairs:
            self.line = line
            parent = self._bone(names, parent_name)
            for child_name in children:
                child = self._bone(names, child_name)
                if child is None or parent is None:
                    continue
                if child == ROOT:
                    raise self.fail(f"the root may not be a child (of {parent_name!r})")
                if parents[child] != LOOSE:
                    raise self.fail(f"bone {child_name!r} has two parents")
                parents[child] = parent
        self.line = 0
        reached = _reach(parents)
        for n, bone in enumerate(bones):
            if not reached[n]:
                self.line = self.bones[n]["line"]
                if parents[n] != LOOSE:
                    raise self.fail(
                        f"bone {bone.name!r} is not connected to the root: the hierarchy has a cycle or a gap"
                    )
                self.note("asf.loose-bone", f"bone {bone.name!r} is not in the hierarchy; it is left out", fixed=True)
        return tuple(parents)

    def _bone(self, names: BoneNames, name: str) -> int | None:
        found = names.find(name)
        if found is None:
            message = f"the hierarchy names {name[:40]!r}, which is no bone of the file"
            if self.tolerance != "recover":
                raise self.fail(message)
            self.note("asf.unknown-bone", message, "error")
        return found


class BoneNames:
    """Finds bones by name: as spelled, else ignoring case where that is clear. `root` is `ROOT`."""

    def __init__(self, names: list[str]) -> None:
        self.exact: dict[str, int] = {}
        self._folded: dict[str, int | None] = {"root": ROOT}
        for n, name in enumerate(names):
            self.exact.setdefault(name, n)
            self._folded[name.casefold()] = None if name.casefold() in self._folded else n

    def find(self, name: str) -> int | None:
        """Index of the bone, or None."""
        found = self.exact.get(name)
        return self._folded.get(name.casefold()) if found is None else found


def _reach(parents: list[int]) -> list[bool]:
    """For each bone whether its parents lead to the root."""
    known: dict[int, bool] = {ROOT: True, LOOSE: False}
    for start in range(len(parents)):
        path, bone = [], start
        while bone not in known:
            known[bone] = False  # a bone met again on its own path is in a cycle
            path.append(bone)
            bone = parents[bone]
        for passed in path:
            known[passed] = known[bone]
    return [known[bone] for bone in range(len(parents))]
