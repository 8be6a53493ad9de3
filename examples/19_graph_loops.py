"""Loops on a cluster graph: within one clip, and through several clips and back into the first."""

from reenact.edit.loop import LoopParameters
from reenact.graph.building import build_cluster_graph
from reenact.graph.joining import sources_from
from reenact.graph.loops import describe_loops, find_clip_loops, find_round_trips, make_clip_loop, make_trip_loop
from reenact.graph.search import waypoint
from reenact.loading import save
from reenact.samples import make_sample

clips = [make_sample(name).clip for name in ("walk_normal", "walk_fast", "jog")]
graph, sources = build_cluster_graph(clips), sources_from(clips)

# a node that holds a clip twice proves a loop: choose one that plays frame 200
loops = describe_loops(graph, find_clip_loops(graph, "walk_normal", near=200), sources)
for loop in loops[:3]:
    print(
        f"frames {loop.start} to {loop.end}: {loop.seconds:.2f} s, {loop.advance:.2f} m, ends {1000 * loop.error:.1f} mm apart"
    )
save(make_clip_loop(graph, loops[0], sources, LoopParameters(count=10)).clip, "walk_on.bvh")

# walk, walk fast, jog, and walk again, for ever
trip = find_round_trips(graph, [waypoint(graph, clip.name) for clip in clips])[0]
for switch in trip.switches:
    leave, enter = graph.clips[switch.leave_clip].name, graph.clips[switch.enter_clip].name
    print(f"{leave} frame {switch.leave_frame} > {enter} frame {switch.enter_frame}")
made = make_trip_loop(graph, trip, sources, count=3)
print(f"three rounds of {made.report['period_s']:.1f} s")
save(made.clip, "faster_and_slower.bvh")
