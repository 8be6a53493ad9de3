"""The task of example 34: in a module of its own, so that other processes find it."""

import numpy as np


def nearest_elsewhere(clip, shared):
    """Of all frames of a clip: the frame of another clip that is most alike, and how far it is."""
    features, clips = shared["features"], shared["clips"]
    mine, others = features[clips == clip], np.flatnonzero(clips != clip)
    apart = np.linalg.norm(mine[:, None] - features[others][None], axis=2)
    frame, other = np.unravel_index(np.argmin(apart), apart.shape)
    return int(frame), int(others[other]), float(apart[frame, other])
