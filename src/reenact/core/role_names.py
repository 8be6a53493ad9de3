"""What joint names say: the side and the body part, whatever the naming custom.

A name is cut into words (camel case, separators, digits), the side marker and words that say nothing ("joint", "mixamorig", "Bip01")
are taken off, and what is left must be a known word as a whole: "LeftForeArmRoll" or "RightHandEnd" therefore name no part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Side = Literal["left", "right", ""]

WORDS: dict[str, tuple[str, ...]] = {
    kind: tuple(words.split())
    for kind, words in {
        "hips": "hips hip pelvis 下半身",
        "trunk": "spine back lowback lowerback midback upback upperback spinelower spineupper spinemid lowerspine upperspine "
        "chest upperchest upchest chestlower chestupper thorax torso uppertorso lowertorso abdomen abdomenlower "
        "abdomenupper ab abs stomach waist belly ribcage ribs sternum trunk lumbar 上半身",
        "neck": "neck lowneck lowerneck upneck upperneck necklower neckupper necktwist 首",
        "head": "head skull 頭",
        # of the legs
        "hip_side": "hip hips 足",
        "hip_helper": "hipjoint buttock pelvis pelvisleg legpelvis",
        "upper_leg": "upleg upperleg legupper legup thigh femur uleg hipleg",
        "leg": "leg",
        "lower_leg": "lowleg lowerleg leglower leglow loleg lleg knee legknee shin calf tibia shank crus ひざ",
        "foot": "foot ankle legankle legfoot feet talus 足首",
        "toes": "toe toes toebase ball legtoe foottoe football mtp つま先",
        # of the arms
        "collar": "clavicle collar collarbone clav scapula",
        "shoulder": "shoulder shldr armshoulder 肩",
        "upper_arm": "uparm upperarm armupper armup humerus uarm bicep acromion",
        "arm": "arm 腕",
        "lower_arm": "forearm lowarm lowerarm armlower armlow loarm farm larm elbow armelbow radius ulna ひじ",
        "wrist": "wrist armwrist 手首",
        "hand": "hand armhand",
        "palm": "palm",
    }.items()
}
"""Words by body part. A word may stand in two lists when the side decides: "hip" alone is the pelvis, "left hip" the top of a leg."""

_MIDDLE = {word: kind for kind in ("hips", "trunk", "neck", "head") for word in WORDS[kind]}
_SIDED = {
    word: kind for kind, words in WORDS.items() if kind not in ("hips", "trunk", "neck", "head") for word in words
}

_NOISE_TEXT = """
joint joints jnt jt j bone bones bn b def deform skeleton skel sk rig armature mixamorig character char biped bip valve fk bind mot
human humanoid male female m f avg cc base c center centre bend anim actor body ms mvn
"""
_HELPER_TEXT = """
end nub leaf tip site effector eff twist roll ik pole target ctrl control dummy helper locator slot socket prop weapon heel mch null
"""
_NOISE, _HELPER = frozenset(_NOISE_TEXT.split()), frozenset(_HELPER_TEXT.split())
_SIDES: dict[str, Side] = {
    **dict.fromkeys(("l", "left", "lft", "lf", "lt", "左"), "left"),
    **dict.fromkeys(("r", "right", "rgt", "rt", "右"), "right"),
}
_MARKERS: tuple[tuple[str, Side], ...] = (("left", "left"), ("right", "right"))
_LETTERS: tuple[tuple[str, Side], ...] = (("l", "left"), ("r", "right"))
_FORE = frozenset(("front", "fore"))
_HIND = frozenset(("back", "hind", "rear"))
_ON_FORELEG = {"upper": "upperarm", "lower": "forearm", "ankle": "wrist", "foot": "hand", "paw": "hand", "hoof": "hand"}
_ON_HINDLEG = {"upper": "upperleg", "lower": "lowerleg", "paw": "foot", "hoof": "foot"}

_WORD = re.compile(r"[LR](?=[A-Z][A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[左右]|[^\W\d_a-zA-Z左右]+")


@dataclass(frozen=True, slots=True)
class NameReading:
    """What one joint name says.

    Attributes:
        side: "left", "right" or "" when the name has no side marker.
        kind: a key of `WORDS`, or "" when the name is not understood.
        word: the word that was recognised.
        helper: True when the name says that the joint only serves others: an end, a twist bone, a control.
        quadruped: True when the name speaks of front or hind legs.
    """

    side: Side
    kind: str
    word: str
    helper: bool = False
    quadruped: bool = False


def split_name(name: str) -> list[str]:
    """The words of a joint name in lower case, without its namespace: "mixamorig:LeftUpLeg" gives left, up, leg."""
    name = re.split(r"[:|]", name)[-1]
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=65536)
def read_name(name: str) -> NameReading:
    """Side and body part said by one joint name."""
    words = [word for word in split_name(name) if not word.isdigit()]
    if name.startswith("__"):  # MakeHuman and others: a stub that only bridges the gap to the joint of the same name
        return NameReading("", "", "", helper=True)
    side: Side = ""
    rest: list[str] = []
    for word in words:
        if not side and word in _SIDES:
            side = _SIDES[word]
        else:
            rest.append(word)
    helper = any(word in _HELPER for word in rest)
    if side:
        kind, word, quadruped = _look_up(rest, sided=True)
        return NameReading(side, kind, word, helper, quadruped)
    joined = "".join(rest)
    for marker, found in _MARKERS:
        if joined.startswith(marker) or joined.endswith(marker):
            bare = joined.removeprefix(marker) if joined.startswith(marker) else joined.removesuffix(marker)
            return NameReading(found, _SIDED.get(bare, ""), bare, helper)
    kind, word, quadruped = _look_up(rest, sided=False)
    if kind:
        return NameReading("", kind, word, helper, quadruped)
    for stripped in (joined, "".join(word for word in rest if word not in _NOISE)):
        for letter, found in _LETTERS:
            for bare in (
                stripped[1:] if stripped[:1] == letter else "",
                stripped[:-1] if stripped[-1:] == letter else "",
            ):
                if bare in _SIDED:
                    return NameReading(found, _SIDED[bare], bare, helper)
    return NameReading("", "", "", helper)


def _look_up(words: list[str], *, sided: bool) -> tuple[str, str, bool]:
    table = _SIDED if sided else {**_MIDDLE, **{w: k for w, k in _SIDED.items() if w not in _MIDDLE}}
    quadruped = False
    if "leg" in words and len(words) > 1:
        fore, hind = _FORE.intersection(words), _HIND.intersection(words)
        if fore or hind:
            quadruped = True
            change = _ON_FORELEG if fore else _ON_HINDLEG
            words = [change.get(word, word) for word in words if word not in fore | hind | {"leg"}] or [
                "arm" if fore else "leg"
            ]
    joined = "".join(words)
    if joined in table:
        return table[joined], joined, quadruped
    joined = "".join(word for word in words if word not in _NOISE)
    return table.get(joined, ""), joined if joined in table else "", quadruped


def pair_names(names: tuple[str, ...]) -> dict[int, int]:
    """Joints whose names differ only by the side marker, both ways: {left index: right index, right index: left index}."""
    index = {name: joint for joint, name in enumerate(names)}
    pairs: dict[int, int] = {}
    for joint, name in enumerate(names):
        if joint in pairs:
            continue
        for other in _other_side_spellings(name):
            partner = index.get(other)
            if partner is not None and partner != joint and partner not in pairs:
                pairs[joint], pairs[partner] = partner, joint
                break
    return pairs


_SPELLINGS = (
    *(("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT"), ("Lft", "Rgt"), ("lft", "rgt"), ("左", "右")),
    *(("lf_", "rt_"), ("Lf_", "Rt_"), ("lt_", "rt_"), ("Lt_", "Rt_"), ("_lf", "_rt"), ("_lt", "_rt")),
)
_LETTER = re.compile(
    r"(?<![A-Za-z0-9])[LlRr](?![A-Za-z0-9])|(?<![A-Za-z0-9])[LlRr](?=[A-Z])|(?<=[A-Z0-9a-z])[LR](?![A-Za-z])"
)
_SWAP = {"L": "R", "R": "L", "l": "r", "r": "l"}


def _other_side_spellings(name: str) -> list[str]:
    found = []
    for a, b in (*_SPELLINGS, *((b, a) for a, b in _SPELLINGS)):
        if a in name:
            found.append(name.replace(a, b, 1))
    found.extend(name[: match.start()] + _SWAP[match.group()] + name[match.end() :] for match in _LETTER.finditer(name))
    if name[:1] in _SWAP:
        found.append(_SWAP[name[0]] + name[1:])
    return found
