"""Help texts that say what they say: square brackets are no markup."""

from __future__ import annotations

import re
from typing import Any

_TAG = re.compile(r"(?<!\\)(\[[a-zA-Z#/@].*?\])")


def keep_brackets(command: Any) -> None:
    """Mark the square brackets in the help of a command, its parameters and its own commands as text, where rich would eat them."""
    for one in (command, *command.params):
        if getattr(one, "help", None):
            one.help = _TAG.sub(r"\\\1", one.help)
    for child in getattr(command, "commands", {}).values():
        keep_brackets(child)
