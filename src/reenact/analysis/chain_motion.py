"""The motion of single chains: taken out of a clip, and put together again (reuse specification 3.10, motion split)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reenact.analysis.chains import BodyPart, Chain, find_chains
from reenact.core.arrays import Float32, frozen
from reenact.core.clip import Clip, JointTranslations
from reenact.errors import ParameterError, SkeletonError


@dataclass(frozen=True, slots=True, eq=False)
class ChainMotion:
    """What the joints of a chain do in a clip.

    Attributes:
        name: of the chain.
        joint_names: (K,) names of its joints, by which they are found again.
        rotations: (F, K, 4) float32 wxyz, local to the parent.
        root: (F, 3) float32 metres, only in the part that holds the root.
        translations: for those of its joints that move in their parent's frame: positions in `joint_names`.
    """

    name: str
    joint_names: tuple[str, ...]
    rotations: Float32
    root: Float32 | None = None
    translations: JointTranslations | None = None

    def __post_init__(self) -> None:
        shape = (None, len(self.joint_names), 4)
        object.__setattr__(self, "rotations", frozen(self.rotations, np.float32, shape, "rotations"))

    def __len__(self) -> int:
        return len(self.rotations)


def take_chain(clip: Clip, part: Chain | BodyPart | Sequence[int], name: str = "") -> ChainMotion:
    """The motion of the joints a chain or body part owns, or of the joints listed."""
    if isinstance(part, Chain):
        joints, name = part.owned, name or part.name
    elif isinstance(part, BodyPart):
        joints, name = part.joints, name or part.name
    else:
        joints = tuple(int(joint) for joint in part)
    order = sorted(joints)
    moved = None
    if clip.translations is not None:
        slots = [n for n, joint in enumerate(clip.translations.joints) if int(joint) in set(order)]
        if slots:
            # a part may begin with a joint other than the root, so places start at 1 as those of a clip do
            places = np.array([order.index(int(clip.translations.joints[n])) + 1 for n in slots])
            moved = JointTranslations(places, clip.translations.values[:, slots])
    return ChainMotion(
        name,
        tuple(clip.skeleton.names[joint] for joint in order),
        clip.rotations[:, order],
        clip.root if 0 in order else None,
        moved,
    )


def split_motion(clip: Clip, chains: Sequence[Chain] | None = None) -> tuple[ChainMotion, ...]:
    """The root's motion, then that of every chain (of all found ones, when none are given)."""
    found = find_chains(clip.skeleton) if chains is None else chains
    return take_chain(clip, (0,), "root"), *(take_chain(clip, chain) for chain in found)


def compose_motion(base: Clip, parts: Iterable[ChainMotion]) -> Clip:
    """The base clip with the joints of the parts moved as the parts say; what no part holds stays as it is.

    Splitting a clip and composing all parts on any clip of the same tree and length gives the clip back, bit for bit.

    Raises:
        SkeletonError: when the base has no joint of a part's names.
        ParameterError: when a part's length differs from the base's.
    """
    rotations, root = base.rotations.copy(), base.root
    index = {name: joint for joint, name in enumerate(base.skeleton.names)}
    moved = {}
    if base.translations is not None:
        moved = {int(joint): base.translations.values[:, n] for n, joint in enumerate(base.translations.joints)}
    for part in parts:
        if len(part) != len(base):
            raise ParameterError(f"the part {part.name!r} has {len(part)} frames, the clip {len(base)}")
        missing = [name for name in part.joint_names if name not in index]
        if missing:
            raise SkeletonError(f"the skeleton has no joint {missing[0]!r} of the part {part.name!r}")
        joints = [index[name] for name in part.joint_names]
        rotations[:, joints] = part.rotations
        root = root if part.root is None else part.root
        for joint in joints:
            moved.pop(joint, None)
        if part.translations is not None:
            for n, place in enumerate(part.translations.joints):
                moved[joints[int(place) - 1]] = part.translations.values[:, n]
    order = sorted(moved)
    translations = JointTranslations(np.array(order), np.stack([moved[j] for j in order], axis=1)) if order else None
    return replace(base, rotations=rotations, root=root, translations=translations)
