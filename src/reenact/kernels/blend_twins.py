"""Plain NumPy twins of the kernels that blend motions."""

from __future__ import annotations

import numpy as np

from reenact.kernels.twins import make_continuous, multiply

LONG_WAY = -0.5


def _log(q):
    """Half the rotation vector of signed quaternions: more than a half turn where the scalar part is negative."""
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, half / np.maximum(sine, 1e-12), 1.0)


def _exp(v):
    half = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), v * np.sinc(half / np.pi)], axis=-1)


def _orient(q, w):
    """Rotations (F, k, J, 4) with signs by the mean of the first frame, that run on until the other way is much shorter."""
    _, vectors = np.linalg.eigh(np.einsum("k,kja,kjb->jab", np.maximum(w[0], 0.0), q[0], q[0]))
    start = q[:1] * np.where(np.einsum("kja,ja->kj", q[0], vectors[..., -1]) < 0, -1.0, 1.0)[None, ..., None]
    out = np.concatenate([start, q[1:]])
    for f in range(1, len(out)):
        out[f] *= np.where(np.einsum("kja,kja->kj", out[f], out[f - 1]) < 0, -1.0, 1.0)[..., None]
        for n in range(1, out.shape[1]):
            out[f, n] *= np.where(np.einsum("ja,ja->j", out[f, n], out[f, 0]) < LONG_WAY, -1.0, 1.0)[..., None]
    return out


def mean_rotations(q, w):
    """Karcher means (F, J, 4) of rotations (F, k, J, 4) with weights (F, k), and the largest angles (F, J) between two inputs."""
    weight = w[:, :, None, None]
    q = _orient(q, w)
    heaviest = np.argmax(w, axis=1)
    out = q[np.arange(len(q)), heaviest]
    for _ in range(60):
        way = _log(multiply(out[:, None] * np.array([1.0, -1, -1, -1]), q))
        out = multiply(out, _exp((weight * way).sum(axis=1)))
    out /= np.linalg.norm(out, axis=-1, keepdims=True)
    dots = np.abs(np.einsum("fkja,fmja->fjkm", q, q))
    counts = (w[:, :, None] != 0) & (w[:, None, :] != 0)
    apart = 2 * np.arccos(np.minimum(np.where(counts[:, None], dots, 1.0).min(axis=(2, 3)), 1.0))
    return make_continuous(out), np.where((w != 0).sum(axis=1)[:, None] > 1, apart, 0.0)
