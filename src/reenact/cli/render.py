"""`reenact render`: pictures of motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from reenact.cli.output import Json, print_findings, print_json
from reenact.loading import LoadOptions, load


def render(
    files: Annotated[
        list[Path], typer.Argument(help="Motion files; several are laid over one another.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Picture to write: .png (pose strip), .gif or .mp4.", show_default=False),
    ],
    reading: LoadOptions,
    every: Annotated[int | None, typer.Option("--every", "-n", help="Strip: frames from pose to pose.")] = None,
    count: Annotated[int | None, typer.Option(help="Strip: number of poses, instead of --every.")] = None,
    mode: Annotated[
        Literal["auto", "path", "row"],
        typer.Option(help="Strip: poses where they are in the world (path), or side by side (row)."),
    ] = "auto",
    view: Annotated[
        str, typer.Option(help="three-quarter, side, front, back, top, or AZIMUTH,ELEVATION in degrees.")
    ] = "three-quarter",
    width: Annotated[int | None, typer.Option(help="Pixels across; default 1600 for strips, 640 for video.")] = None,
    height: Annotated[
        int | None, typer.Option(help="Strip: pixels of a standing body, default 250; video: pixels down, default 480.")
    ] = None,
    background: Annotated[Literal["light", "dark"], typer.Option(help="Background.")] = "light",
    traces: Annotated[bool, typer.Option(help="Draw foot traces.")] = True,
    caption: Annotated[bool, typer.Option(help="Write names and times.")] = True,
    floor: Annotated[float | None, typer.Option(help="Height of the ground in metres; default: found.")] = None,
    video_fps: Annotated[
        float | None, typer.Option(help="Video: frames per second; default: the clip's, at most 30.")
    ] = None,
    speed: Annotated[float, typer.Option(help="Video: how fast it plays, 0.5 is half speed.")] = 1.0,
    follow: Annotated[
        bool | None, typer.Option(help="Video: the camera goes along; default: when the body travels.")
    ] = None,
    renderer: Annotated[
        Literal["plain", "browser", "auto"],
        typer.Option(
            help="plain: quick, with captions; browser: the studio's viewer in a Chromium without a window, "
            "with meshes' light and shadows; auto: the browser where there is one."
        ),
    ] = "plain",
    json: Json = False,
) -> None:
    """Draw a pose strip (PNG) or an animation (GIF, MP4)."""
    from reenact.render import AnimationParameters, StripParameters, save_picture

    sizes = {key: value for key, value in (("width", width), ("height", height)) if value is not None}
    looks = {"view": view, "background": background, "traces": traces, "caption": caption, "floor": floor, **sizes}
    strip, animation = None, None  # only the one that is drawn is made: their sizes have different ranges
    if output.suffix.lower() == ".png":
        strip = StripParameters(every=every, count=count, mode=mode, **looks)  # type: ignore[arg-type]
    else:
        animation = AnimationParameters(fps=video_fps, speed=speed, follow=follow, **looks)  # type: ignore[arg-type]
    clips = [load(file, reading) for file in files]
    findings = [finding for clip in clips for finding in clip.origin.findings]
    if _by_browser(renderer):
        from reenact.studio.viewer_pictures import save_viewer_picture

        save_viewer_picture(clips, output, strip, animation)
    else:
        save_picture(clips, output, strip, animation)
    if json:
        frames = max(len(clip) for clip in clips)
        print_json(
            {
                "out": str(output),
                "frames": frames,
                "seconds": max(clip.seconds for clip in clips),
                "report": {},
                "findings": findings,
            }
        )
        return
    print_findings(finding for finding in findings if finding.severity != "info")
    print(f"{output}: {', '.join(clip.name for clip in clips)}")


def _by_browser(renderer: str) -> bool:
    if renderer != "auto":
        return renderer == "browser"
    from reenact.studio.capture import find_browser

    return find_browser() is not None
