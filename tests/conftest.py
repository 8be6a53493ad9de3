"""What all tests share: the recordings, where they are; characters with all kinds of materials; the Khronos validator of glTF files."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# kernels compile on their first call, and machines are noisy: no deadline; the same examples on every run
settings.register_profile("reenact", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("reenact")

_REPOSITORY = Path(__file__).resolve().parent.parent
_VALIDATOR = "2.0.0-dev.3.10"
_SCRIPT = """
const fs = require('fs');
const validator = require(process.argv[2]);
(async () => {
  const reports = [];
  for (const file of process.argv.slice(3)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {maxIssues: 0});
    if (report.issues.truncated) throw new Error("truncated report of " + file);
    reports.push({errors: report.issues.numErrors, warnings: report.issues.numWarnings,
                  messages: report.issues.messages.filter(m => m.severity < 2), info: report.info});
  }
  console.log(JSON.stringify(reports));
})().catch(error => { console.error(error); process.exit(1); });
"""


def corpus_folder() -> Path | None:
    """The folder of real recordings: `$REENACT_DATA`, else `../shared/data` beside the repository; None when there is none."""
    named = os.environ.get("REENACT_DATA")
    folder = Path(named) if named else _REPOSITORY.parent / "shared" / "data"
    return folder if (folder / "index.csv").is_file() else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The recordings; skips where they are not installed, fails when `REENACT_REQUIRE_DATA=1` says they must be."""
    folder = corpus_folder()
    if folder is None:
        if os.environ.get("REENACT_REQUIRE_DATA") == "1":
            pytest.fail("the recordings are required (REENACT_REQUIRE_DATA=1) but were not found")
        pytest.skip("the recordings are not here: set REENACT_DATA to their folder")
    return folder


@contextmanager
def without_superuser(folder: Path) -> Iterator[None]:
    """Run a block without the superuser's rights, which ignore file permissions; what it imports must be imported before."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    nobody = 65534
    os.chown(folder, nobody, nobody)
    for above in folder.parents[:3]:
        above.chmod(above.stat().st_mode | 0o011)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def ordinary_user(tmp_path: Path) -> Callable[[], AbstractContextManager[None]]:
    """Makes a block that runs without the superuser's rights; `tmp_path` belongs to the user it runs as."""
    return lambda: without_superuser(tmp_path)


@pytest.fixture(scope="session")
def looks() -> ModuleType:
    """`tests/looks.py`: characters with all kinds of materials, made by code."""
    spec = importlib.util.spec_from_file_location("looks", _REPOSITORY / "tests" / "looks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def gltf_validator() -> Path:
    """The folder of the Khronos validator; installed on first use into the git-ignored build folder."""
    home = _REPOSITORY / "build" / f"gltf-validator-{_VALIDATOR}"
    package = home / "node_modules" / "gltf-validator"
    if not package.is_dir():
        home.parent.mkdir(exist_ok=True)
        # Installed beside its place and moved there whole, so that two test processes cannot meet half of it.
        fresh = Path(tempfile.mkdtemp(dir=home.parent, prefix="gltf-validator."))
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(fresh), f"gltf-validator@{_VALIDATOR}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"the glTF validator could not be installed: {done.stderr}"
        try:
            os.replace(fresh, home)
        except OSError:
            shutil.rmtree(fresh)
    assert package.is_dir()
    return package


@pytest.fixture
def validate_gltf(gltf_validator: Path) -> Callable[..., list[dict[str, Any]]]:
    """A function that fails unless the Khronos validator finds no error and no warning in every given file; gives its reports."""

    def validate(paths: Sequence[Path]) -> list[dict[str, Any]]:
        command = ["node", "-e", _SCRIPT, "validator", str(gltf_validator), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        reports = json.loads(done.stdout)
        assert len(reports) == len(paths)
        for path, report in zip(paths, reports, strict=True):
            assert (report["errors"], report["warnings"]) == (0, 0), f"{path}: {report['messages'][:5]}"
        return reports

    return validate
