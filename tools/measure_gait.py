"""Measure averaged walking and running from the CMU recordings and write `src/reenact/samples/gait_table.py`.

    python tools/measure_gait.py [folder of the recordings]

Only averages over many strides of many people are written: Fourier coefficients of the body over the gait cycle, sine series of the
foot over its swing, and step timing, each with a linear dependence on speed. Strikes and lift-offs are found where the foot is
farthest before and behind the hips (Zeni, Richards and Higginson 2008). Speeds are made comparable between people by the Froude
number: u = v / sqrt(g L), with L the length of thigh and shank (Alexander 1989).
"""

from __future__ import annotations

import csv
import itertools
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from reenact import load
from reenact.body.segments import centre_of_mass
from reenact.core import rotations as R

GRAVITY = 9.81
HARMONICS = 5
SWING_TERMS = 6
PHASES = 64
SWINGS = 33
SIXTY_HERTZ = {"74", "75", "93", "141", "143"}  # the header says 120, free flight and stride say 60
WALKS = (
    "walk",
    "slow walk",
    "brisk walk",
    "walk/stride",
    "walk forward",
    "Walk",
    "Normal Walk",
    "CasualWalk",
    "Walk Fast",
)
WALKS += ("neutral Male walk, exact footfalls", "walk around", "walk/wander", "Casual Walk")
RUNS = (
    "run/jog",
    "run",
    "Run",
    "JogThrough",
    "RunningStraight CleanedGRS",
    "run around in a circle",
    "Run Figure 8",
    "careful run",
)
RUNS += (
    "run/jog, veer left",
    "run/jog, veer right",
    "run, veer left",
    "Walk to Run",
    "StartRun",
    "RunStop",
    "Run to Quick Stop",
)
STRAIGHT = {"walk": 12.0, "run": 50.0}  # degrees of heading within one stride
STEADY = {"walk": 0.2, "run": 0.35}  # change of speed within one stride
SLOWEST_RUN = 0.75  # u

CMU_ROLES = {"hips": "Hips", "spine": "LowerBack", "chest": "Spine1", "neck": "Neck1", "head": "Head"} | {
    f"{side.lower()}_{role}": f"{side}{name}"
    for side in ("Left", "Right")
    for role, name in (("upper_arm", "Arm"), ("lower_arm", "ForeArm"), ("hand", "Hand"), ("upper_leg", "UpLeg"))
    + (("lower_leg", "Leg"), ("foot", "Foot"), ("toes", "ToeBase"))
}


@dataclass(frozen=True, slots=True)
class Stride:
    """One gait cycle from a strike of the near foot to its next, mirrored so that the near foot is the left one."""

    subject: str
    speed: float  # u
    frequency: float  # strides per second times sqrt(L / g)
    duty: float  # share of the cycle the foot is on the floor
    cycle: dict[str, np.ndarray]  # (PHASES, ...) each
    swing: np.ndarray  # (SWINGS, 3): progress 0..1, height / L above the flat foot, pitch (toe up positive)
    pitch: np.ndarray  # (PHASES,)
    width: float  # lateral distance of the ankles in stance / L
    toe_out: float  # radians


def ball_speed(toe: np.ndarray, fps: float) -> np.ndarray:
    """Speed of the ball of the foot in m/s."""
    return np.linalg.norm(np.gradient(gaussian_filter1d(toe, 0.008 * fps, axis=0), 1 / fps, axis=0), axis=1)


def refine_run(toe: np.ndarray, strikes: np.ndarray, lifts: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """In a run the foot is farthest ahead before it lands and farthest behind after it left: take the ball's slow spell between."""
    speed = ball_speed(toe, fps)
    down, up = [], []
    for strike in strikes:
        later = lifts[lifts > strike]
        end = later[0] if len(later) else len(speed)
        slow = np.flatnonzero(speed[strike:end] < 1.0) + strike
        if len(slow) and slow[0] - strike < 0.2 * fps and slow[-1] - slow[0] > 0.08 * fps:
            down.append(slow[0])
            up.append(min(slow[-1] + 1, len(speed) - 1))
    return np.array(down, int), np.array(up, int)


def refine_lift(toe: np.ndarray, lifts: np.ndarray, fps: float) -> np.ndarray:
    """In a walk the ball starts to move a little before it is farthest behind the hips."""
    speed = ball_speed(toe, fps)
    found = []
    for lift in lifts:
        start = max(lift - int(0.15 * fps), 0)
        slow = np.flatnonzero(speed[start : lift + 1] < 0.5)
        found.append(start + slow[-1] if len(slow) else lift)
    return np.array(found, int)


def measure_clip(path: Path, subject: str, kind: str) -> list[Stride]:
    """Every straight, steady stride of one recording."""
    clip = load(path)
    fps = 60.0 if subject in SIXTY_HERTZ else 120.0
    skeleton = clip.skeleton.with_roles({role: clip.skeleton.joint(name) for role, name in CMU_ROLES.items()})
    world = clip.world(np.float64)
    at = {name: world.positions[:, j] for j, name in enumerate(skeleton.names)}
    turn = {name: world.rotations[:, j] for j, name in enumerate(skeleton.names)}
    hips = 0.5 * (at["LeftUpLeg"] + at["RightUpLeg"])
    length = np.mean(
        [
            np.linalg.norm(at[f"{s}UpLeg"] - at[f"{s}Leg"], axis=1)
            + np.linalg.norm(at[f"{s}Leg"] - at[f"{s}Foot"], axis=1)
            for s in ("Left", "Right")
        ]
    )
    if len(hips) < fps:
        return []
    velocity = gaussian_filter1d(np.gradient(hips, 1 / fps, axis=0), 0.3 * fps, axis=0, mode="nearest")
    heading = np.unwrap(np.arctan2(velocity[:, 0], velocity[:, 2]))
    level = R.conjugate(R.about_y(heading))
    floor = min(np.percentile(at[f"{s}ToeBase"][:, 1], 3) for s in ("Left", "Right"))
    com = centre_of_mass(world, skeleton)

    def ahead(points: np.ndarray) -> np.ndarray:
        return R.rotate(level, points - hips)

    events = {}
    for s in ("Left", "Right"):
        gap = int((0.45 if kind == "walk" else 0.35) * fps)
        strike, _ = find_peaks(gaussian_filter1d(ahead(at[f"{s}Foot"])[:, 2], 0.01 * fps), distance=gap, prominence=0.1)
        lift, _ = find_peaks(
            -gaussian_filter1d(ahead(at[f"{s}ToeBase"])[:, 2], 0.01 * fps), distance=gap, prominence=0.1
        )
        if kind == "run":
            strike, lift = refine_run(at[f"{s}ToeBase"], strike, lift, fps)
        else:
            lift = refine_lift(at[f"{s}ToeBase"], lift, fps)
        events[s] = strike, lift
    strides = []
    for near, far, flip in (("Left", "Right", 1.0), ("Right", "Left", -1.0)):
        strikes, lifts = events[near]
        for first, last in itertools.pairwise(strikes):
            between = lifts[(lifts > first) & (lifts < last)]
            seconds = (last - first) / fps
            if len(between) != 1 or not 0.4 < seconds < 2.0:
                continue
            inside = slice(first, last + 1)
            if np.ptp(heading[inside]) > np.radians(STRAIGHT[kind]):
                continue
            direction = R.conjugate(R.about_y(np.mean(heading[inside])))
            way = R.rotate(direction, hips[last] - hips[first])
            speed = way[2] / seconds
            ends = [R.rotate(direction, velocity[k])[2] for k in (first, last)]
            if speed < 0.5 or abs(ends[0] - ends[1]) > STEADY[kind] * speed:
                continue
            if kind == "run" and speed < SLOWEST_RUN * np.sqrt(GRAVITY * length):
                continue
            if kind == "run" and not 0.2 < (between[0] - first) / (last - first) < 0.45:
                continue
            times = first + np.arange(PHASES) / PHASES * (last - first)

            def sample(values: np.ndarray, when: np.ndarray) -> np.ndarray:
                k = np.clip(when.astype(int), 0, len(values) - 2)
                u = (when - k).reshape(-1, *[1] * (values.ndim - 1))
                return (1 - u) * values[k] + u * values[k + 1]

            def turned(name: str, times=times, direction=direction, flip=flip) -> np.ndarray:
                q = R.make_continuous(turn[name])
                q = R.normalize(sample(q, times))
                return R.log(R.multiply(R.conjugate(R.about_y(sample(heading, times))), q)) * np.array([1, flip, flip])

            def along(points: np.ndarray, when=times, direction=direction, flip=flip) -> np.ndarray:
                return R.rotate(direction, sample(points, when)) * np.array([flip, 1, 1])

            cycle = {"pelvis": turned("Hips"), "chest": turned("Spine1"), "head": turned("Head")}
            line = (np.arange(PHASES) / PHASES)[:, None] * way * np.array([flip, 1, 1])
            path_of = along(com)
            cycle["com"] = (
                np.concatenate(
                    [(path_of - path_of.mean(0) - line + line.mean(0))[:, [0, 2]], path_of[:, 1:2] - floor], axis=1
                )
                / length
            )
            chest = R.multiply(direction, R.normalize(sample(R.make_continuous(turn["Spine1"]), times)))
            arm, fore = (
                R.rotate(R.conjugate(chest), R.rotate(direction, sample(at[b] - at[a], times))) * np.array([flip, 1, 1])
                for a, b in ((f"{near}Arm", f"{near}ForeArm"), (f"{near}ForeArm", f"{near}Hand"))
            )
            arm, fore = R.normalize(arm), R.normalize(fore)
            hinge = -np.cross(arm, fore)
            bend = np.arctan2(np.linalg.norm(hinge, axis=1), np.einsum("ij,ij->i", arm, fore))
            hinge = hinge + 0.1 * hinge.mean(0)  # a nearly straight elbow says little about its own hinge
            y = R.normalize(hinge - np.einsum("ij,ij->i", hinge, arm)[:, None] * arm)
            cycle["arm"] = R.log(R.from_matrix(np.stack([arm, y, np.cross(arm, y)], axis=-1)))
            cycle["elbow"] = bend[:, None]
            knee = [at[f"{near}UpLeg"] - at[f"{near}Leg"], at[f"{near}Foot"] - at[f"{near}Leg"]]
            knee = [R.normalize(sample(k, times)) for k in knee]
            cycle["knee"] = np.pi - np.arccos(np.clip(np.einsum("ij,ij->i", *knee), -1, 1))[:, None]
            sole = along(at[f"{near}ToeBase"] - at[f"{near}Foot"])
            raw = np.arctan2(sole[:, 1], np.hypot(sole[:, 0], sole[:, 2]))
            low, high = (0.15, 0.3) if kind == "walk" else (0.06, 0.13)
            flat = np.median(raw[int(low * PHASES) : int(high * PHASES)])
            low = np.percentile(at[f"{near}Foot"][inside, 1], 10)
            when = between[0] + np.linspace(0, 1, SWINGS) * (last - between[0])
            foot = along(at[f"{near}Foot"], when)
            toe = along(at[f"{near}ToeBase"], when) - foot
            pitch = np.arctan2(toe[:, 1], np.hypot(toe[:, 0], toe[:, 2])) - flat
            progress = (foot[:, 2] - foot[0, 2]) / (foot[-1, 2] - foot[0, 2])
            middle = slice(int(0.1 * PHASES), int(0.25 * PHASES))
            across = (
                along(at[f"{near}Foot"])[middle, 0].mean()
                - along(at[f"{far}Foot"], times + 0.5 * (last - first))[middle, 0].mean()
            )
            strides.append(
                Stride(
                    subject,
                    speed / np.sqrt(GRAVITY * length),
                    np.sqrt(length / GRAVITY) / seconds,
                    (between[0] - first) / (last - first),
                    cycle,
                    np.stack([progress, (foot[:, 1] - low) / length, pitch], axis=1),
                    raw - flat,
                    across / length,
                    float(np.arctan2(sole[middle, 0].mean(), sole[middle, 2].mean())),
                )
            )
    return strides


EVEN = {"pelvis": (0,), "chest": (0,), "head": (0,), "com": (1, 2)}  # components that repeat twice a stride
ODD = {
    "pelvis": (1, 2),
    "chest": (1, 2),
    "head": (1, 2),
    "com": (0,),
}  # components that change sign after half a stride


def weigh(strides: list[Stride]) -> np.ndarray:
    """Weights that let every person count alike, whatever the number of strides."""
    count: dict[str, int] = defaultdict(int)
    for stride in strides:
        count[stride.subject] += 1
    return np.array([1 / count[stride.subject] for stride in strides])


def regress(values: np.ndarray, speeds: np.ndarray, weights: np.ndarray, centre: float) -> np.ndarray:
    """Least squares of values (N, ...) on speed: (2, ...), the value at `centre` and the change per unit of u."""
    design = np.stack([np.ones_like(speeds), speeds - centre], axis=1) * np.sqrt(weights)[:, None]
    flat = values.reshape(len(values), -1) * np.sqrt(weights)[:, None]
    return np.linalg.lstsq(design, flat, rcond=None)[0].reshape(2, *values.shape[1:])


def to_fourier(curve: np.ndarray) -> np.ndarray:
    """(PHASES, D) to (1 + 2 HARMONICS, D): mean, then cosine and sine amplitudes of each harmonic."""
    spectrum = np.fft.rfft(curve, axis=0) / len(curve)
    rows = [spectrum[0].real]
    for k in range(1, HARMONICS + 1):
        rows += [2 * spectrum[k].real, -2 * spectrum[k].imag]
    return np.stack(rows)


def to_sines(curve: np.ndarray) -> np.ndarray:
    """(SWINGS, D) to (2 + SWING_TERMS, D): first value, last value, amplitudes of sin(k pi s) about the line between them."""
    s = np.linspace(0, 1, len(curve))
    line = curve[0] + s[:, None] * (curve[-1] - curve[0])
    basis = np.sin(np.pi * np.outer(s, np.arange(1, SWING_TERMS + 1)))
    return np.concatenate([curve[[0, -1]], np.linalg.lstsq(basis, curve - line, rcond=None)[0]])


def average(strides: list[Stride]) -> dict[str, np.ndarray | float]:
    """The averaged gait of one kind."""
    speeds = np.array([s.speed for s in strides])
    weights = weigh(strides)
    centre = round(float(np.average(speeds, weights=weights)), 3)
    table: dict[str, np.ndarray | float] = {
        "strides": len(strides),
        "people": len({s.subject for s in strides}),
        "centre": centre,
        "slowest": round(float(np.percentile(speeds, 3)), 3),
        "fastest": round(float(np.percentile(speeds, 97)), 3),
    }
    for name in ("frequency", "duty"):
        table[name] = regress(np.array([getattr(s, name) for s in strides])[:, None], speeds, weights, centre)[:, 0]
    table["width"] = np.array([np.average([s.width for s in strides], weights=weights), 0.0])
    for name in strides[0].cycle:
        series = regress(np.stack([to_fourier(s.cycle[name]) for s in strides]), speeds, weights, centre)
        harmonic = (np.arange(1 + 2 * HARMONICS) + 1) // 2
        for component in EVEN.get(name, ()):
            series[:, harmonic % 2 == 1, component] = 0
        for component in ODD.get(name, ()):
            series[:, harmonic % 2 == 0, component] = 0
        table[name] = series
    table["swing"] = regress(np.stack([to_sines(s.swing) for s in strides]), speeds, weights, centre)
    table["pitch"] = regress(np.stack([to_fourier(s.pitch[:, None]) for s in strides]), speeds, weights, centre)
    return table


def write_table(tables: dict[str, dict], path: Path) -> None:
    """The tables as a Python module of numbers."""
    lines = [
        '"""Averaged walking and running, written by `tools/measure_gait.py`; do not edit.',
        "",
        "Source: averages over many strides of many people of the CMU Graphics Lab Motion Capture Database",
        "(mocap.cs.cmu.edu, created with funding from NSF EIA-0196217). No frame of any recording is kept. How to read the",
        "rows: see `reenact.samples.gait`.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "# fmt: off",
    ]
    for kind, table in tables.items():
        lines.append(f"{kind.upper()} = {{")
        for name, value in table.items():
            if isinstance(value, np.ndarray):
                text = (
                    "[" + ", ".join(f"{v:.5g}" for v in np.where(np.abs(value.ravel()) < 5e-6, 0, value.ravel())) + "]"
                )
                lines.append(f'    "{name}": ({value.shape}, {text}),')
            else:
                lines.append(f'    "{name}": {value},')
        lines.append("}")
    path.write_text("\n".join(wrap(lines)) + "\n", encoding="utf-8")


def wrap(lines: list[str], width: int = 120) -> list[str]:
    """Break long rows of numbers after commas."""
    wrapped = []
    for line in lines:
        indent = "    "
        while len(line) > width:
            cut = line.rfind(", ", 0, width) + 1
            wrapped.append(line[:cut])
            line = indent * 2 + line[cut + 1 :]
        wrapped.append(line)
    return wrapped


def main() -> None:
    """Measure every recording named above and write the table."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    found: dict[str, list[Stride]] = {"walk": [], "run": []}
    with (root / "index.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            kind = "walk" if row["description"] in WALKS else "run" if row["description"] in RUNS else ""
            if row["path"].startswith("cmu-bvh") and kind:
                path = root / row["path"]
                found[kind] += measure_clip(path, path.stem.split("_")[0], kind)
    tables = {kind: average(strides) for kind, strides in found.items()}
    for kind, table in tables.items():
        print(
            f"{kind}: {table['strides']} strides of {table['people']} people, u {table['slowest']} to {table['fastest']}"
        )
    write_table(tables, Path(__file__).parents[1] / "src" / "reenact" / "samples" / "gait_table.py")


if __name__ == "__main__":
    main()
