"""`reenact warm-up`: everything compiled at once, so that no verb has to."""

from __future__ import annotations

import contextlib
import hashlib
import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from reenact.cli.output import Json, print_json
from reenact.errors import ReenactError
from reenact.kernels import kept_code, notices

_MARK = "warm-"
"""Begins the name of a file that says that everything is in the folder of compiled code; a hash of what everything is ends it."""


def warm_up(
    processes: Annotated[
        int | None,
        typer.Option(help="How many processes compile at once; default: one for each processor, at most two.", min=1),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Go through everything although it was done before.")] = False,
    json: Json = False,
) -> None:
    """Compile everything the verbs need, once for this machine; without it the first use of each verb takes seconds longer."""
    begun, compiled, done = time.monotonic(), 0, is_warm() and not again
    if not done:
        if not json and sys.stderr.isatty():
            print("compiling everything, about a minute ...", file=sys.stderr)
        compiled = _compile_all(processes or min(2, os.cpu_count() or 1))
        with contextlib.suppress(OSError):
            _mark().touch()
    folder = kept_code.cache_folder()
    told = {"compiled": compiled, "seconds": round(time.monotonic() - begun, 1), "folder": str(folder)}
    if json:
        print_json(told)
    elif done or not compiled:
        print(f"everything is compiled; it is kept in {folder}")
    else:
        kept = f"kept in {folder}" if folder.is_dir() else "but nothing could be kept"
        print(f"compiled {compiled} kernels in {told['seconds']:.0f} s, {kept}")


def is_warm() -> bool:
    """Whether `warm_up` has been through everything on this machine."""
    return _mark().exists()


def warm_up_beside() -> subprocess.Popen[bytes] | None:
    """Begin `warm_up` in a process of its own with the lowest priority, unless it was done before."""
    if is_warm():
        return None
    code = (
        "import os; hasattr(os, 'nice') and os.nice(19); "
        "from reenact.cli.main import main; main(['warm-up', '--json', '--processes', '1'])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=quiet, stdout=quiet, stderr=quiet, env=environment, start_new_session=os.name == "posix",
    )  # fmt: skip


def _mark() -> Path:
    from reenact.kernels.machine_code import processor

    return kept_code.cache_folder() / processor() / f"{_MARK}{_everything()}"


def _everything() -> str:
    """Hash of all kernels and of the command lines: after another version of this package there is more to compile."""
    digest = hashlib.blake2b(digest_size=8)
    for file in (Path(__file__).with_name("warm_up_lines.py"), *sorted(Path(kept_code.__file__).parent.glob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _compile_all(processes: int) -> int:
    """Run the command lines; gives how many kernels were compiled."""
    from reenact.cli.warm_up_lines import WAVES

    compiled = 0
    with tempfile.TemporaryDirectory(prefix="reenact-warm-up-") as folder:
        if processes == 1:
            return sum(run_lines(folder, group) for wave in WAVES for group in wave)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            for wave in WAVES:
                compiled += sum(pool.map(run_lines, [folder] * len(wave), wave))
    return compiled


def run_lines(folder: str, lines: Sequence[str]) -> int:
    """Run command lines in a folder, silently; gives how many kernels were compiled.

    Raises:
        ReenactError: one failed.
    """
    from reenact.cli.main import main
    from reenact.cli.warm_up_lines import SAMPLES
    from reenact.kernels import compiling
    from reenact.loading import save
    from reenact.samples import make_sample

    notices.mute()
    before, words = compiling.compilations(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        for name in SAMPLES:
            path = Path(f"{name}.bvh")
            if not path.exists() and any(path.name in line for line in lines):
                save(make_sample(name).clip, path)
        for line in lines:
            if main(line.split()) == 2:
                last = (words.getvalue().strip().splitlines() or [""])[-1]
                raise ReenactError(f"`reenact {line}` failed: {last}", where="warm-up")
    return compiling.compilations() - before
