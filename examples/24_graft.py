"""Put the limbs of one motion on another, in step, and try all pairs of a library."""

from pathlib import Path

import reenact
from reenact.operations.graft_sheet import save_sheet
from reenact.operations.library_grafts import accept_candidate, graft_library
from reenact.samples import make_sample

walk, run, wave = (make_sample(name).clip for name in ("walk_normal", "run", "wave_walking"))

# the upper body of a run on the legs of a walk; steps of the same foot belong together
made = reenact.graft(walk, run)
print(made.clip, made.report["correlation"], made.report["domain"], made.report["phase_error"])

# only an arm, joint by joint as the thesis does it
waving = reenact.graft(walk, wave, chains="right_arm", keep="local")
reenact.save(waving.clip, "waving.bvh")
print(waving.report["masked"], waving.report["doubts"])

# every pair of a library that makes sense, the most believable first
library = reenact.Library.create("lib")
for clip in (walk, run, wave):
    library.add(clip)
batch = graft_library(library)
for one in batch.candidates:
    print(f"{one.score:.2f} {one.status} {one.name}")
save_sheet(library, batch.candidates[:3], Path("grafts.png"))
added = accept_candidate(library, batch.candidates[0].name)
print(library.entry(added.id))
