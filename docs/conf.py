"""Sphinx configuration."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import reenact

project = "reenact"
author = "the reenact maintainers"
copyright = "the reenact maintainers"
release = version = reenact.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "command_reference"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "reenact"
html_static_path = []
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = False
autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_use_ivar = True
suppress_warnings = ["autodoc.mocked_object", "ref.python"]
