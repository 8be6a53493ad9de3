"""Pictures by the studio's own viewer: a server of its own, and a browser without a window that sends each picture back."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace
from PIL import Image

from reenact.body.character import Character
from reenact.core.clip import Clip
from reenact.library.characters import keep_character
from reenact.library.store import Library
from reenact.studio.context import STATIC
from reenact.studio.messages import RenderRequest
from reenact.studio.render_desk import CaptureError, RenderDesk
from reenact.studio.security import make_token
from reenact.studio.server import Address, StudioServer

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
"""Commands that are looked for; the variable `REENACT_BROWSER` names another, or with "none" says that there is none."""

WAIT_SECONDS = 90.0
"""How long a picture is waited for; the first one has to wait for the browser to start."""

_FLAGS = (
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    "--hide-scrollbars",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_browser() -> str | None:
    """The command of a Chromium, or None; also None when the studio's pages are not built."""
    if not (STATIC / "render.html").is_file():
        return None
    named = os.environ.get("REENACT_BROWSER", "")
    for command in (named,) if named else BROWSERS:
        found = shutil.which(command)
        if found:
            return found
    return None


def capture_pictures(
    clips: Sequence[Clip],
    request: RenderRequest,
    browser: str | None = None,
    people: Sequence[Character | None] = (),
) -> Iterator[Image.Image]:
    """Pictures of clips, drawn by the studio's viewer.

    Args:
        clips: laid over one another; they stand in for `request.clips`.
        request: what is to be drawn.
        browser: command of a Chromium; default: `find_browser`.
        people: who is shown in place of the bones of each clip.

    Raises:
        CaptureError: there is no browser, or it failed.
    """
    command = browser or find_browser()
    if command is None:
        raise CaptureError(
            "no Chromium was found (set REENACT_BROWSER to its command), or the studio's pages are not built"
        )
    with tempfile.TemporaryDirectory(prefix="reenact-render-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / "library"
        with Library.create(folder) as library:
            numbers = tuple(library.add(clip).id for clip in clips)
            for number, person in zip(numbers, people, strict=False):
                if person is not None:
                    keep_character(library, number, person)
        desk = RenderDesk()
        order = desk.open(replace(request, clips=numbers))
        with (
            _served(folder, desk) as url,
            _browsing(command, f"{url}&job={order.number}", Path(place) / "profile") as process,
        ):
            for data in order.pictures(WAIT_SECONDS, lambda: process.poll() is None):
                try:
                    picture = Image.open(io.BytesIO(data))
                    picture.load()
                except OSError as error:
                    raise CaptureError(f"the browser sent something that is no picture ({error})") from None
                yield picture.convert("RGB")


@contextlib.contextmanager
def _served(folder: Path, desk: RenderDesk) -> Iterator[str]:
    """A server of the library for the length of the block; gives the address of the drawing page."""
    ready = threading.Event()
    address = Address(port=0, token=make_token())
    server = StudioServer(folder, address, temporary=True, read_only=True, desk=desk, ready=lambda _: ready.set())
    thread = threading.Thread(target=server.run, name="render server", daemon=True)
    thread.start()
    try:
        if not ready.wait(30):
            raise CaptureError("the server of the pictures does not start")
        yield server.url.replace("/?", "/render.html?")
    finally:
        server.stop()
        thread.join(30)


@contextlib.contextmanager
def _browsing(command: str, url: str, profile: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A browser without a window on a page, for the length of the block."""
    flags = [*_FLAGS, f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append(
            "--no-sandbox"
        )  # Chromium refuses to run as the superuser otherwise; it loads nothing but our own page
    process = subprocess.Popen(
        [command, *flags, url], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
