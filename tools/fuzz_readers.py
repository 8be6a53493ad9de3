"""Fuzzing of the readers: anything but FormatError or OSError is a finding. `fuzz_library.py` does the same for the library.

pip install atheris                                      # guided by coverage
python tools/fuzz_readers.py bvh -max_total_time=60
python tools/fuzz_readers.py bvh --executions 10000      # without atheris: mutations by chance
"""

from __future__ import annotations

import contextlib
import random
import sys
import tempfile
from pathlib import Path

import fuzzing

try:
    import atheris
except ImportError:
    atheris = None

with atheris.instrument_imports(include=["reenact.formats"]) if atheris else contextlib.nullcontext():
    from reenact.formats.loaded import ReadOptions
    from reenact.formats.registry import FORMATS

from reenact import save
from reenact.core.cutting import CutParameters, cut
from reenact.samples import make_sample

NAME = sys.argv.pop(1)
ENTRY = next(entry for entry in FORMATS if entry.name == NAME)
FOLDER = Path(tempfile.mkdtemp(prefix="reenact-fuzz-"))
FILE = FOLDER / f"input{ENTRY.endings[0]}"
OBJ = """# a box with an open side, a concave pentagon
mtllib input.mtl
o box
v 0 0 0
v 1 0 0 0.5 0.5 0.5
v 1 1 0
v 0 1 0
v 0 0 1.5e-1
v 1 0 1
vt 0 0
vt 1 0.5
vn 0 0 1
usemtl red
f 1/1/1 2/2/1 3/1/1 4/2/1
s off
g side
f -6//1 -5//1 -1//1 \\
 -2//1
f 1 2 6 3 4
"""
BESIDE = {
    "input.mtl": "newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd -o 0.5 0 0 none.png\nmap_Bump -bm 0.5 none.png\n",
    "input.mhskel": """{"bones": {"low": {"head": "a", "tail": "b", "parent": null},
        "high": {"head": [0.0, 1.0, 0.0], "tail": "a", "parent": "low", "rotation": [1, 0, 0, 0.5]}},
        "joints": {"a": [0, 1], "b": [2]},
        "weights": {"low": [[0, 1.0], [1, 0.5], [2, 1], [3, 1], [4, 1]], "high": [[1, 0.5], [5, 1]]}}""",
}
"""Files beside an OBJ, which are damaged as often as it is."""


def seed() -> Path:
    """A folder with one small valid file to start from; an ASF lies beside AMC inputs."""
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    if ENTRY.name == "obj":
        (corpus / "seed.obj").write_text(OBJ)
        for name, text in BESIDE.items():
            (FOLDER / name).write_text(text)
        return corpus
    short = cut(make_sample("walk_normal").clip, CutParameters(0, 3))
    save(short, corpus / f"seed{'.amc' if ENTRY.name == 'asf' else ENTRY.endings[0]}")
    for skeleton in corpus.glob("*.asf"):
        skeleton.rename(corpus / "seed" if ENTRY.name == "asf" else FOLDER / "input.asf")
    if ENTRY.name == "asf":
        (corpus / "seed.amc").unlink()
    return corpus


def one_input(data: bytes) -> None:
    """Read one input in the two tolerances that do the most."""
    FILE.write_bytes(data)
    for tolerance in ("normal", "recover"):
        try:
            ENTRY.read(FILE, ReadOptions(tolerance=tolerance))  # type: ignore[arg-type]
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) and type(error).__name__ != "FormatError":
                raise


def by_chance(executions: int) -> None:
    """Mutations of the one valid file, without a guide."""
    (start,) = seed().iterdir()
    data = start.read_bytes()

    def one(chance: random.Random) -> None:
        if ENTRY.name == "obj" and chance.random() < 0.7:
            name = chance.choice(list(BESIDE))
            (FOLDER / name).write_bytes(fuzzing.mutate_bytes(BESIDE[name].encode(), chance))
            one_input(data)
            (FOLDER / name).write_text(BESIDE[name])
        else:
            one_input(fuzzing.mutate_bytes(data, chance))

    found = fuzzing.run(one, executions, 0)
    print(f"{found.executions} executions, {len(found.faults)} faults")
    print("\n".join(found.faults[:10]))
    sys.exit(1 if found.faults else 0)


if "--executions" in sys.argv:
    by_chance(int(sys.argv[sys.argv.index("--executions") + 1]))
if atheris is None:
    sys.exit("atheris is not installed: `pip install atheris`, or say --executions N to go by chance")
atheris.Setup([sys.argv[0], str(seed()), *sys.argv[1:]], one_input)
atheris.Fuzz()
