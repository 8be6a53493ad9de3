"""`reenact render`: pictures of motion."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reenact.body.character import Character
from reenact.cli.batch import Row, goes_one_by_one, tell_of_many, work_on_many
from reenact.cli.dressing import Dress, dress
from reenact.cli.made_by import made_by
from reenact.cli.output import Json, print_findings, print_json
from reenact.cli.sources import BatchOptions, Source, alone, list_sources, read_source, record_sources
from reenact.cli.targets import check_ending, is_for_many, other_targets
from reenact.core.clip import Clip
from reenact.core.made import Made
from reenact.formats.loaded import WriteOptions
from reenact.loading import LoadOptions, choose_clip, load_all


def render(
    files: Annotated[
        list[Path], typer.Argument(help="Motion files; several are laid over one another.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Picture to write: .png (pose strip), .gif or .mp4. A folder or a pattern such as 'out/{name}.png': one of each.",
            show_default=False,
        ),
    ],
    reading: LoadOptions,
    batch: BatchOptions,
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
    figure: Annotated[
        Literal["auto", "person", "sticks"],
        typer.Option(
            help="auto: the mesh of the file, else a generated person on the skeleton; person: always that one; sticks: its bones."
        ),
    ] = "auto",
    character: Dress = None,
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
            help="browser: the studio's viewer in a Chromium without a window, with light and shadows; plain: drawn "
            "without one, quicker where there is no graphics card; auto: the browser where there is one and it can do all that is asked."
        ),
    ] = "auto",
    json: Json = False,
) -> int:
    """Draw a pose strip (PNG) or an animation (GIF, MP4)."""
    from reenact.render import PICTURE_ENDINGS, AnimationParameters, StripParameters

    for_many = is_for_many(output) or batch.query is not None
    if not for_many:
        check_ending(output, PICTURE_ENDINGS, "a picture")
    sizes = {key: value for key, value in (("width", width), ("height", height)) if value is not None}
    looks = {"view": view, "background": background, "traces": traces, "caption": caption, "floor": floor, **sizes}
    looks["figure"] = figure
    strip, animation = None, None  # only the one that is drawn is made: their sizes have different ranges
    if output.suffix.lower() in ("", ".png"):
        strip = StripParameters(every=every, count=count, mode=mode, **looks)  # type: ignore[arg-type]
    else:
        animation = AnimationParameters(fps=video_fps, speed=speed, follow=follow, **looks)  # type: ignore[arg-type]
    if for_many and goes_one_by_one(files, output, batch):
        sources = list_sources(files, batch.query, reading)
        targets = other_targets(output, [source.name for source in sources], PICTURE_ENDINGS, "a picture")
        work = _PictureOfOne(reading, strip, animation, renderer, character)
        rows = work_on_many(work, sources, targets, batch, json=json, what="pictures")
        more = {"out": str(output), "made_by": made_by(used=record_sources(sources))} if json else None
        return tell_of_many(rows, lambda row: f"{row['out']}: {row['seconds']:.2f} s", json=json, more=more)
    dressed = [_read_dressed(file, reading, character) for file in files]
    clips = [one.clip for one in dressed]
    findings = [finding for clip in clips for finding in clip.origin.findings]
    drawn_by = _draw(dressed, output, strip, animation, renderer)
    if json:
        frames = max(len(clip) for clip in clips)
        print_json(
            {
                "out": str(output),
                "frames": frames,
                "seconds": max(clip.seconds for clip in clips),
                "report": {"renderer": drawn_by},
                "findings": findings,
                "made_by": made_by(),
            }
        )
        return 0
    print_findings(finding for finding in findings if finding.severity != "info")
    print(f"{output}: {', '.join(clip.name for clip in clips)}")
    return 0


@dataclass(frozen=True, slots=True)
class _PictureOfOne:
    """Draws one clip of many."""

    reading: LoadOptions
    strip: Any
    animation: Any
    renderer: str
    character: Path | None = None

    def __call__(self, source: Source, target: Path | None) -> Row:
        assert target is not None
        clip, characters = read_source(source, alone(self.reading, source))
        drawn_by = _draw(
            [_dressed(clip, characters, self.character)], target, self.strip, self.animation, self.renderer
        )
        findings = [finding.as_dict() for finding in clip.origin.findings]
        told = {"out": str(target), "frames": len(clip), "seconds": clip.seconds}
        return {**told, "report": {"renderer": drawn_by}, "findings": findings}


def _read_dressed(file: Path, reading: LoadOptions, character: Path | None) -> Made:
    """A clip of a file with the mesh that is shown on it."""
    loaded = load_all(file, reading)
    return _dressed(choose_clip(loaded, reading.clip, file), loaded.characters, character)


def _dressed(clip: Clip, characters: Sequence[Character], file: Path | None) -> Made:
    return Made(clip, character=dress(WriteOptions(), clip.skeleton, characters, file).character)


def _draw(clips: list[Made], output: Path, strip: Any, animation: Any, renderer: str) -> str:
    """Write the picture with the renderer asked for; says which one it was."""
    from reenact.render import PICTURE_ENDINGS, save_picture

    if renderer != "plain" and output.suffix.lower() in PICTURE_ENDINGS:
        from reenact.studio.capture import CaptureError, find_browser
        from reenact.studio.viewer_pictures import save_viewer_picture, viewer_can_draw

        if renderer == "browser" or (find_browser() is not None and viewer_can_draw(strip, animation)):
            try:
                save_viewer_picture(clips, output, strip, animation)
                return "browser"
            except CaptureError as error:
                if renderer == "browser":
                    raise
                print(f"warning: {error}; drawn without the browser", file=sys.stderr)
    save_picture(clips, output, strip, animation)
    return "plain"
