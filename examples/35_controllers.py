"""Characters that go where they are sent: a mobility map of generated walks, goals, a path, and why it does what it does."""

from reenact.loading import save
from reenact.mobility.arrival_values import find_arrival_values
from reenact.mobility.gathering import build_pose_database
from reenact.mobility.goals import AlongPath, Goal
from reenact.mobility.map_building import build_mobility_map
from reenact.mobility.map_controller import MapController
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.motion_matching import MatchingController
from reenact.mobility.performance import Take, go_to, measure_take, perform
from reenact.samples import make_sample

names = ("walk_normal", "walk_slow", "start_walk_left", "stop_walk_left", "walk_corner_left", "turn_180_left", "stand")
poses = build_pose_database([make_sample(name).clip for name in names])
made = build_mobility_map(poses, MapParameters(options=8)).map

# one character on the map: values are made once, for all characters
walker = MapController(made, values=find_arrival_values(made.graph, poses))
take, trips = Take(poses), []
for place in ((2.0, 3.0), (-2.0, 2.0), (0.0, -3.0)):
    trips.append(go_to(walker, Goal(place), most=20, take=take))
    print(f"{place}: {trips[-1].seconds:.1f} s, {trips[-1].ratio:.2f} times the straight line; {walker.log.why()}")
figures = measure_take(take, trips)
print(
    f"feet slip by {figures['slip_mm_median']:.1f} mm in the median, {figures['jumps_per_second']:.1f} jumps a second"
)
save(take.clip("goals"), "goals.bvh")

# along a path, by motion matching: the same interface
matcher = MatchingController(poses)
matcher.aim_at(AlongPath([(0, 0), (0, 3), (3, 3)], ahead=1.5))
save(perform(matcher, 240).clip("path"), "path.bvh")
