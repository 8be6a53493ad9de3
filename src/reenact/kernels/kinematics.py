"""Forward kinematics: local rotations to world positions and rotations."""

from __future__ import annotations

import numpy as np

from reenact.kernels.compiling import kernel


@kernel
def _forward(rotations, root, offsets, parents, slots, moved, positions, world):
    frames, joints = rotations.shape[0], rotations.shape[1]
    any_moved = moved.shape[1] > 0
    for f in range(frames):
        local, there, turned = rotations[f], positions[f], world[f]
        for k in range(4):
            turned[0, k] = local[0, k]
        for k in range(3):
            there[0, k] = root[f, k]
        for j in range(1, joints):
            p = parents[j]
            w, x, y, z = turned[p, 0], turned[p, 1], turned[p, 2], turned[p, 3]
            if any_moved and slots[j] >= 0:
                m = moved[f, slots[j]]
                ox, oy, oz = m[0], m[1], m[2]
            else:
                ox, oy, oz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            # v + 2 w (u x v) + 2 u x (u x v), u the vector part
            cx, cy, cz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
            cx, cy, cz = cx + cx, cy + cy, cz + cz
            there[j, 0] = there[p, 0] + ox + w * cx + (y * cz - z * cy)
            there[j, 1] = there[p, 1] + oy + w * cy + (z * cx - x * cz)
            there[j, 2] = there[p, 2] + oz + w * cz + (x * cy - y * cx)
            a, b, c, d = local[j, 0], local[j, 1], local[j, 2], local[j, 3]
            turned[j, 0] = w * a - x * b - y * c - z * d
            turned[j, 1] = w * b + x * a + y * d - z * c
            turned[j, 2] = w * c - x * d + y * a + z * b
            turned[j, 3] = w * d + x * c - y * b + z * a


def forward_kinematics(rotations, root, offsets, parents, moved_joints=None, moved=None, out=None):
    """World positions (F, J, 3) and rotations (F, J, 4) from local rotations (F, J, 4) wxyz and root positions (F, 3).

    Args:
        rotations: float32 or float64; sets the result's type.
        root: (F, 3), same type.
        offsets: (J, 3), same type.
        parents: (J,) int32, -1 for joint 0 only, parents first.
        moved_joints: (K,) joints whose offset varies; with `moved` (F, K, 3).
        moved: their positions in the parent's frame.
        out: (positions, rotations) to write into; reusing them saves most of the time for long clips.
    """
    frames, joints = rotations.shape[:2]
    if out is None:
        out = np.empty((frames, joints, 3), rotations.dtype), np.empty((frames, joints, 4), rotations.dtype)
    slots = np.full(joints, -1, np.int32)
    if moved is None or moved_joints is None:
        moved = np.empty((frames, 0, 3), rotations.dtype)
    else:
        slots[moved_joints] = np.arange(len(moved_joints), dtype=np.int32)
    _forward(rotations, root, offsets, parents, slots, moved, out[0], out[1])
    return out
