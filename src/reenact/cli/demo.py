"""`reenact demo`: the main job on the built-in sample library."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.cli.output import Json, print_json
from reenact.errors import ParameterError

_STRIPS = ("walk_normal", "run", "jump_forward", "sneak", "turn_180_left", "kick_right", "sit_down", "wave_walking")
_EXPORTS = (("walk_normal", "bvh"), ("run", "glb"), ("jump_forward", "npz"))


def demo(
    folder: Annotated[Path, typer.Argument(help="Folder to fill; made when it is not there.")] = Path("demo"),
    json: Json = False,
) -> None:
    """Make the sample library, edit and export some of it, and draw it: a tour that ends in pages to open."""
    from reenact.formats.atomic import atomic_write
    from reenact.library import Library
    from reenact.loading import save
    from reenact.operations.demo_performances import make_performances
    from reenact.operations.sample_library import add_sample
    from reenact.render import StripParameters, save_picture

    if folder.exists() and not folder.is_dir():
        raise ParameterError("is a file, expected a folder", where=str(folder))
    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    made = {sample.name: sample for sample in _with_progress(_samples(), quiet=json)}
    performances = make_performances(made)
    with _open_library(Library, folder / "library") as library:
        for sample in made.values():
            add_sample(library, sample)
        for about, result in performances.values():
            library.add(result.clip, name=about.name, tags=("made",), description=about.title)
    for name, ending in _EXPORTS:
        save(made[name].clip, folder / f"{name}.{ending}")
    for name in _STRIPS:
        save_picture(made[name].clip, pictures / f"{name}.png", StripParameters(height=220))
    for name, (_, result) in performances.items():
        save(result.clip, folder / f"{name}.bvh")
        save_picture(result.clip, pictures / f"{name}.png", StripParameters(height=220))
    save_picture(made["run"].clip, pictures / "run.gif")
    with atomic_write(folder / "index.html") as stream:
        stream.write(_page(made.values(), [about for about, _ in performances.values()]).encode())
    frames = sum(len(sample.clip) for sample in made.values())
    if json:
        told = {name: result.report for name, (_, result) in performances.items()}
        page = str(folder / "index.html")
        print_json({"out": str(folder), "clips": len(made), "frames": frames, "open": page, "made": told})
        return
    print(
        f"{folder}: {len(made)} clips, {frames} frames in {folder / 'library'}, with pictures and exports; made of them:"
    )
    for about, result in performances.values():
        print(f"  {folder / about.name}.bvh: {about.title} ({result.clip.seconds:.1f} s)")
    print(f"open {folder / 'index.html'} in a browser, or go on with:")
    print(f"  reenact studio {folder}")
    print(f'  reenact library search {folder / "library"} "walk left"')
    print(f"  reenact info {folder / 'walk_normal.bvh'}")
    print(f"  reenact check {folder / 'walk_to_kick.bvh'}")
    print(f"  reenact render {folder / 'walk_to_kick.bvh'} -o kick.gif")


def _open_library(kind: Any, folder: Path) -> Any:
    return kind(folder) if (folder / "library.sqlite").exists() else kind.create(folder)


def _samples() -> list[Any]:
    from reenact.samples import make_sample, sample_names

    return [(name, lambda name=name: make_sample(name)) for name in sample_names()]


def _with_progress(work: list[Any], quiet: bool) -> Iterator[Any]:
    """Do the work with a bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True, quiet=quiet)
    for _, make in track(work, "making samples", console=console, transient=True):
        yield make()


def _page(samples: Iterable[Any], performances: Iterable[Any]) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(s.name)}</td><td>{html.escape(s.type)}</td><td>{len(s.clip)}</td><td>{s.clip.seconds:.1f} s</td>"
        f"<td>{html.escape(s.description)}</td></tr>"
        for s in samples
    )
    strips = "".join(f'<img src="pictures/{name}.png" alt="pose strip of {name}">' for name in _STRIPS)
    made = "".join(
        f"<h3>{html.escape(one.title.capitalize())}</h3><p>Made of {html.escape(', '.join(one.sources))}; <code>{one.name}.bvh</code></p>"
        f'<img src="pictures/{one.name}.png" alt="pose strip: {html.escape(one.title)}">'
        for one in performances
    )
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>reenact demo</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fafbfc}}
img{{max-width:100%;display:block;margin:1rem 0;border-radius:6px;box-shadow:0 1px 4px #0002}}
table{{border-collapse:collapse;width:100%}}td,th{{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #e3e7ec}}
code{{background:#eef1f5;padding:.1rem .3rem;border-radius:4px}}</style>
<h1>reenact demo</h1><p>Everything here was generated by <code>reenact demo</code>; no recording is involved.</p>
<img src="pictures/run.gif" alt="a run">
<h2>Motion that is in none of the samples</h2>{made}<h2>Samples</h2>{strips}
<h2>The sample library</h2><table><tr><th>clip</th><th>type</th><th>frames</th><th>length</th><th>what</th></tr>{rows}</table></html>
"""
