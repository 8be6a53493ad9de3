"""Who is let in: Host, Origin, token; what every answer carries; what cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from reenact.errors import ParameterError
from reenact.studio.security import HEADERS, Access, access_for, check_token, is_loopback, make_token

TOKEN = "correct-horse-battery"

HOSTILE_HOSTS = (
    "evil.example",
    "evil.example:8123",
    "127.0.0.1",
    "127.0.0.1:80",
    "127.0.0.1:8124",
    "127.0.0.1.evil.example:8123",
    "localhost.evil.example:8123",
    "localhost@evil.example:8123",
    "",
    "[::1]:8123.evil.example",
    "0.0.0.0:8123",
    "192.168.1.5:8123",
)
HOSTILE_ORIGINS = (
    "http://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:8124",
    "http://127.0.0.1:8123.evil.example",
    "http://127.0.0.1:8123/",
    "file://127.0.0.1:8123",
    "http://localhost:8123",  # another of our own names, but not the one that was asked
)
CHANGES = (
    ("PATCH", "/api/clips/1"),
    ("DELETE", "/api/clips/1"),
    ("POST", "/api/upload?name=x.bvh"),
    ("POST", "/api/operations/cut"),
    ("POST", "/api/operations/cut/command"),
    ("POST", "/api/jobs/0/cancel"),
)


@pytest.mark.parametrize("host", HOSTILE_HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/session", "/api/clips/1/motion"])
def test_strange_host_is_refused(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"]["code"] == "host"


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123"])
def test_own_names(client: TestClient, host: str) -> None:
    assert client.get("/api/session", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(("method", "path"), CHANGES)
@pytest.mark.parametrize("origin", HOSTILE_ORIGINS)
def test_changes_from_other_pages_are_refused(client: TestClient, method: str, path: str, origin: str) -> None:
    answer = client.request(method, path, headers={"origin": origin}, content=b"{}")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "origin"
    assert client.get("/api/clips/1").status_code == 200


@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 422), ("", 403)])
def test_without_origin_the_browser_says_where_from(client: TestClient, site: str, status: int) -> None:
    del client.headers["origin"]
    answer = client.patch("/api/clips/1", headers={"sec-fetch-site": site}, content=b"x")
    assert answer.status_code == status


def test_a_program_without_origin_may_change(client: TestClient) -> None:
    del client.headers["origin"]
    assert client.patch("/api/clips/1", json={"description": "x"}).status_code == 200


@pytest.mark.parametrize("origin", [*HOSTILE_ORIGINS, None])
def test_socket_of_other_pages_is_refused(client: TestClient, origin: str | None) -> None:
    del client.headers["origin"]
    headers = {} if origin is None else {"origin": origin}
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client.websocket_connect("ws://127.0.0.1:8123/api/events", headers=headers),
    ):
        pass
    assert refused.value.code == 1008


def test_socket_of_a_strange_host_is_refused(client: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://evil.example/api/events", headers={"origin": "http://evil.example"}),
    ):
        pass


@pytest.mark.parametrize("path", ["/", "/api/session", "/api/clips/1/motion", "/api/nothing", "/api/clips/99"])
def test_every_answer_is_protected(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "cache-control" in answer.headers
    assert "access-control-allow-origin" not in answer.headers
    assert "server" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy


def test_even_a_fault_is_protected(folder: Path, open_studio: Callable[..., Any], monkeypatch: Any) -> None:
    from reenact.studio import app

    def fail() -> None:
        raise ZeroDivisionError("secret of the house")

    monkeypatch.setattr(app, "describe_formats", fail)
    with open_studio(folder) as client:
        quiet = TestClient(client.app, base_url=str(client.base_url), raise_server_exceptions=False)
        quiet.__enter__()
        try:
            answer = quiet.get("/api/session")
        finally:
            quiet.__exit__(None, None, None)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_other_methods(client: TestClient, method: str) -> None:
    assert client.request(method, "/api/clips/1").status_code == 405


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/session"), ("DELETE", "/api/clips"), ("GET", "/api/upload"), ("PATCH", "/api/jobs")],
)
def test_methods_of_an_address(client: TestClient, method: str, path: str) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "method"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Built pages, and a secret beside them."""
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>studio</title>")
    (static / "render.html").write_text("<!doctype html><title>render</title>")
    (static / "assets" / "index-abc.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret of the house")
    (static / "link.txt").symlink_to(tmp_path / "secret.txt")
    return static


def test_pages(folder: Path, pages: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder, static=pages) as client:
        home = client.get("/?clip=1&clip=2")
        assert "studio" in home.text
        assert home.headers["cache-control"] == "no-cache"
        assert "render" in client.get("/render.html").text
        script = client.get("/assets/index-abc.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        missing = client.get("/assets/gone.js")
        assert missing.status_code == 404
        assert "immutable" not in missing.headers["cache-control"]
        assert missing.json()["error"]["code"] == "not-found"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/..\\secret.txt",
        "/..%5csecret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/link.txt",
        "/.%00./secret.txt",
        "/assets",
        "/assets/",
        "/" + "a" * 5000,
    ],
)
def test_pages_cannot_be_left(folder: Path, pages: Path, open_studio: Callable[..., Any], path: str) -> None:
    with open_studio(folder, static=pages) as client:
        answer = client.get(f"http://127.0.0.1:8123{path}", follow_redirects=False)
        assert answer.status_code in (307, 400, 404)
        assert "secret" not in answer.text
        assert "root:" not in answer.text
        if answer.status_code == 307:
            assert answer.headers["location"].startswith("http://127.0.0.1:8123/")


def test_pages_that_are_not_built(folder: Path, tmp_path: Path, open_studio: Callable[..., Any]) -> None:
    with open_studio(folder, static=tmp_path / "nothing") as client:
        assert client.get("/").status_code == 503
        assert "build_studio" in client.get("/").text
        assert client.get("/api/session").status_code == 200


@pytest.fixture
def guarded(folder: Path, pages: Path, open_studio: Callable[..., Any]) -> Any:
    """A studio that asks for a token."""
    return open_studio(folder, access=access_for("127.0.0.1", 8123, TOKEN), static=pages)


def test_token_is_needed_for_everything(guarded: Any) -> None:
    with guarded as client:
        for path in ("/", "/api/session", "/assets/index-abc.js", "/api/clips/1/motion"):
            for attempt in ("", "?token=", "?token=wrong", f"?token={TOKEN}x", f"?Token={TOKEN}"):
                answer = client.get(path + attempt)
                assert answer.status_code == 401
                assert "set-cookie" not in answer.headers
        client.cookies.set("reenact-token-8123", "wrong")
        assert client.get("/api/session").status_code == 401
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://127.0.0.1:8123/api/events"):
            pass


def test_token_becomes_a_cookie(guarded: Any) -> None:
    with guarded as client:
        answer = client.get(f"/?clip=1&token={TOKEN}&clip=2", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/?clip=1&clip=2"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert "studio" in client.get("/").text
        session = client.get("/api/session")
        assert session.json()["token_required"]
        assert "set-cookie" not in session.headers
        with client.websocket_connect("ws://127.0.0.1:8123/api/events") as socket:
            assert socket.receive_json() == {"kind": "library", "revision": 0}


def test_token_does_not_replace_the_other_checks(guarded: Any) -> None:
    with guarded as client:
        assert client.get(f"/api/session?token={TOKEN}", headers={"host": "evil.example"}).status_code == 421
        answer = client.delete(f"/api/clips/1?token={TOKEN}", headers={"origin": "http://evil.example"})
        assert answer.status_code == 403


def test_redirect_stays_here(guarded: Any) -> None:
    with guarded as client:
        answer = client.get(f"http://127.0.0.1:8123//evil.example/?token={TOKEN}", follow_redirects=False)
        assert answer.headers["location"].startswith("/evil.example")


def test_addresses_of_all_interfaces() -> None:
    access = access_for("0.0.0.0", 8123, TOKEN)
    assert access.knows_host("192.168.1.5:8123")
    assert access.knows_host("[fe80::1]:8123")
    assert not access.knows_host("192.168.1.5:80")
    assert not access.knows_host("evil.example:8123")
    assert access_for("192.168.1.5", 8123).knows_host("192.168.1.5:8123")
    assert not access_for("192.168.1.5", 8123).knows_host("192.168.1.6:8123")
    assert access_for("::1", 80).knows_host("[::1]")


@given(st.text())
def test_no_text_breaks_the_checks(text: str) -> None:
    access = Access(frozenset({"localhost:1"}), 1, True, TOKEN)
    assert isinstance(access.knows_host(text), bool)
    assert access.knows_token(text) == (text == TOKEN)
    assert access.knows_origin(text, "localhost:1") == (
        text.casefold() in ("http://localhost:1", "https://localhost:1")
    )


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.0.0.53", "::1", "localhost", "LocalHost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org", "localhost.example.org", "")))


def test_tokens() -> None:
    assert check_token(make_token())
    for bad in ("", "short", "x" * 15, "with space here ok", "quote'quote'quote'", "ümlaut-ümlaut-ümlaut"):
        with pytest.raises(ParameterError):
            check_token(bad)
