"""Get a Chromium for the tests of the studio: Debian's package, where there is none and it can be installed.

    python tools/get_browser.py

Says what is missing and ends well all the same: the tests themselves decide whether they can do without.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from reenact.studio.capture import BROWSERS


def find_browser() -> str | None:
    """The command of a browser that will do."""
    named = os.environ.get("REENACT_BROWSER", "")
    return next(filter(None, map(shutil.which, (named,) if named else BROWSERS)), None)


def install_browser() -> str:
    """Install Debian's package; gives what went wrong, empty when nothing did."""
    if shutil.which("apt-get") is None:
        return "this system has no apt-get"
    if os.geteuid() != 0:
        return "only the superuser can install it (apt-get install chromium)"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", "chromium"]):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return f"{' '.join(command)} failed: {(done.stdout.strip().splitlines() or [''])[-1]}"
    return ""


def main() -> None:
    """Run from the command line."""
    if find_browser() is not None:
        return
    if os.environ.get("REENACT_BROWSER"):
        print(f"REENACT_BROWSER names no command: {os.environ['REENACT_BROWSER']}", file=sys.stderr)
        return
    print("installing Chromium for the tests of the studio ...", file=sys.stderr)
    problem = install_browser()
    if problem or find_browser() is None:
        print(f"no Chromium for the tests of the studio: {problem or 'it is not on the path'}", file=sys.stderr)


if __name__ == "__main__":
    main()
