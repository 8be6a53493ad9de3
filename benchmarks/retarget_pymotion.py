"""upc-pymotion's way onto another skeleton, on pairs of BVH files; runs in the peers' environment. Arguments: a JSON file that lists them.

It has no retargeting of its own; what it has is `from_root_positions`, rotations of a skeleton from places of its joints. Joints with a
partner get the partner's place, scaled by the legs; others go with their parent.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from pymotion.io.bvh import BVH
from pymotion.ops import skeleton


def read(path: str):
    """Names, rotations, root and skeleton of a file."""
    file = BVH()
    file.load(path)
    rotations, places, parents, offsets, *_ = file.get_data()
    offsets = np.array(offsets, dtype=np.float64)
    offsets[0] = 0.0
    return file.data["names"], rotations, places[:, 0], np.array(parents), offsets


def main() -> None:
    """Retarget every pair, and print where each result is and the CPU seconds it took."""
    done = []
    for pair in json.loads(Path(sys.argv[1]).read_text()):
        out = Path(pair["out"] + "_pymotion.npz")
        try:
            theirs, rotations, root, parents, offsets = read(pair["source"])
            own, _, _, own_parents, own_offsets = read(pair["target"])
            start = time.process_time()
            places, _ = skeleton.fk(rotations, np.zeros_like(root), offsets, parents)
            partner = {b: list(theirs).index(a) for a, b in pair["pairs"]}
            wanted = np.zeros((len(root), len(own), 3))
            for joint, name in enumerate(own):
                if name in partner:
                    wanted[:, joint] = pair["scale"] * places[:, partner[name]]
                elif joint:
                    wanted[:, joint] = wanted[:, own_parents[joint]] + own_offsets[joint]
            turned = skeleton.from_root_positions(wanted - wanted[:, :1], own_parents, own_offsets)
            made, matrices = skeleton.fk(turned, np.zeros_like(root), own_offsets, own_parents)
            hips, theirs_hips = list(own).index(pair["hips"][1]), list(theirs).index(pair["hips"][0])
            way = pair["scale"] * (root + places[:, theirs_hips])
            made = made - made[:, hips : hips + 1] + way[:, None]
            seconds = time.process_time() - start
            all_places = np.tile(np.eye(4), (*made.shape[:2], 1, 1))
            all_places[..., :3, :3], all_places[..., :3, 3] = matrices, made
            np.savez(out, names=np.array(own), places=all_places)
            done.append({"file": str(out), "seconds": seconds})
        except Exception as error:
            done.append({"file": "", "error": f"{type(error).__name__}: {error}"})
    print("DONE " + json.dumps({"done": done}))


if __name__ == "__main__":
    main()
