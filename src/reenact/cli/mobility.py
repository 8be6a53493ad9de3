"""`reenact mobility ...`: what bodies can do from every pose. The JSON is documented in docs/mobility.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from reenact.cli.library_output import simple_bar
from reenact.cli.options import expand
from reenact.cli.output import Json, print_json
from reenact.cli.targets import check_place, check_target
from reenact.core.placement import Placement
from reenact.core.progress import heard
from reenact.formats.loaded import WriteOptions
from reenact.mobility.gathering import GatheringParameters
from reenact.mobility.map_parameters import MapParameters
from reenact.mobility.mobility_map import MobilityMap
from reenact.mobility.pose_graph import PruningParameters
from reenact.mobility.transition_cost import TransitionParameters
from reenact.operations.mobile_performance import PerformanceParameters

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Make mobility maps of libraries: from every pose, where a body can get and how.",
)

MapFile = Annotated[Path, typer.Argument(metavar="MAP", help="File made by `mobility build`.", show_default=False)]


def build(
    folder: Annotated[Path, typer.Argument(metavar="LIB", help="Library folder.", show_default=False)],
    parameters: MapParameters,
    gathering: GatheringParameters,
    pruning: PruningParameters,
    transitions: TransitionParameters,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the map to write.", show_default=False)],
    query: Annotated[
        str, typer.Option("--query", "-q", help="Only the clips that answer this search.", show_default=False)
    ] = "",
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Where the work is done: serial, processes, processes:N, tcp://host:port of a Dask cluster, or gpu.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Make the mobility map of a library's clips and write it into one file."""
    from reenact.library.store import Library
    from reenact.mobility.map_file import save_map
    from reenact.operations.library_mobility import build_library_map

    check_place(output)
    with Library(folder) as library, simple_bar("map", hidden=json) as bar:
        listener = None if bar is None else lambda share, _: bar(round(100 * share), 100)
        with heard(listener):
            built = build_library_map(
                library,
                query,
                parameters,
                gathering=gathering,
                transitions=transitions,
                pruning=pruning,
                executor=scheduler,
            )
    save_map(built.map, output)
    about = {"out": str(output), "bytes": output.stat().st_size, **built.report}
    if json:
        print_json(about)
        return
    print(f"{output}: {_words(built.map)}, {about['bytes'] / 1e6:.1f} MB")
    _print_accounts(built.report)


app.command(name="build")(expand(build))


@app.command()
def show(
    path: MapFile,
    state: Annotated[int | None, typer.Option("--state", "-s", help="Show one state.", show_default=False)] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Picture (.svg) of a state's options; without --state of the one that turns farthest to both sides.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what is in a map, and how it was made, beside the numbers of the thesis."""
    from reenact.mobility.map_file import load_map
    from reenact.operations.library_mobility import save_fan, widest_state

    made = load_map(path)
    if output is not None and state is None:
        state = widest_state(made)
    if state is None:
        about = {"map": str(path), "bytes": path.stat().st_size, **made.about}
        if json:
            print_json(about)
            return
        print(f"{path}: {_words(made)}, {about['bytes'] / 1e6:.1f} MB")
        _print_accounts(dict(made.about))
        return
    row = made.row(state)
    pose = int(made.state_pose[state])
    clip, mirrored, at = made.database.locate(pose)
    told: dict[str, Any] = {
        "state": state,
        "pose": pose,
        "clip": clip,
        "mirrored": mirrored,
        "clip_pose": at,
        "actions": int(made.action_starts[state + 1] - made.action_starts[state]),
        "options": row.stop - row.start,
    }
    if row.stop > row.start:
        far = np.hypot(*made.moves[row, :2].T)
        told |= {
            "metres": [round(float(value), 3) for value in (far.min(), np.median(far), far.max())],
            "degrees": [
                round(float(np.degrees(value)), 1) for value in np.percentile(made.moves[row, 2], (0, 50, 100))
            ],
            "seconds": [
                round(float(value) / made.database.fps, 2) for value in np.percentile(made.frames[row], (0, 50, 100))
            ],
        }
    if output is not None:
        save_fan(made, state, output)
        told["picture"] = str(output)
    if json:
        print_json(told)
        return
    mark = " (mirrored)" if mirrored else ""
    print(f"state {state}: pose {at} of {clip}{mark}, {told['actions']} actions, {told['options']} options")
    if "metres" in told:
        for name, unit in (("metres", "m"), ("degrees", "degrees"), ("seconds", "s")):
            low, middle, high = told[name]
            print(f"  {low:g} to {high:g} {unit}, in the middle {middle:g}")
    if output is not None:
        print(f"  {output}")


@app.command()
def predict(
    path: MapFile,
    state: Annotated[int, typer.Option("--state", "-s", help="Where the character is.", show_default=False)],
    x: Annotated[float, typer.Option(help="Where it stands, metres.")] = 0.0,
    z: Annotated[float, typer.Option(help="Where it stands, metres.")] = 0.0,
    heading: Annotated[float, typer.Option(help="Where it faces, degrees.")] = 0.0,
    json: Json = False,
) -> None:
    """Say where a character will be with each of its options, and when."""
    from reenact.mobility.map_file import load_map

    made = load_map(path)
    found = made.predict(state, Placement((x, z), float(np.radians(heading))))
    rows = [
        {
            "option": int(option),
            "x": round(float(place[0]), 4),
            "z": round(float(place[1]), 4),
            "heading": round(float(np.degrees(turned)), 2),
            "seconds": round(float(seconds), 3),
            "cost": round(float(cost), 3),
        }
        for option, place, turned, seconds, cost in zip(
            found.options, found.positions, found.headings, found.seconds, found.costs, strict=True
        )
    ]
    if json:
        print_json({"map": str(path), "state": state, "options": rows})
        return
    print(f"state {state}: {len(rows)} options")
    for row in rows:
        print(
            f"  {row['option']:8d}  x {row['x']:7.2f} m  z {row['z']:7.2f} m  {row['heading']:7.1f} degrees  "
            f"after {row['seconds']:5.2f} s  cost {row['cost']:.2f}"
        )


def way(
    path: MapFile,
    source: Annotated[int, typer.Argument(metavar="FROM", help="State to start from.", show_default=False)],
    target: Annotated[int, typer.Argument(metavar="TO", help="State to end in.", show_default=False)],
    writing: WriteOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="Motion file to write.", show_default=False)],
    blend: Annotated[
        int, typer.Option(help="Frames over which the difference at a jump dies out; 0: jumps stay.", min=0, max=60)
    ] = 8,
    json: Json = False,
) -> None:
    """Write the smoothest sequence from one state of a map to another as a motion."""
    from reenact.loading import save
    from reenact.mobility.joined_poses import find_jumps, play_blended
    from reenact.mobility.least_cost import smoothest_sequence
    from reenact.mobility.map_file import load_map

    check_target(output, writing)
    made = load_map(path)
    found = smoothest_sequence(made.graph, source, target)
    poses = np.concatenate([[made.state_pose[source]], made.graph.poses_of(found.actions)])
    clip = play_blended(made.database, poses, name=output.stem, frames=blend)
    findings = save(clip, output, writing)
    jumps = find_jumps(made.database, poses)
    told = {
        "out": str(output),
        "frames": len(clip),
        "seconds": clip.seconds,
        "actions": len(found.actions),
        "jumps": len(jumps),
        "jump_frames": jumps.tolist(),
        "cost": round(found.cost, 4),
        "clips": list(dict.fromkeys(made.database.locate(int(pose))[0] for pose in poses)),
        "findings": list(findings),
    }
    if json:
        print_json(told)
        return
    print(
        f"{output}: {len(clip)} frames, {clip.seconds:.2f} s; {told['actions']} actions with {told['jumps']} jumps, cost {found.cost:.2f}, "
        f"through {', '.join(told['clips'])}"
    )


app.command(name="path")(expand(way))


def go(
    path: MapFile,
    parameters: PerformanceParameters,
    writing: WriteOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="Motion file to write.", show_default=False)],
    json: Json = False,
) -> None:
    """Send a character to goals or along a path, and write what it does as a motion."""
    from reenact.loading import save
    from reenact.mobility.map_file import load_map
    from reenact.operations.mobile_performance import perform_on_map

    check_target(output, writing)
    with (
        simple_bar("on the way", hidden=json) as bar,
        heard(None if bar is None else lambda share, _: bar(round(100 * share), 100)),
    ):
        made = perform_on_map(load_map(path), parameters)
    findings = save(made.clip, output, writing)
    told = {
        "out": str(output),
        "frames": len(made.clip),
        "seconds": made.clip.seconds,
        "report": made.report,
        "findings": list(findings),
    }
    if json:
        print_json(told)
        return
    reached = sum(trip["reached"] for trip in made.report["trips"])
    goals = f", {reached} of {len(made.report['trips'])} goals reached" if made.report["trips"] else ""
    print(
        f"{output}: {len(made.clip)} frames, {made.clip.seconds:.2f} s{goals}, {made.report['jumps_per_second']:.2f} jumps a second, "
        f"slips of {made.report['slip_mm_median']:.1f} mm ({made.report['slip_mm_worst']:.0f} at most)"
    )
    for doubt in made.report["doubts"]:
        print(f"  {doubt}")


app.command(name="go")(expand(go))


@app.command()
def trial(
    path: MapFile,
    goals: Annotated[int, typer.Option(help="How many goals.", min=1, max=100_000)] = 100,
    near: Annotated[float, typer.Option(help="Least distance of a goal, metres.")] = 3.0,
    far: Annotated[float, typer.Option(help="Largest distance of a goal, metres.")] = 6.0,
    seed: Annotated[int, typer.Option(help="Of the goals.", min=0)] = 0,
    json: Json = False,
) -> None:
    """Send every kind of controller to the same random goals and print one table."""
    from reenact.mobility.map_file import load_map
    from reenact.operations.mobile_performance import try_controllers

    with (
        simple_bar("trial", hidden=json) as bar,
        heard(None if bar is None else lambda share, _: bar(round(100 * share), 100)),
    ):
        found = try_controllers(load_map(path), goals=goals, near=near, far=far, seed=seed)
    if json:
        print_json({"map": str(path), **found})
        return
    rows = found["controllers"]
    print(f"{goals} goals at {near:g} to {far:g} m")
    print(f"  {'':24s}" + "".join(f"{name:>12s}" for name in rows))
    for figure in next(iter(rows.values())):
        values = (row[figure] for row in rows.values())
        print(f"  {figure:24s}" + "".join(f"{'-' if value is None else _number(value):>12s}" for value in values))


def _words(made: MobilityMap) -> str:
    return (
        f"{made.states} states with {made.options} options ({made.options / max(made.states, 1):.0f} each), "
        f"{made.database.poses} poses of {len(made.database.names)} clips"
    )


_SHOWN = {
    "poses": (("poses", "poses"), ("recorded_poses", "recorded"), ("mirrored_poses", "mirrored"), ("clips", "clips")),
    "graph": (("edges", "edges"), ("tau_max", "dearest jump"), ("natural_step", "a recorded step")),
    "component": (("kept_poses", "poses kept"), ("kept_share", "share"), ("kept_jumps", "jumps")),
    "actions": (
        ("states", "states"),
        ("state_share", "share of the poses"),
        ("actions", "actions"),
        ("mean_frames", "poses each"),
    ),
    "sequences": (("pairs", "pairs"), ("within_horizon", "within the horizon")),
    "map": (
        ("map_states", "states"),
        ("map_state_share", "share"),
        ("mean_options", "options each"),
        ("fewest_options", "at least"),
        ("bytes", "bytes"),
        ("bytes_per_option", "bytes an option"),
    ),
}


def _print_accounts(report: dict[str, Any]) -> None:
    """Every stage: what came out, how long it took, and what the thesis says of it."""
    for stage in report.get("stages", []):
        thesis = stage.get("thesis", {})
        parts = []
        for key, words in _SHOWN.get(stage["stage"], ()):
            if key in stage:
                known = f" (thesis {_number(thesis[key])})" if key in thesis else ""
                parts.append(f"{words} {_number(stage[key])}{known}")
        took = f"{stage['wall_s']:.1f} s, {stage['cpu_s']:.1f} s of CPU, {stage['peak_bytes'] / 2**20:.0f} MiB at most"
        if "wall_s" in thesis:
            took += f" (thesis {thesis['wall_s']:g} s{' on 48 machines' if 'machines' in thesis else ''})"
        print(f"  {stage['stage']:10s} {', '.join(parts)}; {took}")
    for note in report.get("notes", []):
        print(f"  note: {note}")


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"
