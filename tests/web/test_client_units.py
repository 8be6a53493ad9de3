"""The unit tests of the studio's client, run by its own runner."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def test_vitest() -> None:
    spec = importlib.util.spec_from_file_location("build_studio", REPOSITORY / "tools" / "build_studio.py")
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    node = builder.find_node()
    if node is None:
        if os.environ.get("REENACT_REQUIRE_DATA") == "1":
            pytest.fail("no Node for the unit tests of the client (REENACT_REQUIRE_DATA=1: nothing may be left out)")
        pytest.skip("no Node for the unit tests of the client: `make studio`")
    web = REPOSITORY / "web"
    environment = {**builder.environment_of(node), "CI": "1", "NO_COLOR": "1"}
    builder.install_packages(web, node, environment)
    command = [node, str(web / "node_modules" / "vitest" / "vitest.mjs"), "run"]
    done = subprocess.run(
        command, cwd=web, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
