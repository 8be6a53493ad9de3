"""`reenact studio`: a library, or some files, in the browser."""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from reenact.cli.output import Json, print_findings, print_json
from reenact.errors import LibraryError

if TYPE_CHECKING:
    from reenact.studio.server import StudioServer


def studio(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[LIBRARY | FILE...]",
            help="A library folder; or motion files and folders of them, in a library that goes when the studio does. "
            "Nothing: an empty one, to drop files on.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(help="Port; default 8123 or the next that is free; 0: any.", show_default=False)
    ] = None,
    token: Annotated[
        str,
        typer.Option(help="Token to ask for, 16 or more letters; default: a random one, part of the printed address."),
    ] = "",
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Ask for no token: every program and person on this machine is let in.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Refuse every change of the library.")] = False,
    json: Json = False,
) -> None:
    """Open a library or files in the browser; runs until interrupted. With --json prints {"url", "library"} when ready."""
    from reenact.cli.warm_up import warm_up_beside
    from reenact.studio.server import Address, StudioServer

    address = Address(host, port, token, no_token)
    with _library(paths or []) as (folder, title, temporary):

        def ready(server: StudioServer) -> None:
            if json:
                print_json({"url": server.url, "library": str(folder)})
                sys.stdout.flush()
            else:
                if server.taken is not None:
                    print(f"port {server.taken} is in use, taking {server.port}", file=sys.stderr)
                print(f"studio of {title}: {server.url}\nstop it with Ctrl-C", flush=True)
            warming.append(warm_up_beside())
            if browser:
                import webbrowser

                webbrowser.open(server.url)

        server = StudioServer(folder, address, title=title, temporary=temporary, read_only=read_only, ready=ready)
        warming: list[Popen[bytes] | None] = []
        with contextlib.suppress(KeyboardInterrupt), _interrupted_by_termination():
            try:
                server.run()
            finally:
                for process in filter(None, warming):
                    process.terminate()
                    process.wait()


@contextlib.contextmanager
def _interrupted_by_termination() -> Iterator[None]:
    """Being told to end is as good as Ctrl-C: what is temporary is cleared away."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _library(paths: list[Path]) -> Iterator[tuple[Path, str, bool]]:
    """(folder, title, whether it is temporary) of the library to show."""
    from reenact.library.store import INDEX_NAME

    if len(paths) == 1:
        for folder in (paths[0], paths[0] / "library"):
            if (folder / INDEX_NAME).is_file():
                yield folder.absolute(), folder.absolute().name, False
                return
    for path in paths:
        if (path / INDEX_NAME).is_file():
            raise LibraryError("give one library, or files; not a library among others", where=str(path))
        if not path.exists():
            raise FileNotFoundError(2, "no such file or folder", str(path))
    with tempfile.TemporaryDirectory(prefix="reenact-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / "library"
        _fill(folder, paths)
        yield folder, _title(paths), True


def _fill(folder: Path, paths: list[Path]) -> None:
    from reenact.cli.library_output import print_failures
    from reenact.library.import_folder import ImportOptions
    from reenact.library.store import Library
    from reenact.studio.uploads import add_file

    with Library.create(folder) as library:
        for path in paths:
            if path.is_dir():
                print_failures(library.import_folder([path], ImportOptions()).unreadable)
            else:
                outcome = add_file(library, path)
                print_findings(finding for finding in outcome.findings if finding.severity != "info")


def _title(paths: list[Path]) -> str:
    if not paths:
        return "a new library"
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
