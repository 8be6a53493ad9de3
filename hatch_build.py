"""Build hook: the studio's pages are built before the package is, for wheels, source packages and editable installs alike."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SKIP = "REENACT_NO_STUDIO"
"""Set to 1, this variable builds the package without the studio's pages (where there is no way to get Node's packages)."""


def _builder(root: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_studio", Path(root, "tools", "build_studio.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class StudioHook(BuildHookInterface):
    """Builds web/ when its sources have changed."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a package, only when the pages must be built and the machine has none that will do."""
        builder = _builder(self.root)
        root = Path(self.root)
        needed = os.environ.get(_SKIP) != "1" and not builder.is_current(root) and builder.find_node() is None
        return [builder.NODE_PACKAGE] if needed else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before anything is packed."""
        if os.environ.get(_SKIP) == "1":
            return
        if _builder(self.root).build(Path(self.root)):
            self.app.display_info("the studio's pages are built")
