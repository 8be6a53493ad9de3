"""Speed and memory against other packages: one run, one table.

    python benchmarks/run.py [--json FILE] [--repeats N] [--no-peers]

Every figure is CPU time of one thread, the best of several repeats, ours and the peers' interleaved. The peers live in an
environment of their own, `.bench/venv`, made on the first run. The clip is CMU 15_01 from `$REENACT_DATA` or `../shared/data`; without
the recordings a generated one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import venv
from dataclasses import asdict, dataclass
from pathlib import Path

from skinning import FRAMES, VERTICES

SLOW = 3.0  # seconds: from here on once is enough
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
PEERS = REPOSITORY / ".bench" / "venv"
PACKAGES = (
    "pybvh==0.9.0",
    "upc-pymotion==0.3.4",
    "bvhtoolbox",
    "bvhio",
    "bvhsdk",
    "pygltflib",
    "dtaidistance==2.5.1",
    "libigl",
)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
ENVIRONMENT = {**os.environ, **ONE_THREAD}
ENVIRONMENT.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles every module
COPIED = 256 * 2**20  # bytes, well beyond any cache
_NEEDED = 16 * 16 + 12  # bytes of a frame that foot plants and gait cannot do without: 16 joints and the root


@dataclass(frozen=True)
class Row:
    """One line of the table. Times are CPU seconds."""

    task: str
    ours: float | None
    unit: str
    peer: float | None = None
    peer_name: str = "none"
    limit: float | None = None
    limit_kind: str = ""
    target: str = ""
    note: str = ""


class Worker:
    """A process that times tasks; see timing.py."""

    def __init__(self, python: str | Path, script: str) -> None:
        command = [str(python), str(HERE / script)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, text=True, env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )

    def time(self, task: str, **arguments: object) -> float | str:
        """CPU seconds, or why there are none."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({"task": task, "arguments": arguments}) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline() or '{"error": "the process ended"}')
        except BrokenPipeError:
            return "the process ended"
        return answer.get("seconds", answer.get("error"))

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def compare(workers: dict[str, Worker], ours: tuple[str, dict], peers: dict[str, tuple[str, dict]], repeats: int):
    """Best seconds of ours and of each peer, in turns: a peer that takes long, or fails, is not asked again."""
    best: dict[str, float] = {}
    failed: dict[str, str] = {}
    for _ in range(repeats):
        for name, (task, arguments) in {"": ours, **peers}.items():
            if name in failed or best.get(name, 0) > SLOW:
                continue
            worker = workers["peers" if name else "ours"]
            seconds = worker.time(task, **arguments)
            if isinstance(seconds, str):
                failed[name] = seconds
            else:
                best[name] = min(seconds, best.get(name, float("inf")))
    return best, failed


def make_environment() -> Path | None:
    """The peers' Python, installed when it is not there yet; None when that fails."""
    python = PEERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready, wanted = PEERS / "ready", "\n".join(PACKAGES)
    if python.exists() and ready.exists() and ready.read_text() == wanted:
        return python
    print("installing the peers into .bench/venv ...", file=sys.stderr)
    try:
        venv.create(PEERS, with_pip=True, clear=True)
        for package in PACKAGES:
            done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True)
            if done.returncode:
                print(f"{package} does not install: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no environment for the peers: {error}", file=sys.stderr)
        return None
    ready.write_text(wanted)
    return python


def spend(command: list[str | Path], repeats: int) -> float | None:
    """CPU seconds of a command from start to end, best of several; None when it fails."""
    best = None
    for _ in range(repeats + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            return None
        took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = took if best is None else min(best, took)
    return best


def find_data() -> Path | None:
    """The recordings, when they are here."""
    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if (folder / "index.csv").is_file() else None


def make_clip(folder: Path, frames: int) -> Path:
    """Smooth turning of 31 joints as BVH, in place of the recordings."""
    path = folder / f"generated-{frames}.bvh"
    subprocess.run([sys.executable, HERE / "generated.py", path, str(frames)], check=True, env=ENVIRONMENT)
    return path


def measure_all(repeats: int, with_peers: bool) -> list[Row]:
    """Every row of the table."""
    data = find_data()
    python = make_environment() if with_peers else None
    workers = {"ours": Worker(sys.executable, "ours.py")}
    if python:
        workers["peers"] = Worker(python, "peers.py")
    with tempfile.TemporaryDirectory(prefix="reenact-bench-") as name:
        folder = Path(name)
        clip = data / "cmu-bvh" / "15_01.bvh" if data else make_clip(folder, 5000)
        rows = _measure_clip(workers, clip, data, repeats)
        if data:
            rows += _measure_gaits(workers, data / "cmu-bvh", repeats)
        rows += measure_registration(workers, clip, folder, repeats)
        rows += measure_skinning(workers, repeats)
        for worker in workers.values():
            worker.close()
        rows += _measure_metrics()
        rows += _measure_starts(python, repeats)
        rows += _measure_memory(data, clip, folder)
        if data:
            rows.append(_measure_library(data, folder))
    return rows


def _measure_clip(workers: dict[str, Worker], clip: Path, data: Path | None, repeats: int) -> list[Row]:
    copied = min(float(workers["ours"].time("copy", size=COPIED)) for _ in range(3)) / COPIED  # seconds a byte
    size = clip.stat().st_size
    frames, joints = _count(clip)
    quaternions, text = frames * joints * 16, {"path": str(clip)}

    def ask(tasks: dict[str, tuple[str, dict]]) -> dict[str, tuple[str, dict]]:
        return tasks if "peers" in workers else {}

    decoders = {name: (f"decode_{name}", text) for name in ("pybvh", "pymotion", "bvhtoolbox", "bvhsdk", "bvhio")}
    writers = {name: (f"write_{name}", text) for name in ("pybvh", "pymotion", "bvhsdk")}
    kinematics = {
        "pymotion": ("fk_pymotion", text),
        "pymotion fk_quat": ("fk_pymotion_quaternions", text),
        "pybvh": ("fk_pybvh", text),
    }
    containers = {"pygltflib": ("glb_pygltflib", text)}
    title = f"{clip.stem}, {frames} frames, {joints} joints"
    plan = [
        (f"BVH decode to quaternions ({title})", ("decode", text), decoders, size + quaternions, ">= 10x"),
        (
            "load with all inspection",
            ("load", text),
            {name: decoders[name] for name in ("pybvh", "pymotion", "bvhsdk")},
            size + quaternions,
            ">= 7x",
        ),
        ("BVH write", ("write", {**text, "ending": ".bvh"}), writers, size + quaternions, ">= 7x"),
        ("forward kinematics", ("fk", text), kinematics, quaternions + frames * joints * 28, ">= 8x"),
        ("GLB write", ("write", {**text, "ending": ".glb"}), containers, 2 * quaternions, ""),
    ]
    if data:
        motion = data / "cmu-asfamc" / "02_05.amc"
        amount = motion.stat().st_size + 1854 * 31 * 16
        plan.append(("AMC load (02_05, 1854 frames)", ("load", {"path": str(motion)}), {}, amount, "240 k frames/s"))
        plan.append(
            ("AMC decode (02_05, 1854 frames)", ("decode", {"path": str(motion)}), {}, amount, "240 k frames/s")
        )
    rows = []
    for task, ours, peers, amount, target in plan:
        best, failed = compare(workers, ours, ask(peers), repeats)
        mine = best.pop("", None)
        peer = min(best, key=lambda key: best[key], default=None)
        others = [f"{key} {best[key] * 1e3:.1f} ms" for key in sorted(best, key=lambda key: best[key]) if key != peer]
        others += [f"{key or 'ours'}: {why}" for key, why in failed.items()]
        if "AMC" in task and mine:
            others.append(f"{1854 / mine / 1e3:.0f} k frames/s")
        rows.append(
            Row(
                task,
                mine,
                "s",
                best.get(peer or ""),
                peer or "none",
                amount * copied,
                "bytes at memcpy speed",
                target,
                "; ".join(others),
            )
        )
    rows.append(Row("memcpy", 1e-9 / copied, "GB/s", note="one thread, counted once"))
    return rows


def _measure_gaits(workers: dict[str, Worker], folder: Path, repeats: int) -> list[Row]:
    """Foot plants, and plants with classification, of every CMU recording from local rotations, against pybvh's foot contacts.

    Both sides get fresh objects, as both keep what they have worked out; the time of making these is taken off both. The limit is what
    must be read at least: the rotations of the legs and the trunk and the root's path.
    """
    copied = min(float(workers["ours"].time("copy", size=COPIED)) for _ in range(3)) / COPIED
    files = sorted(folder.glob("*.bvh"))
    frames = sum(_count(file)[0] for file in files)
    text = {"folder": str(folder)}
    peers = {"pybvh": ("contacts_pybvh", text), "copies": ("copies_pybvh", text)} if "peers" in workers else {}
    rows = []
    for task, name in (("foot plants", "plants"), ("foot plants and classification", "gaits")):
        best, failed = compare(workers, (name, text), peers, repeats)
        peer = best["pybvh"] - best["copies"] if {"pybvh", "copies"} <= best.keys() else None
        made = compare(workers, ("copies", text), {}, repeats)[0].get("", 0.0)
        mine = best[""] - made if "" in best else None
        speeds = [f"{frames / seconds / 1e3:.0f} k frames/s" for seconds in (mine, peer) if seconds]
        rows.append(
            Row(
                f"{task} of {len(files)} recordings, {frames} frames",
                mine,
                "s",
                peer,
                "pybvh foot_contacts, fresh objects" if peer else "none",
                frames * _NEEDED * copied,
                "bytes at memcpy speed",
                ">= 20x",
                note="; ".join([" and ".join(speeds), *(f"{key or 'ours'}: {why}" for key, why in failed.items())]),
            )
        )
    return rows


def measure_registration(workers: dict[str, Worker], clip: Path, folder: Path, repeats: int) -> list[Row]:
    """The grid and path of 1 000 x 1 000 frames against dtaidistance, and a registration of 300 x 300; see registration.py."""
    from registration import write_coordinates

    first, second = (str(file) for file in write_coordinates(str(clip), folder))
    files = {"first": first, "second": second}
    peers = {"dtaidistance": ("warping_dtaidistance", files)} if "peers" in workers else {}
    best, failed = compare(workers, ("warping", files), peers, repeats)
    peer = best.get("dtaidistance")
    why = "; ".join(f"{key or 'ours'}: {said}" for key, said in failed.items())
    name = "dtaidistance warping_paths_fast" if peer else "none"
    title = "time warping, 1 000 x 1 000 frames of 93 coordinates"
    rows = [
        Row(
            title,
            best.get(""),
            "s",
            peer,
            name,
            target=">= 1x",
            note=why or "ours aligned, slope limit kept, path traced",
        )
    ]
    best, failed = compare(workers, ("registration", {"path": str(clip)}), {}, repeats)
    rows.append(
        Row("registration, 300 x 300 samples", best.get(""), "s", target="< 50 ms", note="; ".join(failed.values()))
    )
    return rows


def measure_skinning(workers: dict[str, Worker], repeats: int) -> list[Row]:
    """A mesh in 60 poses, linear and dual, against libigl and against plain NumPy; see skinning.py."""
    libigl = {"libigl": ("skin_libigl", {})} if "peers" in workers else {}
    plain = compare(workers, ("skin_numpy", {}), {}, 1)[0].get("")
    rows = []
    for kind, normals, peers in (("linear", False, libigl), ("linear", True, {}), ("dual", False, {})):
        best, failed = compare(workers, ("skin", {"method": kind, "normals": normals}), peers, repeats)
        mine, peer = best.get(""), best.get("libigl")
        title = f"skinning, {kind}{' with normals' if normals else ''}, {VERTICES} vertices x {FRAMES} frames"
        said = [f"{FRAMES / mine:.0f} frames/s" if mine else ""]
        said += [f"plain NumPy {plain * 1e3:.0f} ms, {plain / mine:.0f}x" if plain and mine else ""]
        said += [f"{name or 'ours'}: {why}" for name, why in failed.items()]
        named = "libigl" if peer else "none"
        rows.append(Row(title, mine, "s", peer, named, target=">= 300 frames/s", note="; ".join(filter(None, said))))
    return rows


def _count(clip: Path) -> tuple[int, int]:
    """Frames and joints of a BVH file, from its header."""
    head = clip.read_bytes()[:100_000].decode("latin-1")
    frames = int(head.split("Frames:")[1].split()[0])
    return frames, head.count("JOINT ") + head.count("ROOT ")


def _measure_metrics() -> list[Row]:
    """Distance matrices of 5 000 x 5 000 frames, and the bare float32 products for them; see metrics.py."""
    done = subprocess.run([sys.executable, HERE / "metrics.py"], env=ENVIRONMENT, capture_output=True, text=True)
    size = "5 000 x 5 000 frames"
    if done.returncode:
        return [Row(f"distance matrix, {size}", None, "s", note=done.stderr.strip()[-160:])]
    found = json.loads(done.stdout)
    bare, kind = found["bare"], "bare float32 products"
    title = f"aligned point clouds, {size}, windows of 10 x 30 points"
    return [
        Row(title, found["general"], "s", limit=bare, limit_kind=kind, target="<= 1.3x", note="features included"),
        Row(f"{title}, symmetric", found["symmetric"], "s", limit=bare, limit_kind=kind, target="faster"),
        Row(f"effector distances, {size}", found["effectors"], "s"),
        Row(f"joint angle distances, {size}", found["angles"], "s"),
    ]


def _measure_starts(python: Path | None, repeats: int) -> list[Row]:
    modules = {
        "pybvh": "pybvh",
        "pymotion": "pymotion.io.bvh",
        "bvhio": "bvhio",
        "bvhsdk": "bvhsdk",
        "bvhtoolbox": "bvhtoolbox",
    }
    imports: dict[str, float | None] = {}
    if python is not None:
        imports = {name: spend([python, "-c", f"import {module}"], repeats) for name, module in modules.items()}
    known = {name: seconds for name, seconds in imports.items() if seconds is not None}
    peer = min(known, key=lambda name: known[name], default="none")
    bare = spend([sys.executable, "-c", "pass"], repeats)
    mine = spend([sys.executable, "-c", "import reenact"], repeats)
    listed = "; ".join(
        f"{name} {seconds:.2f} s" for name, seconds in sorted(known.items(), key=lambda pair: pair[1]) if name != peer
    )
    script = Path(sys.executable).parent / "reenact"
    command: list[str | Path] = (
        [script, "--help"] if script.exists() else [sys.executable, "-m", "reenact.cli.main", "--help"]
    )
    usage = spend(command, repeats)
    return [
        Row("import reenact", mine, "s", known.get(peer), peer, bare, "python -c pass", "< 0.2 s", listed),
        Row("reenact --help", usage, "s", limit=bare, limit_kind="python -c pass", target="< 0.4 s"),
    ]


def _measure_memory(data: Path | None, clip: Path, folder: Path) -> list[Row]:
    files = [clip]
    if data is None:
        small = make_clip(folder, 50)
    else:
        found = sorted(data.glob("cmu-bvh/*.bvh"), key=lambda file: file.stat().st_size)
        small = found[0]
        files = [file for file in found if file.stat().st_size >= 1e6]
        files = [*files[:: max(1, len(files) // 6)], files[-1]]
    rows = []
    for file in dict.fromkeys(files):
        done = subprocess.run(
            [sys.executable, HERE / "memory.py", file, small], env=ENVIRONMENT, capture_output=True, text=True
        )
        if done.returncode:
            rows.append(Row(f"peak memory of load, {file.name}", None, "x file", note=done.stderr.strip()[-120:]))
            continue
        found = json.loads(done.stdout)
        note = f"tracemalloc {found['traced']:.2f} x file"
        rows.append(
            Row(
                f"peak memory of load, {file.name} ({found['size'] / 1e6:.1f} MB)",
                found["resident"],
                "x file",
                target="<= 3.5",
                note=note,
            )
        )
    return rows


def _measure_library(data: Path, folder: Path) -> Row:
    """Import of every BVH of the corpus into a new library, in one process, its own start included."""
    code = (
        "import sys\n"
        "from reenact.library import ImportOptions, Library\n"
        "library = Library.create(sys.argv[1])\n"
        "library.import_folder([sys.argv[2]], ImportOptions(jobs=1))\n"
        "print(len(library))\n"
    )
    chosen = folder / "bvh"
    chosen.mkdir()
    for number, file in enumerate(sorted(data.rglob("*.bvh"))):
        (chosen / f"{number:03}_{file.name}").symlink_to(file.resolve())
    count = len(list(chosen.iterdir()))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, folder / "library", chosen], env=ENVIRONMENT, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    task = f"library import, {count} BVH files"
    if done.returncode:
        return Row(task, None, "s", note=done.stderr.strip()[-160:])
    return Row(task, took, "s", note=f"{done.stdout.strip()} clips kept, start included")


def format_table(rows: list[Row]) -> str:
    """The table for people."""
    header = ("task", "ours", "best peer", "ratio", "times the limit", "target", "also")
    lines: list[tuple[str, ...]] = [header]
    for row in rows:
        ours = "failed" if row.ours is None else _spell(row.ours, row.unit)
        peer = row.peer_name if row.peer is None else f"{_spell(row.peer, row.unit)} {row.peer_name}"
        ratio = f"{row.peer / row.ours:.1f}x" if row.peer and row.ours else ""
        limit = f"{row.ours / row.limit:.1f}x {row.limit_kind}" if row.limit and row.ours else ""
        lines.append((row.task, ours, peer, ratio, limit, row.target, row.note))
    widths = [max(len(line[n]) for line in lines) for n in range(6)]
    lines.insert(1, tuple("-" * width for width in [*widths, 4]))
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[6]]).rstrip()
        for line in lines
    )


def _spell(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1e3:.2f} ms" if value < 0.1 else f"{value:.2f} s"
    return f"{value:.2f} {unit}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each task (default 5)")
    parser.add_argument("--no-peers", action="store_true", help="measure ours alone, install nothing")
    options = parser.parse_args()
    subprocess.run([sys.executable, "-m", "reenact", "warm-up"], env=ENVIRONMENT, check=True, stdout=sys.stderr)
    rows = measure_all(max(1, options.repeats), not options.no_peers)
    print(format_table(rows))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
