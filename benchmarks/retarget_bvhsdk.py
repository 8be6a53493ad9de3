"""bvhsdk's simple retargeting of pairs of BVH files; runs in the peers' environment. Arguments: a JSON file that lists the pairs."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from pathlib import Path

import bvhsdk
import numpy as np
from bvhsdk import retarget


def main() -> None:
    """Retarget every pair, and print where each result is and the CPU seconds it took."""
    done = []
    for pair in json.loads(Path(sys.argv[1]).read_text()):
        out = Path(pair["out"])
        out.mkdir(parents=True, exist_ok=True)
        start = time.process_time()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                made = retarget.SimpleMotionRetargeting(
                    pair["source"],
                    pair["target"],
                    str(out),
                    srcSkeletonMap=pair["source_map"],
                    tgtSkeletonMap=pair["target_map"],
                )
            seconds = time.process_time() - start
            joints = made.getlistofjoints()  # its BVH files lack a bracket where a joint has no end site
            places = np.array([[one.getGlobalTransform(frame) for one in joints] for frame in range(made.frames)])
            np.savez(out / "made.npz", names=np.array([one.name for one in joints]), places=places)
            done.append({"file": str(out / "made.npz"), "seconds": seconds})
        except Exception as error:
            done.append({"file": "", "error": f"{type(error).__name__}: {error}"})
    print(json.dumps({"version": getattr(bvhsdk, "__version__", ""), "done": done}))


if __name__ == "__main__":
    main()
