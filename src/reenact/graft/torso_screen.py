"""A careful guess, without looking at any surface, where arms may be exchanged: where both trunks are held alike.

Arms that hang clear of one trunk may run through another that is bent or turned otherwise. Frames whose trunks lie in one node of the
cluster graph of trunks are alike; only those are safe (reuse specification 3.14.3, Shanbhag 2009, section 5.4.1).
"""

from __future__ import annotations

import numpy as np

from reenact.analysis.chains import named_chains
from reenact.core.arrays import Bool
from reenact.graft.chain_graph import SAMPLED, chain_graph
from reenact.graft.graft_report import Graft
from reenact.graft.sampling import every_frame
from reenact.graph.graph_parameters import THESIS_ERROR

TORSO_ERROR = THESIS_ERROR
"""Metres at which the graph of trunks is cut, that of the thesis' dialog."""

SAFE_SHARE = 0.5
"""Of the frames replaced: with fewer safe ones an automatic graft is not offered."""

_TRUNK = ("left_upper_arm", "right_upper_arm", "neck")


def find_safe_frames(graft: Graft, error: float = TORSO_ERROR) -> Bool:
    """(N,) for each frame replaced: the trunks of base and source are alike in it.

    A skeleton without a trunk has no safe frame.
    """
    base, source = graft.base.clip, graft.source.clip
    skeleton = base.skeleton
    trunk = {*named_chains(skeleton).get("torso", ())}
    if not trunk:
        return np.zeros(len(graft.made.frames), np.bool_)
    trunk |= {skeleton.roles[role] for role in _TRUNK if role in skeleton.roles}
    step = max(round(base.fps / SAMPLED), 1)
    other = source.renamed(f"{source.name}*") if source.name == base.name else source
    clips = [every_frame(base, step), every_frame(other, step)]
    graph = chain_graph(clips, sorted(trunk), error, moving=False)
    ours = np.minimum(graft.made.frames // step, len(clips[0]) - 1)
    theirs = int(graph.starts[1]) + np.minimum(graft.partners // step, len(clips[1]) - 1)
    return graph.node_of_frame[ours] == graph.node_of_frame[theirs]
