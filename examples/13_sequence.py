"""Play clips one after the other, joined where they are alike, and say why there."""

from reenact.graph.building import build_cluster_graph
from reenact.graph.explain import explain_option
from reenact.graph.joining import join_segments, sources_from
from reenact.graph.planning import plan_sequence
from reenact.graph.search import waypoint
from reenact.loading import save
from reenact.samples import make_sample

names = ("stand", "start_walk_left", "stop_walk_left", "walk_normal", "walk_fast", "kick_left")
clips = [make_sample(name).clip for name in names]
graph = build_cluster_graph(clips)
plan = plan_sequence(graph, [waypoint(graph, name) for name in ("stand", "walk_normal", "kick_left")])[0]
for option in plan.options:
    print("\n".join(explain_option(graph, option)))
made = join_segments(graph, plan.segments(graph), sources_from(clips))
save(made.clip, "stand_walk_kick.bvh")
print(made.clip, [row["slip_mm"] for row in made.report["transitions"]])
