"""Gather similar frames of several clips into a cluster graph and look at it."""

from reenact.graph.building import build_cluster_graph
from reenact.graph.search import shared_nodes
from reenact.samples import make_sample

clips = [make_sample(name).clip for name in ("stand", "start_walk_left", "walk_normal", "walk_fast", "kick_left")]
graph = build_cluster_graph(clips)
print(graph)
here = graph.sequence_at("walk_normal", 60)
print(
    f"frame 60 of walk_normal lies in node {here.node} ({graph.state_of(here.node)}), frames {here.start} to {here.end}"
)
for sequence in graph.sequences_of(here.node)[:5]:
    print(" ", graph.clips[sequence.clip].name, sequence.start, sequence.end, "joined at", sequence.align)
print("goes on into nodes", graph.out_nodes(here.node))
print("walk_normal and walk_fast share", len(shared_nodes(graph, "walk_normal", "walk_fast")), "nodes")
