"""Where the action of a clip is: how much of what happens in it lies before each frame.

A clip is recorded for something: the jump in it, the punches, the steps. Seconds do not tell: a jump of half a second stands between two
seconds of waiting. Action is the kinetic energy of the body, seen from the hips as they travel (a steady walk is as much action in every
step, however fast it goes), and never less than its typical level in the clip, so that a quiet part counts as well, just not as much.
"""

from __future__ import annotations

import numpy as np

from reenact.core import filters
from reenact.core.arrays import Float
from reenact.core.clip import Clip
from reenact.core.derivatives import differentiate

_GLITCH = 0.15  # seconds: what jumps for less than half of that is an error of the recording, no action
_SMOOTH = 0.5  # seconds: about a step, so that the swing of single limbs does not show
_LEAST = 0.02  # (m/s)^2: a body that stands still, breathes and sways has about this


def action_density(clip: Clip, places: Float | None = None) -> Float:
    """(F,) share of the clip's action that lies in each frame; the sum is 1.

    Args:
        clip: the motion.
        places: (F, J, 3) world positions of its joints, when they are known.
    """
    world = clip.world(np.float64).positions if places is None else places
    joints = sorted({*clip.skeleton.roles.values()}) or list(range(len(clip.skeleton)))
    hips = clip.skeleton.roles.get("hips", 0)
    over_floor = world[:, [hips]] * (1.0, 0.0, 1.0)
    speeds = differentiate(world[:, joints] - over_floor, clip.fps)
    return density_of_energy(np.einsum("fji,fji->f", speeds, speeds) / len(joints), clip.fps)


def density_of_energy(energy: Float, fps: float) -> Float:
    """(F,) share of action in each frame from mean squared speeds (F,), (m/s)^2: glitches left out, no less than the typical level."""
    calm = filters.median(energy, 2 * max(2, round(_GLITCH * fps / 2)) + 1, edge="mirror")
    calm = filters.mean(calm, 2 * max(1, round(_SMOOTH * fps / 2)) + 1, edge="mirror")
    level = np.maximum(calm, max(float(np.median(calm)), _LEAST))
    return level / level.sum()


def lost_before(density: Float, before: int = 0, after: int = 0) -> Float:
    """(F,) share of action that is lost when a clip is entered at a frame: all that lies before it.

    Args:
        density: (F,) as from `action_density`.
        before: frames before the one entered from which on the clip fades in; what lies within the fade is lost in part.
        after: frames after it until it is all there.
    """
    total = np.concatenate([[0.0], np.cumsum(density)])
    if before + after <= 0:
        return total[:-1]
    sums = np.concatenate([[0.0], np.cumsum(total)])
    frames = np.arange(len(density))
    low, high = np.maximum(frames - before, 0), np.minimum(frames + after + 1, len(total))
    return (sums[high] - sums[low]) / (high - low)


def lost_after(density: Float, before: int = 0, after: int = 0) -> Float:
    """(F,) share of action that is lost when a clip is left at a frame: all that lies after it; see `lost_before`."""
    return lost_before(density[::-1], after, before)[::-1]
