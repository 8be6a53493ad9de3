"""Mobility maps: what they offer, what they keep, and their files."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest

from reenact.core.heading import wrap
from reenact.core.placement import Placement, advance, placement_of
from reenact.errors import FormatError, ParameterError
from reenact.kernels.components import strong_components
from reenact.mobility.gathering import GatheringParameters, build_pose_database
from reenact.mobility.labels import LABELS
from reenact.mobility.map_building import BuiltMap, build_mobility_map
from reenact.mobility.map_file import MAGIC, load_map, save_map
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.map_pruning import RawMap, cell_of, prune
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_graph import PruningParameters
from reenact.mobility.state_actions import StateActions


@pytest.fixture(scope="module")
def made(recorded_map: BuiltMap) -> MobilityMap:
    """The map of recordings."""
    return recorded_map.map


@pytest.mark.parametrize(
    "wrong", [{"horizon": 0}, {"options": 0}, {"reading": "near"}, {"profile": "best"}, {"keep": 2}]
)
def test_parameters_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ParameterError):
        MapParameters(**wrong)


def test_too_few_clips_say_how_many_states_there_are_and_what_is_missing(walks) -> None:
    with pytest.raises(ParameterError, match=r"Add clips"):
        build_mobility_map(walks[:1], gathering=GatheringParameters(mirrored=False))
    poses = build_pose_database(walks[1:2])
    with pytest.raises(
        ParameterError, match=r"too few clips for a map: \d+ states with \d+ actions.*Add clips that turn"
    ):
        build_mobility_map(
            poses,
            MapParameters(reading="exact", horizon=200, prune="strict"),
            pruning=PruningParameters(component=10, connected=0.2),
        )


def test_the_map_is_closed_and_strongly_connected(made: MobilityMap) -> None:
    assert made.is_map_state[made.targets].all()
    count, component = strong_components(made.row_starts, made.targets)
    inside = component[made.is_map_state]
    assert np.all(inside == inside[0])
    assert count == 1 + np.count_nonzero(~made.is_map_state)
    assert np.diff(made.row_starts)[made.is_map_state].min() >= 12


def test_every_option_takes_its_actions_and_ends_where_it_says(made: MobilityMap) -> None:
    low, high = made.about["stages"][-1]["window"]
    assert made.steps.min() >= low
    assert made.steps.max() <= high
    for option in range(0, made.options, max(made.options // 150, 1)):
        actions = made.actions_of(option)
        state = made.owner(option)
        assert len(actions) == made.steps[option]
        for action in actions:
            assert made.graph.action_from[action] == state
            state = int(made.action_to[action])
        assert state == made.targets[option]
        poses = made.poses_of(option)
        assert len(poses) == made.frames[option]
        assert poses[-1] == made.state_pose[state]
        assert made.costs[option] == pytest.approx(float(made.action_cost[actions].sum()), rel=1e-5, abs=1e-5)
        place = Placement()
        for pose in poses:
            place = advance(place, made.database.increments[pose])
        np.testing.assert_allclose(made.moves[option], (*place.position, place.heading), atol=1e-4)
        for k in range(len(LABELS)):
            share = np.mean((made.database.labels[poses] >> k) & 1)
            assert made.label_shares[option, k] == pytest.approx(share, abs=1e-3)


def test_predictions_are_what_happens(made: MobilityMap) -> None:
    rng = np.random.default_rng(0)
    for state in rng.choice(np.flatnonzero(made.is_map_state), 10):
        here = Placement((2.0, -1.0), 0.7)
        told = made.predict(int(state), here)
        assert len(told.options) == made.row_starts[state + 1] - made.row_starts[state]
        k = int(rng.integers(len(told.options)))
        played = made.play(int(told.options[k]), here)
        np.testing.assert_allclose(placement_of(played).position, here.position, atol=1e-4)
        end = placement_of(played, -1)
        np.testing.assert_allclose(told.positions[k], end.position, atol=2e-4)
        assert abs(wrap(np.array(told.headings[k] - end.heading))) < 2e-4
        assert told.seconds[k] == pytest.approx((len(played) - 1) / 30)
    nowhere = np.flatnonzero(~made.is_map_state)
    if len(nowhere):
        assert len(made.predict(int(nowhere[0])).options) == 0
    for call in (
        lambda: made.predict(made.graph.states),
        lambda: made.play(made.options),
        lambda: made.escape_route(-1),
    ):
        with pytest.raises(ParameterError, match="there are 0 to"):
            call()


def test_escape_routes_lead_into_the_map(made: MobilityMap, recorded_map: BuiltMap) -> None:
    graph = recorded_map.graph
    edges = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    goals = made.state_pose[made.is_map_state]
    assert np.all(made.escape_frames[goals] == 0)
    assert np.all(made.escape_frames[graph.kept] >= 0)
    poses = np.flatnonzero(made.escape_frames > 0)
    assert len(poses)
    for pose in poses[:: max(len(poses) // 50, 1)]:
        route = made.escape_route(int(pose))
        assert len(route) == made.escape_frames[pose]
        assert made.is_map_state[made.pose_state[route[-1]]]
        for a, b in zip([int(pose), *route.tolist()], route.tolist(), strict=False):
            assert (a, b) in edges or (b == a + 1 and not made.database.is_first[b])
    lost = np.flatnonzero(made.escape_frames < 0)
    if len(lost):
        with pytest.raises(ParameterError, match="no way"):
            made.escape_route(int(lost[0]))


@pytest.mark.parametrize(("reading", "window"), [("exact", (25, 25)), ("within", (1, 25)), ("window", (22, 25))])
def test_readings_of_the_horizon(recorded_poses, reading, window) -> None:
    parameters = MapParameters(reading=reading, window=3, options=2, prune="single_pass")
    built = build_mobility_map(recorded_poses, parameters)
    assert tuple(built.report["stages"][-1]["window"]) == window
    steps = np.unique(built.map.steps)
    assert steps.min() >= window[0]
    assert steps.max() == window[1]


def test_the_thesis_profile_and_the_exact_costs(recorded_poses) -> None:
    built = build_mobility_map(recorded_poses, MapParameters(profile="thesis", options=6, exact=True))
    stages = {stage["stage"]: stage for stage in built.report["stages"]}
    assert stages["map"]["window"] == [25, 25]
    assert stages["map"]["rounds"] == 1
    assert np.all(built.map.steps == 25)
    assert built.report["parameters"]["pruning"]["minimum_within"] == 0
    assert stages["actions"]["states"] == built.map.graph.states


def _grid(size: int) -> RawMap:
    """Every state of a ring leads to the three after it."""
    owners = np.repeat(np.arange(size, dtype=np.int32), 3)
    targets = (owners + np.tile([1, 2, 3], size)) % size
    return RawMap(size, owners, targets.astype(np.int32))


def test_strict_pruning_goes_on_until_all_are_rich() -> None:
    raw = _grid(40)
    kept = prune(raw, MapParameters(prune="strict", options=3))
    assert kept.states == 40
    # a state that loses an option takes those with it that lead to it, and they others, until nothing is left
    used = raw.owners != 7
    poor = RawMap(40, raw.owners[used | (raw.targets != 8)], raw.targets[used | (raw.targets != 8)])
    assert prune(poor, MapParameters(prune="strict", options=3)).states == 0
    once = prune(poor, MapParameters(prune="single_pass", options=3))
    assert once.rounds == 1
    assert 0 < once.states < 40
    assert once.states == len(np.unique(poor.owners[once.used]))


def test_an_empty_map_is_never_returned_in_silence(recorded_poses) -> None:
    built = build_mobility_map(recorded_poses, MapParameters(reading="exact", prune="strict", options=4000))
    assert built.map.states > 0
    assert any("4000 options" in note for note in built.report["notes"])
    assert built.report["stages"][-1]["options_asked"] < 4000


def test_states_can_be_kept_by_the_spread_of_their_options(recorded_poses) -> None:
    built = build_mobility_map(recorded_poses, MapParameters(keep_by="spread", options=6, cells=3, reading="within"))
    cells = cell_of(built.map.moves)
    assert built.map.states > 0
    for state in np.flatnonzero(built.map.is_map_state):
        assert len(np.unique(cells[built.map.row(int(state))])) >= 3
    assert len(built.report["notes"]) == 1
    ahead, left, behind = np.array([[0, 2.0, 0], [2.0, 0, 0], [0, -0.2, 0]])
    assert len({int(cell_of(np.array([one]))[0]) for one in (ahead, left, behind)}) == 3


def test_the_accounts_are_those_of_the_map(recorded_map: BuiltMap, recorded_poses) -> None:
    stages = {stage["stage"]: stage for stage in recorded_map.report["stages"]}
    assert list(stages) == ["poses", "graph", "component", "actions", "sequences", "map"]
    made, graph = recorded_map.map, recorded_map.graph
    assert stages["poses"]["recorded_poses"] == stages["poses"]["mirrored_poses"] == recorded_poses.poses // 2
    assert stages["component"]["kept_poses"] == int(graph.kept.sum())
    assert stages["component"]["kept_share"] == pytest.approx(graph.kept.mean())
    assert stages["actions"]["states"] == np.count_nonzero(np.diff(graph.pointers) > 1)
    assert stages["map"]["options"] == len(made.targets)
    assert stages["map"]["mean_options"] == pytest.approx(made.options / made.states)
    assert stages["map"]["bytes_per_option"] <= 120
    assert stages["graph"]["thesis"]["machines"] == 48
    assert stages["map"]["thesis"]["map_states"] == 6550
    assert stages["graph"]["tau_max"] in [tau for tau, _ in stages["graph"]["tau_tried"]]
    assert "the dearest jump is" in recorded_map.report["notes"][0]
    for stage in stages.values():
        assert stage["wall_s"] >= 0
        assert stage["peak_bytes"] > 1e7
    json.dumps(recorded_map.report)


# files


@pytest.fixture(scope="module")
def kept_file(built: BuiltMap, tmp_path_factory):
    """A small map in a file."""
    path = tmp_path_factory.mktemp("maps") / "walks.map"
    save_map(built.map, path)
    return path


def _arrays(made: MobilityMap) -> dict[str, np.ndarray]:
    parts = (made, made.graph, made.database)
    return {
        f"{type(part).__name__}.{name}": value
        for part in parts
        for name, value in vars(part).items()
        if isinstance(value, np.ndarray)
    }


def test_a_map_comes_back_from_its_file(built: BuiltMap, kept_file) -> None:
    for check in (True, False):
        again = load_map(kept_file, check=check)
        wanted, got = _arrays(built.map), _arrays(again)
        for name in got:
            np.testing.assert_array_equal(got[name], wanted[name])
            assert not got[name].flags.writeable
        assert again.tau_max == built.map.tau_max
        assert again.database.names == built.map.database.names
        assert again.database.skeleton.same_body(built.map.database.skeleton)
        assert dict(again.database.skeleton.roles) == dict(built.map.database.skeleton.roles)
        assert again.about["stages"] == json.loads(json.dumps(built.map.about["stages"]))
    held = kept_file.stat().st_size
    assert held < 1.05 * sum(array.nbytes for array in wanted.values()) + 65536


def test_another_process_plays_the_same_from_the_file_alone(built: BuiltMap, kept_file) -> None:
    script = """
import sys, numpy as np
from reenact.mobility.map_file import load_map
made = load_map(sys.argv[1])
poses, state = [], int(np.flatnonzero(made.is_map_state)[0])
for k in range(400):
    row = made.row(state)
    option = row.start + k * 7919 % (row.stop - row.start)
    poses.extend(made.poses_of(option).tolist())
    state = int(made.targets[option])
import hashlib
print(hashlib.sha256(made.database.play(poses).root.tobytes()).hexdigest())
"""
    ran = subprocess.run([sys.executable, "-c", script, str(kept_file)], capture_output=True, text=True, check=True)
    made, poses = built.map, []
    state = int(np.flatnonzero(made.is_map_state)[0])
    for k in range(400):
        row = made.row(state)
        option = row.start + k * 7919 % (row.stop - row.start)
        poses.extend(made.poses_of(option).tolist())
        state = int(made.targets[option])
    import hashlib

    assert hashlib.sha256(made.database.play(poses).root.tobytes()).hexdigest() == ran.stdout.strip()


def test_what_is_no_map_is_refused(tmp_path) -> None:
    path = tmp_path / "x.map"
    for data in (b"", b"RNMOB", b"not a map at all, but long enough", MAGIC, MAGIC + (1 << 62).to_bytes(8, "little")):
        path.write_bytes(data)
        with pytest.raises(FormatError, match="map"):
            load_map(path)
    with pytest.raises(FileNotFoundError):
        load_map(tmp_path / "none.map")


def test_damage_anywhere_is_noticed(kept_file, tmp_path) -> None:
    whole = kept_file.read_bytes()
    path = tmp_path / "damaged.map"
    length = int.from_bytes(whole[8:16], "little")
    begin = -(-(20 + length) // 64) * 64
    table = json.loads(whole[16 : 16 + length])["arrays"]
    covered = np.zeros(len(whole), np.bool_)
    covered[: 20 + length] = True
    for name, kind, shape, at, _ in table:
        covered[begin + at : begin + at + int(np.prod(shape)) * np.dtype(kind).itemsize] = True
        assert name
    rng = np.random.default_rng(0)
    places = np.concatenate([np.arange(0, 20 + length, 97), rng.choice(np.flatnonzero(covered), 150)])
    for place in places:
        data = bytearray(whole)
        data[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        with pytest.raises(FormatError):
            load_map(path)
    for end in rng.integers(0, len(whole) - 64, 40):
        path.write_bytes(whole[:end])
        with pytest.raises(FormatError):
            load_map(path)


def _rewritten(whole: bytes, change) -> bytes:
    """The file with another header, whose checksum fits."""
    length = int.from_bytes(whole[8:16], "little")
    header = json.loads(whole[16 : 16 + length])
    begin = -(-(20 + length) // 64) * 64
    header = change(header)
    text = json.dumps(header).encode()
    start = -(-(20 + len(text)) // 64) * 64
    head = MAGIC + len(text).to_bytes(8, "little") + text + zlib.crc32(text).to_bytes(4, "little")
    return head + b"\0" * (start - len(head)) + whole[begin:]


def test_headers_that_lie_are_refused(kept_file, tmp_path) -> None:
    """Fuzzed headers with the right checksum: only format errors, whatever they say."""
    whole, path = kept_file.read_bytes(), tmp_path / "lies.map"
    path.write_bytes(_rewritten(whole, lambda header: header))
    load_map(path)
    rng = np.random.default_rng(7)
    junk = [None, -1, 0, 3, 2**70, 1.5, "x", [], {}, True, [1, 2], ["a"], "<f4", 1e308, float("nan")]

    def spoil(header):
        key = list(header)[rng.integers(len(header))]
        value = junk[rng.integers(len(junk))]
        if key == "arrays" and rng.random() < 0.9:
            row = header["arrays"][rng.integers(len(header["arrays"]))]
            row[int(rng.integers(5))] = value
        elif rng.random() < 0.3:
            del header[key]
        else:
            header[key] = value
        return header

    refused = 0
    for _ in range(300):
        path.write_bytes(_rewritten(whole, spoil))
        try:
            load_map(path)
        except FormatError:
            refused += 1
    assert refused > 200
    for header in (None, 3, [], {"version": 2}, {"version": 1}):
        path.write_bytes(_rewritten(whole, lambda _, header=header: header))
        with pytest.raises(FormatError):
            load_map(path)


@pytest.mark.parametrize(
    ("part", "name", "spoil"),
    [
        ("map", "targets", lambda a: a + 1),
        ("map", "targets", lambda a: a * 0 + 10**6),
        ("map", "row_starts", lambda a: a[::-1]),
        ("map", "sequences", lambda a: a * 0 + 250),
        ("map", "steps", lambda a: a * 0),
        ("map", "escape_next", lambda a: a * 0),
        ("map", "moves", lambda a: a * np.nan),
        ("graph", "action_to", lambda a: a * 0 - 1),
        ("graph", "action_starts", lambda a: a * 0),
        ("graph", "action_poses", lambda a: a + 10**6),
        ("graph", "state_pose", lambda a: a[::-1]),
        ("graph", "pose_state", lambda a: a[:-1]),
        ("database", "rotations", lambda a: a * np.inf),
    ],
)
def test_numbers_that_point_nowhere_are_refused(built: BuiltMap, tmp_path, part, name, spoil) -> None:
    made = built.map
    with np.errstate(invalid="ignore"):
        if part == "map":
            spoilt = replace(made, **{name: spoil(getattr(made, name).copy())})
        elif part == "graph":
            spoilt = replace(made, graph=replace(made.graph, **{name: spoil(getattr(made.graph, name).copy())}))
        else:
            spoilt = replace(
                made, database=replace(made.database, **{name: spoil(getattr(made.database, name).copy())})
            )
    path = tmp_path / "spoilt.map"
    save_map(spoilt, path)
    with pytest.raises(FormatError, match="damaged"):
        load_map(path)


def test_a_map_without_many_actions_is_stored_in_bytes(made: MobilityMap) -> None:
    assert made.sequences.dtype == (np.uint8 if np.diff(made.action_starts).max() <= 256 else np.uint16)
    assert isinstance(made.graph, StateActions)
    assert "states with" in repr(made)
