"""Pictures by the viewer in a browser: the orders, and the real thing where there is a Chromium."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from reenact.errors import ParameterError
from reenact.samples import make_sample
from reenact.studio import capture
from reenact.studio.capture import capture_pictures, find_browser
from reenact.studio.messages import RenderRequest
from reenact.studio.render_desk import CaptureError, RenderDesk

REQUEST = RenderRequest((1,), (0.0, 0.5, 1.0), 320, 240, "side", "light", "animation", 0, True)


def picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(stream, "PNG")
    return stream.getvalue()


def test_order_over_the_server(folder: Path, open_studio: Callable[..., Any]) -> None:
    desk = RenderDesk()
    order = desk.open(REQUEST)
    with open_studio(folder, desk=desk) as client:
        base = f"/api/render/{order.number}"
        asked = client.get(base).json()
        assert asked["times"] == [0.0, 0.5, 1.0]
        assert (asked["width"], asked["mode"], asked["view"]) == (320, "animation", "side")
        assert client.get("/api/render/nothing").status_code == 404
        assert client.post("/api/render/nothing/done").status_code == 404
        assert client.post(f"{base}/frame?index=1", content=b"x").status_code == 422  # 0 comes first
        assert client.post(f"{base}/frame?index=3", content=b"x").status_code == 422
        assert client.post(f"{base}/frame?index=0", content=b"x" * 400_000).status_code == 413
        assert client.post(f"{base}/frame?index=0", content=b"x", headers={"origin": "http://evil"}).status_code == 403
        for index in range(3):
            status = client.post(f"{base}/frame?index={index}", content=bytes([index]) * 10).json()
            assert status == {"received": index + 1, "total": 3}
        assert client.post(f"{base}/done").status_code == 200
    assert list(order.pictures(1)) == [bytes([index]) * 10 for index in range(3)]


def test_page_that_fails() -> None:
    order = RenderDesk().open(REQUEST)
    order.put(0, b"x")
    order.finish("no WebGL here")
    pictures = order.pictures(1)
    assert next(pictures) == b"x"
    with pytest.raises(CaptureError, match="no WebGL here"):
        next(pictures)


def test_page_that_ends_early() -> None:
    order = RenderDesk().open(REQUEST)
    order.put(0, b"x")
    order.finish()
    with pytest.raises(CaptureError, match="after 1 of 3"):
        list(order.pictures(1))


def test_page_that_says_nothing() -> None:
    order = RenderDesk().open(REQUEST)
    with pytest.raises(CaptureError, match="sent nothing"):
        next(order.pictures(0.1))
    with pytest.raises(CaptureError, match="ended before"):
        next(order.pictures(60, alive=lambda: False))


def test_pictures_nobody_takes() -> None:
    order = RenderDesk().open(RenderRequest((1,), tuple(range(100)), 320, 240, "side", "light", "animation", 0, True))
    for index in range(4):
        order.put(index, b"x")
    with pytest.raises(CaptureError, match="nobody"):
        order.put(4, b"x", wait_seconds=0.05)
    with pytest.raises(ParameterError):
        order.put(7, b"x")
    taken: list[bytes] = []
    reader = threading.Thread(target=lambda: taken.extend(order.pictures(10)))
    reader.start()
    for index in range(4, 100):
        order.put(index, b"y")
    order.finish()
    reader.join(10)
    assert len(taken) == 100


def test_browser_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(capture, "STATIC", tmp_path)
    assert find_browser() is None  # no pages
    (tmp_path / "render.html").write_text("x")
    monkeypatch.setenv("REENACT_BROWSER", "none")
    assert find_browser() is None
    with pytest.raises(CaptureError, match="REENACT_BROWSER"):
        next(iter(capture_pictures([make_sample("stand").clip], REQUEST)))
    monkeypatch.setenv("REENACT_BROWSER", sys.executable)
    assert find_browser() == sys.executable


def test_program_that_is_no_browser() -> None:
    with pytest.raises(CaptureError, match="ended before"):
        list(capture_pictures([make_sample("stand").clip], REQUEST, browser=sys.executable))


def need_browser() -> None:
    """Skip without a browser; fail where everything must be there."""
    if find_browser() is not None:
        return
    words = "there is no Chromium here, or the studio's pages are not built"
    if os.environ.get("REENACT_REQUIRE_DATA") == "1":
        pytest.fail(words)
    pytest.skip(words)


def test_real_browser() -> None:
    need_browser()
    clip = make_sample("walk_normal").clip
    request = RenderRequest((), (0.0, 0.5, 1.0), 321, 240, "side", "light", "animation", 0, False)
    pictures = [np.asarray(found) for found in capture_pictures([clip], request)]
    assert [found.shape for found in pictures] == [(240, 321, 3)] * 3
    for found in pictures:
        assert found.std() > 5  # something is drawn
    assert np.abs(pictures[0].astype(int) - pictures[2]).mean() > 0.5  # and it moves


@pytest.mark.parametrize("ending", ["png", "gif", "mp4"])
def test_render_command(tmp_path: Path, ending: str) -> None:
    need_browser()
    from reenact import save
    from reenact.cli.main import main
    from reenact.core.cutting import CutParameters, cut

    save(cut(make_sample("walk_normal").clip, CutParameters(0, 12)), tmp_path / "walk.bvh")
    out = tmp_path / f"walk.{ending}"
    size = ["--width", "400", "--height", "160"]
    assert main(["render", str(tmp_path / "walk.bvh"), "-o", str(out), "--renderer", "browser", *size]) == 0
    if ending == "mp4":
        assert out.stat().st_size > 2000
        return
    with Image.open(out) as found:
        if ending == "gif":
            assert found.size == (400, 160)
        else:  # the viewer leaves out empty rows
            assert found.width == 400
            assert 60 <= found.height <= 320
        assert getattr(found, "n_frames", 1) == (6 if ending == "gif" else 1)


def test_render_command_without_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from reenact import save
    from reenact.cli.main import main

    monkeypatch.setenv("REENACT_BROWSER", "none")
    save(make_sample("stand").clip, tmp_path / "stand.bvh")
    arguments = ["render", str(tmp_path / "stand.bvh"), "-o", str(tmp_path / "stand.png")]
    assert main([*arguments, "--renderer", "browser"]) == 2
    assert "no Chromium" in capsys.readouterr().err
    assert not (tmp_path / "stand.png").exists()
    assert main([*arguments, "--renderer", "auto"]) == 0
