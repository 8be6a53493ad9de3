"""Which joints of two skeletons belong together, as a file that people can edit and give back.

    {"format": "reenact mapping", "version": 1,
     "source": "walk", "target": "knight",
     "pairs": [{"role": "left_upper_arm", "source": "LeftArm", "target": "upperarm.l", "sure": 0.98}, ...],
     "free": {"source": ["LThumb"], "target": ["cape"]}}

`role` is what a joint is on the body; joints that are nothing of the kind (fingers, tails) have a `role` of "". `sure` and `free` are there
to be read by people alone: joints that have no partner.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reenact.core.roles import ROLES
from reenact.errors import FormatError
from reenact.formats.atomic import atomic_write

KIND = "reenact mapping"
_MOST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class JointPair:
    """Two joints that belong together.

    Attributes:
        role: what they are on the body, or "".
        source, target: their names.
        sure: 0..1, how sure that is.
    """

    role: str
    source: str
    target: str
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class Mapping:
    """Which joints belong together.

    Attributes:
        source, target: names of the two bodies.
        pairs: joints that belong together.
        free_source, free_target: joints that have no partner.
    """

    source: str
    target: str
    pairs: tuple[JointPair, ...]
    free_source: tuple[str, ...] = ()
    free_target: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As it is written."""
        return {
            "format": KIND,
            "version": 1,
            "source": self.source,
            "target": self.target,
            "pairs": [
                {"role": one.role, "source": one.source, "target": one.target, "sure": round(one.sure, 3)}
                for one in self.pairs
            ],
            "free": {"source": list(self.free_source), "target": list(self.free_target)},
        }


def write_mapping(mapping: Mapping, path: Path) -> None:
    """Write a mapping, one pair a line."""
    path, told = Path(path), mapping.as_dict()
    pairs = ",\n".join("    " + json.dumps(one, ensure_ascii=False) for one in told.pop("pairs"))
    free = told.pop("free")
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in told.items())
    text = f'{{\n{head},\n  "pairs": [\n{pairs}\n  ],\n  "free": {json.dumps(free, ensure_ascii=False)}\n}}\n'
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))


def read_mapping(path: Path) -> Mapping:
    """Read a mapping.

    Raises:
        FormatError: it is none, a role is unknown, or a joint or role stands twice.
    """
    path = Path(path)
    if path.stat().st_size > _MOST_BYTES:
        raise FormatError("larger than any mapping of joints is", path=path)
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is no JSON: {error}", path=path) from None
    if not isinstance(held, dict) or held.get("format") != KIND or not isinstance(held.get("pairs"), list):
        raise FormatError(
            f'is no mapping of joints: expected an object with "format": "{KIND}" and a list of "pairs"', path=path
        )
    if held.get("version") != 1:
        raise FormatError(f"a mapping of version {held.get('version')!r}; this reads version 1", path=path)
    pairs = tuple(_pair(one, number, path) for number, one in enumerate(held["pairs"], 1))
    for what, values in (
        ("role", [one.role for one in pairs if one.role]),
        ("source joint", [one.source for one in pairs if one.role not in ("spine", "chest")]),
        ("target joint", [one.target for one in pairs if one.role not in ("spine", "chest")]),
    ):
        twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
        if twice is not None:
            raise FormatError(f"the {what} {twice!r} stands in two pairs", path=path)
    told = held.get("free")
    free = told if isinstance(told, dict) else {}
    lists = [tuple(str(name) for name in free.get(side, ()) or ()) for side in ("source", "target")]
    return Mapping(str(held.get("source", "")), str(held.get("target", "")), pairs, *lists)


def _pair(held: Any, number: int, path: Path) -> JointPair:
    if not isinstance(held, dict) or not all(isinstance(held.get(key), str) for key in ("source", "target")):
        raise FormatError(f'pair {number} needs the names of two joints, "source" and "target"', path=path)
    role = held.get("role", "")
    if role != "" and role not in ROLES:
        raise FormatError(f"pair {number}: no role {role!r}; there are {', '.join(ROLES)}", path=path)
    sure = held.get("sure", 1.0)
    return JointPair(role, held["source"], held["target"], float(sure) if isinstance(sure, int | float) else 1.0)
