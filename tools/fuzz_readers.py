"""Coverage-guided fuzzing of the readers: anything but FormatError or OSError is a finding.

pip install atheris
python tools/fuzz_readers.py bvh -max_total_time=60
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["reenact.formats"]):
    from reenact.formats.loaded import ReadOptions
    from reenact.formats.registry import FORMATS

from reenact import save
from reenact.core.cutting import CutParameters, cut
from reenact.samples import make_sample

NAME = sys.argv.pop(1)
ENTRY = next(entry for entry in FORMATS if entry.name == NAME)
FOLDER = Path(tempfile.mkdtemp(prefix="reenact-fuzz-"))
FILE = FOLDER / f"input{ENTRY.endings[0]}"


def seed() -> Path:
    """A folder with one small valid file to start from; an ASF lies beside AMC inputs."""
    corpus = FOLDER / "corpus"
    corpus.mkdir()
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


atheris.Setup([sys.argv[0], str(seed()), *sys.argv[1:]], one_input)
atheris.Fuzz()
