"""The studio in a real browser: one browser and few servers per session, a fresh profile and a watched page per test."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from reenact.library import Library
from reenact.operations.sample_library import add_samples
from reenact.studio.capture import BROWSERS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = ("walk_normal", "run", "walk_circle_tight_left", "jump_forward", "wave_standing")
PATIENCE = 30.0  # seconds that anything on the page may take; machines are slow and busy

FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
)


def load_builder() -> ModuleType:
    """tools/build_studio.py as a module."""
    spec = importlib.util.spec_from_file_location("build_studio", REPOSITORY / "tools" / "build_studio.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need(what: str) -> None:
    """Something these tests cannot do without is missing: fails where everything must run, skips elsewhere."""
    if os.environ.get("REENACT_REQUIRE_DATA") == "1":
        pytest.fail(f"{what} (REENACT_REQUIRE_DATA=1: nothing may be left out)")
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser_command() -> str:
    """The command of a Chromium."""
    named = os.environ.get("REENACT_BROWSER", "")
    for command in (named,) if named else BROWSERS:
        if found := shutil.which(command):
            return found
    need("no Chromium for the tests of the studio: `make browser`, or set REENACT_BROWSER to its command")
    raise AssertionError


@pytest.fixture(scope="session")
def pages() -> None:
    """The studio's pages, up to date."""
    builder = load_builder()
    try:
        builder.build()
    except builder.BuildError as error:
        need(f"the studio's pages are not built: {error}")


@pytest.fixture(scope="session")
def browser(browser_command: str, pages: None) -> Iterator[Browser]:
    """A browser without a window, shared by all tests of this process."""
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        need("Playwright is not installed: pip install 'reenact[dev]'")
        raise AssertionError from None
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_command, args=list(FLAGS))
        yield opened
        opened.close()


class Served:
    """A studio started by its command, as a person does."""

    def __init__(self, folder: Path, port: int = 0, *more: str) -> None:
        self.folder = folder
        command = [sys.executable, "-c", "from reenact.cli.main import run; run()", "studio", str(folder)]
        flags = ["--no-browser", "--json", "--port", str(port), *more]
        self.process = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the studio does not start"
        self.url: str = json.loads(line)["url"]
        self.port = urlsplit(self.url).port

    def stop(self) -> None:
        """End it; what it kept open is let go."""
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of a few samples with their foot plants; not to be changed."""
    folder = tmp_path_factory.mktemp("samples") / "performances"
    with Library.create(folder) as library:
        add_samples(library, names=SAMPLES)
    return folder


@pytest.fixture(scope="session")
def server(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory, pages: None) -> Iterator[Served]:
    """A studio on a copy of the samples; whoever changes it puts it right again."""
    folder = tmp_path_factory.mktemp("served") / "performances"
    shutil.copytree(sample_folder, folder)
    served = Served(folder)
    yield served
    served.stop()


class Watch:
    """What must not happen on a page: errors on its console or thrown, requests to anywhere else, breaches of the policy."""

    def __init__(self, url: str) -> None:
        self.origin = url.partition("/?")[0].rstrip("/")
        self.problems: list[str] = []
        self.allowed: list[str] = []

    def allow(self, pattern: str) -> None:
        """Errors on the console that belong to what is tested, such as a refused request."""
        self.allowed.append(pattern)

    def allow_gone(self) -> None:
        """What a page asks about a clip in the moment in which it is taken away."""
        self.allow(r"(404|409).*/clips/\d+(/(thumbnail|tracks|motion|character)|\b)")

    def attach(self, context: BrowserContext) -> None:
        """Listen to every page of a context."""
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`))"
        )
        context.on("console", self._console)
        context.on("weberror", lambda error: self.problems.append(f"thrown: {error.error}"))
        context.on("request", self._request)
        context.on("page", lambda page: page.on("websocket", lambda socket: self._address(socket.url)))

    def _console(self, message: ConsoleMessage) -> None:
        text = f"{message.text} {message.location.get('url', '')}"
        if message.type == "error" and not any(re.search(pattern, text) for pattern in self.allowed):
            self.problems.append(f"console: {text}")

    def _request(self, request: Request) -> None:
        self._address(request.url)

    def _address(self, url: str) -> None:
        own = (self.origin, self.origin.replace("http:", "ws:"), "blob:", "data:")
        if not url.startswith(own):
            self.problems.append(f"request to elsewhere: {url}")


class StudioPage:
    """One tab of the studio with the verbs of these tests."""

    def __init__(self, page: Page, url: str, watch: Watch) -> None:
        self.page, self.url, self.watch = page, url, watch

    def open(self, query: str = "") -> StudioPage:
        """Load the page and wait for the list."""
        token = urlsplit(self.url).query
        self.page.goto(self.url + (f"&{query[1:]}" if token and query else query))
        self.page.locator(".library .count", has_text=re.compile("clip")).wait_for()
        return self

    def until(self, expression: str, what: str = "") -> Any:
        """The value of an expression once it is true; polled from outside, as the page's policy forbids evaluating inside."""
        end = time.monotonic() + PATIENCE
        while True:
            value = self.page.evaluate(expression)
            if value:
                return value
            assert time.monotonic() < end, f"never true: {what or expression}"
            self.page.wait_for_timeout(30)

    def frame(self) -> int:
        """The frame that is shown."""
        return self.page.evaluate("reenactStudio.frame()")

    def playing(self) -> bool:
        """Whether it plays."""
        return self.page.evaluate("reenactStudio.playing()")

    def joint(self) -> int:
        """The selected joint, -1 for none."""
        return self.page.evaluate("reenactStudio.selectedJoint()")

    def place(self, joint: int, clip: int | None = None) -> dict[str, list[float]]:
        """Where a joint is: "world" in metres, "page" in pixels."""
        return self.page.evaluate(
            "([joint, clip]) => reenactStudio.jointPlace(joint, clip ?? undefined)", [joint, clip]
        )

    def row(self, name: str) -> Locator:
        """A clip's row in the list."""
        exactly = re.compile(f"^{re.escape(name)}$")
        return self.page.locator(".row[data-id]", has=self.page.locator(".row-name", has_text=exactly))

    def choose(self, name: str, *modifiers: Any) -> int:
        """Click a clip in the list and wait until it is shown; gives its number."""
        row = self.row(name)
        number = int(row.get_attribute("data-id") or "-1")
        row.click(modifiers=list(modifiers))
        self.until(f"reenactStudio.jointPlace(0, {number}) !== null", f"{name} is shown")
        self.drawn()
        return number

    def drawn(self) -> None:
        """Two turns of the page's loop: what was changed is on the screen."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )

    def tab(self, name: str) -> Locator:
        """Bring a tab of the side pane to the front; gives its panel."""
        self.page.get_by_role("tab", name=name).click()
        return self.page.get_by_role("tabpanel", name=name)

    def open_names(self) -> list[str]:
        """Names of the clips on the stage."""
        return self.page.locator(".cast .member-name").all_inner_texts()

    def picture(self) -> bytes:
        """The 3-D view as PNG."""
        self.drawn()
        return self.page.locator("canvas.view").screenshot()

    def press(self, *keys: str) -> None:
        """Keys on whatever has the focus."""
        for key in keys:
            self.page.keyboard.press(key)


Opener = Callable[..., StudioPage]


@pytest.fixture
def open_page(
    browser: Browser, start_server: Callable[..., Served]
) -> Iterator[Opener]:  # pages close before servers do
    """Opens watched pages, each in a fresh profile (or in that of another page); at the end nothing bad may have happened."""
    contexts: list[BrowserContext] = []
    watches: list[Watch] = []

    def opened(
        url: str, query: str = "", *, beside: StudioPage | None = None, load: bool = True, **more: Any
    ) -> StudioPage:
        if beside is not None:
            tab = StudioPage(beside.page.context.new_page(), url, beside.watch)
        else:
            settings = {"viewport": {"width": 1120, "height": 720}, "accept_downloads": True, **more}
            context = browser.new_context(**settings)
            context.set_default_timeout(1000 * PATIENCE)
            contexts.append(context)
            watches.append(Watch(url))
            watches[-1].attach(context)
            tab = StudioPage(context.new_page(), url, watches[-1])
        return tab.open(query) if load else tab

    yield opened
    for context in contexts:
        context.close()
    problems = [problem for watch in watches for problem in watch.problems]
    assert not problems, "\n".join(problems)


@pytest.fixture
def studio(open_page: Opener, server: Served) -> StudioPage:
    """A page on the shared studio."""
    return open_page(server.url)


@pytest.fixture
def start_server(pages: None) -> Iterator[Callable[..., Served]]:
    """Starts studios that end with the test."""
    started: list[Served] = []

    def start(*given: Any) -> Served:
        started.append(Served(*given))
        return started[-1]

    yield start
    for served in started:
        if served.process.poll() is None:
            served.stop()


@pytest.fixture(scope="session")
def builder() -> ModuleType:
    """tools/build_studio.py."""
    return load_builder()
