"""The machine-code cache: used, complete, and never stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import numpy as np
from reenact.kernels import compiling, kinematics
still = np.zeros((2, 3), np.float32)
kinematics.forward_kinematics(np.ones((2, 2, 4), np.float32), still, still, np.array([-1, 0], np.int32))
print(compiling.compilations())
"""


def run(folder: Path, script: str = SCRIPT) -> str:
    environment = {**os.environ, "REENACT_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert int(run(tmp_path)) > 0
    assert int(run(tmp_path)) == 0


def test_folder_and_files_are_named_by_what_they_were_compiled_from(tmp_path: Path) -> None:
    from reenact.kernels.compiling import compiler_hash
    from reenact.kernels.kept_code import sources_hash

    run(tmp_path)
    assert [folder.name for folder in tmp_path.iterdir()] == [f"kernels-{compiler_hash()}"]
    kept = [file.name for file in tmp_path.rglob("*.code")]
    assert kept
    assert all(name.startswith("kinematics.") and f"-{sources_hash('kinematics')}-" in name for name in kept)


def test_a_change_is_seen_by_all_that_depend_on_it_and_by_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from reenact.kernels import kept_code

    read = kept_code._source
    hash_of = kept_code.sources_hash.__wrapped__
    names = sorted(file.stem for file in Path(kept_code.__file__).parent.glob("*.py") if file.stem != "__init__")
    before = {name: hash_of(name) for name in names}
    users = {name for name in names if "from reenact.kernels.medians import" in read(name).decode()}
    assert users
    monkeypatch.setattr(kept_code, "_source", lambda name: read(name) + (b"#" if name == "medians" else b""))
    changed = {name for name in names if hash_of(name) != before[name]}
    assert users | {"medians"} <= changed
    assert not changed & {"euler", "bvh_text", "quaternions"}


def test_modules_are_found_however_they_are_named() -> None:
    from reenact.kernels.kept_code import named_modules

    assert named_modules(
        "from reenact.kernels.euler import x\nfrom reenact.kernels import legs as l, gait  # banded\n"
    ) == {
        "euler",
        "legs",
        "gait",
    }
    assert named_modules("from reenact.kernels import (\n    medians,  # euler\n    walk_twins as w,\n)\n") == {
        "medians",
        "walk_twins",
    }
    assert named_modules('@intrinsic("reenact.kernels.bit_code:load_word")') == {"bit_code"}


def test_unwritable_cache_still_works(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert int(run(blocked)) >= 0


def test_other_packages_keep_their_cache_folder(tmp_path: Path) -> None:
    script = "import reenact.kernels.kinematics\nfrom numba.core import config\nprint(repr(config.CACHE_DIR))"
    assert run(tmp_path, script) == "''"


def test_a_full_disk_costs_time_and_not_the_work(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    assert int(run(tmp_path, limit + SCRIPT)) > 0
    assert int(run(tmp_path)) > 0


def test_damaged_files_in_the_cache_are_compiled_anew(tmp_path: Path) -> None:
    run(tmp_path)
    for kept in tmp_path.rglob("*.code"):
        kept.write_bytes(kept.read_bytes()[:-20])
    assert int(run(tmp_path)) > 0
    assert int(run(tmp_path)) == 0


def test_a_user_without_a_home(tmp_path: Path) -> None:
    script = """
import os, pathlib
for name in ("REENACT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
    os.environ.pop(name, None)
def no_home():
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.home = no_home
"""
    assert run(tmp_path, script + SCRIPT).isdigit()
    assert not list(tmp_path.iterdir())


BESIDE = """
import gc
import numba
import numpy as np

@numba.njit
def mine(n):
    made = np.empty((n, 2))
    for row in range(n):
        made[row] = max(row, 1)
    return np.median(made)

collecting = gc.isenabled()
before = mine(4)
from reenact.kernels import numba_compiler
from reenact.kernels.argument_kinds import kind_of, without_permission
from reenact.kernels.compiling import kernel
from reenact.kernels.medians import quantile

values = np.arange(9.0)

@kernel
def median(values, at):
    if at < 0:
        raise ValueError("there is nothing")
    return quantile(values, 9, 0.5)

median, keepable = numba_compiler.compile_kernel(median, tuple(without_permission(kind_of(one)) for one in (values, 1)))
assert keepable is not None
assert median(values, 1) == 4.0
try:
    median(values, -1)
except ValueError as error:
    print(error)
assert numba_compiler._short_way is SHORT, numba_compiler._short_way
assert gc.isenabled() == collecting

@numba.njit
def another(n):  # what Numba made meanwhile, in the user's own functions
    return np.empty((n, 2), np.float32).size + max(n, 2) + np.median(np.arange(9.0))

assert another(3) == 6 + 3 + 4.0
assert mine(5) == 2.0 and before == 1.5
print("all well")
"""


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "import reenact.kernels.numba_pipeline as pipeline\npipeline.PartLibrary.make_whole = None\n",
        "import sys\nsys.modules['reenact.kernels.numba_shortcuts'] = None\n",
        "import reenact.kernels.numba_shortcuts as shortcuts\nshortcuts._run_pass = None\n",
    ],
    ids=["as it should be", "no libraries", "no shortcuts", "no passes"],
)
def test_kernels_and_functions_of_the_user_beside_each_other(tmp_path: Path, broken: str) -> None:
    """Also with another Numba than the one that the short way was written for."""
    file = tmp_path / "beside.py"
    file.write_text(broken + BESIDE.replace("SHORT", str(not broken)))
    said = run(tmp_path / "kept", f"import runpy; runpy.run_path({str(file)!r})")
    assert said.splitlines() == ["there is nothing", "all well"]


SHORTCUTS = """
import numpy as np
from numba.core import dispatcher, ir, ssa
from numba.core.compiler_machinery import PassManager
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor
from numba.core.types import functions

def state():
    return (PostProcessor.run, functions.BaseFunction.get_call_type, dispatcher._DispatcherBase.get_call_template,
            PassManager._runPass, ir.Inst._rec_list_vars, Lower.create_cfunc_wrapper, ssa._logger)

before = state()
from reenact.kernels import medians, numba_compiler
from reenact.kernels.compiling import kernel
from reenact.kernels.medians import select

@kernel
def ends(values, count):
    return select(values, count, 0) + select(values, count, count - 1)

ends.__module__ = medians.__name__
assert ends(np.array([3.0, 1.0, 2.0]), 3) == 4.0
assert numba_compiler._short_way
assert state() == before
print(len(numba_compiler._called[medians.select].overloads))
"""


def test_a_kernel_is_compiled_once_for_constants_and_others_and_numba_is_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "shortcuts.py"
    file.write_text(SHORTCUTS)
    assert run(tmp_path / "kept", f"import runpy; runpy.run_path({str(file)!r})") == "1"
