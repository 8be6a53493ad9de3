"""The studio as a program: the verb, the socket, stopping."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from reenact import save
from reenact.cli.main import main
from reenact.errors import ParameterError
from reenact.library import Library
from reenact.samples import make_sample
from reenact.studio.security import access_for
from reenact.studio.server import DEFAULT_PORT, Address, StudioServer

CODE = "from reenact.cli.main import run; run()"


@contextmanager
def program(*arguments: str, as_json: bool = True) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`reenact studio` with these arguments, and the first line it prints."""
    command = [sys.executable, "-c", CODE, "studio", "--no-browser", *arguments, *(["--json"] if as_json else [])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def stop(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    return process.returncode, out, error


def at(url: str, path: str) -> str:
    """An address of a studio, with its token."""
    base, _, query = url.partition("?")
    return f"{base}{path}?{query}"


def get(url: str) -> Any:
    return httpx2.get(url, trust_env=False).json()


def test_library(folder: Path) -> None:
    with program(str(folder), "--port", "0") as (process, line):
        told = json.loads(line)
        assert told["library"] == str(folder)
        assert get(at(told["url"], "api/clips"))["total"] == 4
        assert get(at(told["url"], "api/session"))["temporary"] is False
        assert httpx2.get(at(told["url"], "api/clips/1/thumbnail"), trust_env=False).status_code == 200
        code, out, error = stop(process)
    assert (code, out, error) == (0, "", "")
    with Library(folder) as library:
        assert len(library) == 4


def test_demo_folder(folder: Path) -> None:
    folder.rename(folder.with_name("library"))
    with program(str(folder.parent), "--port", "0") as (process, line):
        assert json.loads(line)["library"] == str(folder.with_name("library"))
        assert stop(process)[0] == 0


def test_files_in_a_library_that_goes(tmp_path: Path) -> None:
    clip = make_sample("walk_normal").clip
    (tmp_path / "more").mkdir()
    save(clip, tmp_path / "walk.bvh")
    save(make_sample("run").clip, tmp_path / "more" / "run.bvh")
    with program(str(tmp_path / "walk.bvh"), str(tmp_path / "more"), "--port", "0") as (process, line):
        told = json.loads(line)
        session = get(at(told["url"], "api/session"))
        assert session["temporary"]
        assert session["title"] == "walk.bvh and 1 more"
        names = [one["name"] for one in get(at(told["url"], "api/clips"))["clips"]]
        assert sorted(names) == ["run", "walk"]
        assert Path(told["library"]).is_dir()
        assert stop(process)[0] == 0
    assert not Path(told["library"]).exists()


def test_nothing_given_opens_an_empty_library() -> None:
    with program("--port", "0") as (process, line):
        assert get(at(json.loads(line)["url"], "api/clips"))["total"] == 0
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert not Path(json.loads(line)["library"]).exists()


def test_line_for_people(folder: Path) -> None:
    with program(str(folder), "--port", "0", as_json=False) as (process, line):
        assert line.startswith("studio of lib: http://127.0.0.1:")
        assert process.stdout is not None
        assert "Ctrl-C" in process.stdout.readline()
        assert stop(process)[0] == 0


def test_taken_port(folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ParameterError, match="is in use"):
            StudioServer(folder, Address(port=port))


def test_default_port_gives_way(folder: Path) -> None:
    holder = socket.socket()
    with holder:
        try:
            holder.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            pass  # somebody else holds it: as good
        else:
            holder.listen()
        server = StudioServer(folder, Address())
        assert server.port != DEFAULT_PORT
        assert server.taken == DEFAULT_PORT
        assert server.url.startswith(f"http://127.0.0.1:{server.port}/?token=")
        server.close()


def test_other_machines_need_a_token(folder: Path) -> None:
    with program(str(folder), "--host", "0.0.0.0", "--port", "0") as (process, line):
        url, _, token = json.loads(line)["url"].partition("?token=")
        assert len(token) >= 24
        port = int(url.rstrip("/").rpartition(":")[2])
        here = f"http://127.0.0.1:{port}/api/session"
        assert httpx2.get(here, trust_env=False).status_code == 401
        assert httpx2.get(f"{here}?token={token}", trust_env=False).status_code == 200
        hostile = httpx2.get(f"{here}?token={token}", headers={"host": f"evil.example:{port}"}, trust_env=False)
        assert hostile.status_code == 421
        assert stop(process)[0] == 0


def test_this_machine_needs_the_token_too(folder: Path) -> None:
    """Any program of any person on this machine can reach a port; who has the printed address is let in."""
    with program(str(folder), "--port", "0") as (process, line):
        url, _, token = json.loads(line)["url"].partition("?token=")
        assert len(token) >= 24
        for path in ("", "index.html", "api/session", "api/clips/1/export?format=bvh", "assets/x.js"):
            assert httpx2.get(url + path, trust_env=False).status_code == 401, path
        assert httpx2.get(f"{url}api/session?token={token[:-1]}x", trust_env=False).status_code == 401
        assert httpx2.get(f"{url}api/session?token=", trust_env=False).status_code == 401
        page = httpx2.get(url, headers={"accept": "text/html"}, trust_env=False)
        assert page.headers["content-type"].startswith("text/plain")
        assert "?token=" in page.text
        with httpx2.Client(trust_env=False, follow_redirects=True) as browser:
            assert browser.get(f"{url}?token={token}").status_code in (200, 503)  # 503: pages that are not built
            assert browser.get(f"{url}api/session").status_code == 200, "the cookie is enough"
        assert stop(process)[0] == 0


def test_without_a_token_when_asked(folder: Path) -> None:
    with program(str(folder), "--port", "0", "--no-token") as (process, line):
        url = json.loads(line)["url"]
        assert "token" not in url
        assert httpx2.get(f"{url}api/session", trust_env=False).status_code == 200
        assert stop(process)[0] == 0


def test_given_token(folder: Path) -> None:
    server = StudioServer(folder, Address(port=0, token="a-token-of-my-own"))
    assert server.url.endswith("?token=a-token-of-my-own")
    server.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing-there"], "no such file"),
        (["--port", "70000"], "0 to 65535"),
        (["--token", "short"], "16 or more"),
        (["--no-token", "--token", "a-token-of-my-own"], "not both"),
        (["--no-token", "--host", "0.0.0.0"], "this machine alone"),
        (["--host", "no.such.host.invalid"], "no such host"),
        (["--host", "192.0.2.1", "--port", "0"], "cannot be used"),
    ],
)
def test_bad_arguments(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert words in told
    assert told.count("\n") == 1


def test_bad_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.bvh").write_text("nonsense")
    assert main(["studio", "--no-browser", "--json", str(tmp_path / "bad.bvh")]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "format"


def test_library_among_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", str(folder), str(folder)]) == 2
    assert "one library" in capsys.readouterr().err


def test_damaged_library(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in os.listdir(folder):
        if name.startswith("library.sqlite-"):
            (folder / name).unlink()
    (folder / "library.sqlite").write_bytes(b"not a database at all, not at all" * 100)
    assert main(["studio", "--no-browser", str(folder)]) == 2
    assert "damaged" in capsys.readouterr().err


def test_socket_by_a_real_server(folder: Path) -> None:
    """The WebSocket by its own protocol: the handshake, one event, and the close when the server stops."""
    with program(str(folder), "--port", "0", "--no-token") as (process, line):
        port = int(json.loads(line)["url"].rstrip("/").rpartition(":")[2])
        for origin, status in ((f"http://127.0.0.1:{port}", b"101"), ("http://evil.example", b"403")):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as page:
                page.sendall(
                    f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    "Sec-WebSocket-Version: 13\r\n\r\n".encode()
                )
                data = page.recv(4096)
                assert data.split()[1] == status
                if status == b"101":
                    while b"revision" not in data:
                        data += page.recv(4096)
                    assert b'{"kind":"library","revision":0}' in data
        assert stop(process)[0] == 0


def test_access_of_an_address() -> None:
    assert access_for("studio.example", 9000, "x" * 16).knows_host("studio.example:9000")
