"""A mobility map: from every pose of a few clips, where a body can get in the next seconds, and how."""

import numpy as np

from reenact.core.placement import Placement
from reenact.loading import save
from reenact.mobility.joined_poses import play_blended
from reenact.mobility.least_cost import smoothest_sequence
from reenact.mobility.map_building import build_mobility_map
from reenact.mobility.map_file import load_map, save_map
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.pose_graph import PruningParameters
from reenact.samples import make_sample

names = ("walk_normal", "walk_slow", "start_walk_left", "stop_walk_left", "walk_corner_left", "turn_180_left", "stand")
clips = [make_sample(name).clip for name in names]

# mirror images are taken as well; of so few clips a state offers fewer ways than the 30 of the thesis
built = build_mobility_map(clips, MapParameters(options=8), pruning=PruningParameters(dearest=8))
print(built.map)
for note in built.report["notes"]:
    print(note)

# one file holds all that a character needs; it is mapped into memory, and many can share it
save_map(built.map, "walks.map")
made = load_map("walks.map")

# a character in some state, standing somewhere: where will it be with each of its options?
state = int(np.flatnonzero(made.is_map_state)[0])
told = made.predict(state, Placement((2.0, 1.0), np.pi / 2))
for k in range(0, len(told.options), max(len(told.options) // 5, 1)):
    x, z = told.positions[k]
    print(
        f"option {told.options[k]}: at {x:.2f}, {z:.2f}, facing {np.degrees(told.headings[k]):.0f} after {told.seconds[k]:.2f} s"
    )

# the smoothest way from one state to another, as a motion
goal = int(np.flatnonzero(made.is_map_state)[-1])
way = smoothest_sequence(made.graph, state, goal)
poses = np.concatenate([[made.state_pose[state]], made.graph.poses_of(way.actions)])
clip = play_blended(made.database, poses)
print(f"from state {state} to {goal}: {len(way.actions)} actions, {clip.seconds:.1f} s, cost {way.cost:.2f}")
save(clip, "way.bvh")
