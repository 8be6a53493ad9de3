"""Many pieces of work: the same results in this process, in several, and on a cluster."""

from pathlib import Path

import numpy as np
from tasks_of_34 import nearest_elsewhere

import reenact
from reenact.compute.executor import open_executor
from reenact.core.progress import heard
from reenact.library import Library
from reenact.library.import_folder import ImportOptions
from reenact.operations.library_graph import library_graph
from reenact.samples import make_sample

# a folder of motions, read by two processes, and the cluster graph of the library; "tcp://host:8786" would be a Dask cluster
Path("takes").mkdir()
for name in ("walk_normal", "walk_fast", "walk_slow", "jog", "stand"):
    reenact.save(make_sample(name, 30.0).clip, f"takes/{name}.bvh")
with open_executor("processes:2") as executor, Library.create("library") as library:
    report = library.import_folder(["takes"], ImportOptions(executor=executor))
    graph = library_graph(library, executor=executor).graph
    print(f"{len(report.added)} clips, {graph.frames} frames in {graph.nodes} nodes")

    # work of one's own: a function of a module; arrays are mapped into the memory of the workers, not sent with every item
    shared = {"features": graph.features, "clips": graph.clip_of_frame}
    numbers = range(len(graph.clips))
    with heard(lambda share, words: print(f"{share:4.0%} {words}")):
        found = list(executor.map(nearest_elsewhere, numbers, shared, words="comparing"))
    for number, (frame, other, apart) in zip(numbers, found, strict=True):
        clip = int(graph.clip_of_frame[other])
        there = other - int(graph.starts[clip])
        print(f"{graph.clips[number].name} {frame} is most like {graph.clips[clip].name} {there}: {apart:.3f} m")

with open_executor("serial") as here:
    assert list(here.map(nearest_elsewhere, numbers, shared)) == found
print("alike here and there:", np.round([apart for *_, apart in found], 3))
