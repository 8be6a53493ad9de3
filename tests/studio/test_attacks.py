"""A real server under attack: heads that never end, bodies that stall, uploads that are given up, full disks; and small answers."""

from __future__ import annotations

import asyncio
import errno
import gzip
import logging
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from reenact import save
from reenact.errors import LibraryError
from reenact.library import Library
from reenact.samples import make_sample
from reenact.studio import answers, patience
from reenact.studio.answers import StalledError, hide_folder, steady, without_paths
from reenact.studio.server import Address, StudioServer

PATIENCE = 30.0  # seconds that anything may take


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[[], StudioServer]]:
    """A server in a thread of this process, so that its limits can be set."""
    running: list[tuple[StudioServer, threading.Thread]] = []

    def start() -> StudioServer:
        ready = threading.Event()
        server = StudioServer(folder, Address(port=0, open=True), ready=lambda _: ready.set())
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        assert ready.wait(PATIENCE)
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def connected(server: StudioServer) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as there:
        yield there


def is_closed(there: socket.socket) -> bool:
    """Waits until the other side ends the connection."""
    try:
        while there.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def head(server: StudioServer, line: str = "GET /api/session HTTP/1.1", *more: str) -> bytes:
    return "\r\n".join([line, f"Host: 127.0.0.1:{server.port}", *more, "", ""]).encode()


@pytest.mark.parametrize("sent", [b"", b"G", b"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_head_that_never_ends_is_given_up(
    serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.5)
    with connected(serve()) as there:
        there.sendall(sent)
        assert is_closed(there)


def test_a_head_that_drips_is_given_up(serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.6)
    server = serve()
    with connected(server) as there:
        try:
            for _ in range(200):
                there.sendall(b"A")
                time.sleep(0.05)
        except ConnectionError:
            return
    pytest.fail("the connection was kept")


def test_the_second_head_of_a_connection_is_given_up_too(
    serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    with connected(server) as there:
        there.sendall(head(server))
        assert there.recv(65536).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(patience, "HEADER_SECONDS", 0.5)
        there.sendall(b"GET /api/se")
        assert is_closed(there)


def test_hundreds_of_half_sent_heads_do_not_hold_the_server(
    serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "HEADER_SECONDS", 1.0)
    server = serve()
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(530)]
    try:
        for there in held:
            there.sendall(b"GET /api/session HTTP/1.1\r\nHost: ")
        until = time.monotonic() + PATIENCE
        while True:  # all the while they are held: people are let in again
            with connected(server) as there:
                there.sendall(head(server, "GET /api/session HTTP/1.1", "Connection: close"))
                if there.recv(64).startswith(b"HTTP/1.1 200"):
                    break
            assert time.monotonic() < until
            time.sleep(0.1)
        assert all(is_closed(there) for there in held)
    finally:
        for there in held:
            there.close()


def test_whole_requests_are_not_hurried(serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.3)
    server = serve()
    with connected(server) as there:  # a body may take its time, as long as it comes
        body = b'{"name": "stroll"}'
        origin = f"Origin: http://127.0.0.1:{server.port}"
        there.sendall(head(server, "PATCH /api/clips/1 HTTP/1.1", origin, f"Content-Length: {len(body)}"))
        for byte in body:
            there.sendall(bytes([byte]))
            time.sleep(0.05)
        assert there.recv(64).startswith(b"HTTP/1.1 200")
    with connected(server) as there:  # and so may a socket of events
        there.sendall(
            head(
                server, "GET /api/events HTTP/1.1", origin, "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            )
        )  # fmt: skip
        assert there.recv(64).startswith(b"HTTP/1.1 101")
        there.settimeout(1.0)
        assert not is_closed(there)


def test_a_body_that_stalls_is_given_up(serve: Callable[[], StudioServer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "BODY_SECONDS", 0.4)
    server = serve()
    origin = f"Origin: http://127.0.0.1:{server.port}"
    for line in ("POST /api/upload?name=x.bvh HTTP/1.1", "PATCH /api/clips/1 HTTP/1.1"):
        with connected(server) as there:
            there.sendall(head(server, line, origin, "Content-Length: 1000") + b"HIERARCHY")
            answer = there.recv(65536)
            assert answer.startswith(b"HTTP/1.1 408")


def test_steady_bodies() -> None:
    async def parts(wait: float) -> Any:
        yield b"a"
        await asyncio.sleep(wait)
        yield b"b"

    async def read(wait: float) -> bytes:
        return b"".join([part async for part in steady(parts(wait), 0.5)])

    def run(wait: float) -> bytes:
        found: list[Any] = []

        def work() -> None:
            try:
                found.append(asyncio.run(read(wait)))
            except StalledError as error:
                found.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if isinstance(found[0], StalledError):
            raise found[0]
        return found[0]

    assert run(0.0) == b"ab"
    with pytest.raises(StalledError):
        run(5.0)


def test_an_upload_that_is_given_up_leaves_nothing(
    serve: Callable[[], StudioServer], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    origin = f"Origin: http://127.0.0.1:{server.port}"
    with caplog.at_level(logging.DEBUG):
        for line in ("POST /api/upload?name=x.bvh HTTP/1.1", "PATCH /api/clips/1 HTTP/1.1"):
            with connected(server) as there:
                there.sendall(head(server, line, origin, "Content-Length: 100000") + b"HIERARCHY\n" * 20)
                time.sleep(0.2)
        with connected(server) as there:  # what follows is served
            there.sendall(head(server, "GET /api/clips HTTP/1.1", "Connection: close"))
            assert b'"total":4' in b"".join(iter(lambda: there.recv(65536), b""))
        time.sleep(0.3)
    assert "Traceback" not in caplog.text
    assert "Traceback" not in capfd.readouterr().err


def test_a_full_disk_while_a_file_comes(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/secret/upload/x.bvh")

    monkeypatch.setattr("reenact.studio.clip_routes.receive_file", full)
    answer = client.post("/api/upload?name=x.bvh", content=b"x")
    assert answer.status_code == 507
    assert answer.json() == {"error": {"code": "enospc", "message": "the disk is full", "where": ""}}


def test_a_full_disk_while_a_file_is_kept(
    client: TestClient, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker's own disk is full: each write of an array fails as the system says it."""
    place = tmp_path / "plugins"
    place.mkdir()
    (place / "sitecustomize.py").write_text(
        "import numpy as np\n"
        "def full(*_, **__):\n"
        "    raise OSError(28, 'No space left on device', '/var/secret/rotations.npy')\n"
        "np.lib.format.write_array_header_1_0 = full\n"
    )
    monkeypatch.syspath_prepend(str(place))
    save(make_sample("walk_normal", 60.0).clip, tmp_path / "walk.bvh")
    answer = client.post("/api/upload?name=walk.bvh", content=(tmp_path / "walk.bvh").read_bytes())
    assert answer.status_code == 507, answer.text
    assert answer.json()["error"]["message"] == "the disk is full"
    assert client.get("/api/clips").json()["total"] == 4
    with Library(folder) as library:
        assert not library.verify().problems


def test_a_full_disk_below_the_index(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorname = "SQLITE_FULL"  # as SQLite's own errors have it
        raise error

    monkeypatch.setattr("reenact.library.labels.rename_clip", full)
    answer = client.patch("/api/clips/1", json={"name": "stroll"})
    assert answer.status_code == 507, answer.text
    assert client.get("/api/clips/1").json()["summary"]["name"] == "walk one"


PATHS = ["/home/me/takes/walk.bvh", "C:\\Users\\me\\takes\\walk.bvh", "/srv/a/b/c/walk.bvh", "/walk/../etc/walk.bvh"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("form", ["{}", "{}:3: bad", "cannot read '{}' (gone)", "from {} to here", "({}), {}", '"{}"'])
def test_messages_name_no_folder(path: str, form: str) -> None:
    told = without_paths(form.format(path, path))
    assert told == form.format("walk.bvh", "walk.bvh")


@pytest.mark.parametrize(
    "text", ["1.2 m/s", "walk and/or run", "type:walk", "see http://127.0.0.1:8123/api/clips", "1/2 of 3/4", "a / b"]
)
def test_what_is_no_path_stays(text: str) -> None:
    assert without_paths(text) == text


def test_folders_with_spaces_are_known(tmp_path: Path) -> None:
    folder = tmp_path / "my takes of may" / "lib"
    hide_folder(folder)
    assert without_paths(f"{folder}/library.sqlite is damaged") == "library.sqlite is damaged"
    assert without_paths(f"{folder.parent}/other file.bvh: bad") == "other file.bvh: bad"


def test_errors_of_the_library_name_no_folder(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise LibraryError(f"cannot read {folder / 'clips' / 'ab' / 'root.npy'}", where=str(folder))

    monkeypatch.setattr("reenact.studio.clip_routes.detail_of", broken)
    answer = client.get("/api/clips/1")
    assert answer.status_code == 409
    assert str(folder.parent) not in answer.text
    assert "root.npy" in answer.json()["error"]["message"]


def test_answers_are_compressed_for_who_takes_it(client: TestClient) -> None:
    plain = client.get("/api/operations", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    packed = client.get("/api/operations", headers={"accept-encoding": "br, gzip;q=0.8"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < 0.35 * len(plain.content)
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert packed.json() == plain.json()
    assert packed.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "GZIP ; q=0.000", "x-gzip"])
def test_who_takes_no_gzip_gets_none(client: TestClient, accepted: str) -> None:
    answer = client.get("/api/operations", headers={"accept-encoding": accepted})
    assert "content-encoding" not in answer.headers


def test_small_answers_errors_and_files_go_as_they_are(client: TestClient) -> None:
    for path in ("/api/history", "/api/clips/99", "/api/clips/1/export?format=bvh", "/api/clips/1/thumbnail"):
        assert "content-encoding" not in client.get(path, headers={"accept-encoding": "gzip"}).headers, path


def test_motion_is_compressed_for_other_machines(client: TestClient) -> None:
    plain = client.get("/api/clips/2/motion", headers={"accept-encoding": "identity"})
    packed = client.get(
        "/api/clips/2/motion", headers={"accept-encoding": "gzip"}
    )  # its client has no address: far away
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert packed.headers["etag"] == "W/" + plain.headers["etag"]
    again = client.get(
        "/api/clips/2/motion", headers={"accept-encoding": "gzip", "if-none-match": packed.headers["etag"]}
    )
    assert again.status_code == 304


def test_pages_of_a_real_server_are_compressed(serve: Callable[[], StudioServer]) -> None:
    server = serve()
    for _ in range(2):
        with httpx2.Client(trust_env=False) as browser:
            with browser.stream("GET", f"{server.url}api/session", headers={"accept-encoding": "gzip"}) as answer:
                data = b"".join(answer.iter_raw())
            assert answer.headers["content-encoding"] == "gzip"
            assert b'"operations"' in gzip.decompress(data)
            with browser.stream(
                "GET", f"{server.url}api/clips/1/motion", headers={"accept-encoding": "gzip"}
            ) as answer:
                list(answer.iter_raw())
            assert "content-encoding" not in answer.headers, "on this machine motion comes sooner as it is"
