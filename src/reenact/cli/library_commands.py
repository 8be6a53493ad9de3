"""`reenact library ...`: a folder of clips that can be searched. The JSON of every verb is documented in docs/library.md."""

from __future__ import annotations

import json as json_text
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from reenact.analysis.plant_choice import PlantChoice
from reenact.cli.completion import complete_clips
from reenact.cli.library_output import (
    import_bar,
    print_entries,
    print_entry,
    print_failures,
    print_import,
    print_problems,
    simple_bar,
)
from reenact.cli.options import expand
from reenact.cli.output import Json, print_json
from reenact.cli.plants import print_plants
from reenact.cli.workers import WorkerOptions
from reenact.errors import LibraryError, ParameterError
from reenact.formats.loaded import WriteOptions
from reenact.formats.plants_text import write_plants
from reenact.library.descriptions import TableColumns, describe_from_table
from reenact.library.entries import Entry
from reenact.library.export import export_clips
from reenact.library.gaits import classify_library, clip_plants, keep_given_plants
from reenact.library.import_folder import ImportOptions, import_paths
from reenact.library.kept_plants import forget_plants
from reenact.library.salvage import opened_for_repair
from reenact.library.schema import SCHEMA_VERSION
from reenact.library.store import Library
from reenact.loading import LoadOptions

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keep clips in a searchable library folder.",
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Library folder.", show_default=False)]
Clips = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CLIP...",
        help="Clips by name, number, hash (6 digits or more) or file.",
        show_default=False,
        autocompletion=complete_clips,
    ),
]
QueryOption = Annotated[
    str | None, typer.Option("--query", "-q", help="The clips that answer this search.", show_default=False)
]
Limit = Annotated[int | None, typer.Option("--limit", "-n", min=1, help="At most this many.", show_default=False)]
Tags = Annotated[list[str] | None, typer.Option("--tag", "-t", help="Tag to put on every clip; may be repeated.")]
Meta = Annotated[
    list[str] | None,
    typer.Option("--meta", metavar="KEY=VALUE", help="Metadata; JSON values keep their type; may be repeated."),
]


@app.command()
def init(folder: Folder, json: Json = False) -> None:
    """Make a library folder."""
    with Library.create(folder) as library:
        if json:
            print_json({"library": str(library.folder), "schema": SCHEMA_VERSION})
        else:
            print(f"{folder}: a new library; add clips with `reenact library add {folder} FOLDER`")


def add(
    folder: Folder,
    reading: LoadOptions,
    work: WorkerOptions,
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH...", help="Motion files and folders.", show_default=False)
    ] = None,
    tag: Tags = None,
    meta: Meta = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Look into every file, not only those with a known ending.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Read files again that were read before.")] = False,
    types: Annotated[
        bool, typer.Option("--types/--no-types", help="Find out what each clip is, so that type:walk finds it.")
    ] = True,
    samples: Annotated[
        bool, typer.Option("--samples", help="Add the built-in samples with their ground truth.")
    ] = False,
    descriptions: Annotated[
        Path | None, typer.Option("--descriptions", help="CSV table that describes the files.", show_default=False)
    ] = None,
    key: Annotated[str, typer.Option("--key", help="Column of the table that names the file.")] = "path",
    text: Annotated[str, typer.Option("--text", help="Column of the table with the description.")] = "description",
    column: Annotated[
        list[str] | None, typer.Option("--column", help="Column of the table to keep as metadata; may be repeated.")
    ] = None,
    json: Json = False,
) -> int:
    """Add motion files and folders, in parallel. What is there already is skipped; a file that cannot be read is reported.

    Ctrl-C keeps what was read; the same command goes on. Exit code 1: some file could not be read; 130: interrupted.
    """
    if not paths and descriptions is None and not samples:
        raise ParameterError("nothing to add: name motion files or folders, --samples, or a table with --descriptions")
    options = ImportOptions(
        reading, tuple(tag or ()), _pairs(meta), work.jobs, everything, again, types, work.scheduler
    )
    columns = TableColumns(key, text, tuple(column or ()))
    with Library(folder) as library:
        if descriptions is not None and not descriptions.is_file():
            raise FileNotFoundError(2, "no such file or folder", str(descriptions))
        with import_bar(hidden=json) as progress:
            report = import_paths(library, paths or [], options, progress)
        made = described = None
        if samples and not report.interrupted:
            from reenact.operations.sample_library import add_samples

            with simple_bar("samples", hidden=json) as counting:
                made = add_samples(library, progress=counting)
        if descriptions is not None and not report.interrupted:
            described = describe_from_table(library, descriptions, columns)
        if json:
            more = {
                "samples": made.as_dict() if made else None,
                "descriptions": described.as_dict() if described else None,
            }
            print_json({**report.as_dict(), **more})
        else:
            print_import(report, described)
            if made is not None:
                print(f"{len(made.added)} samples added, {made.known} there already")
    return 130 if report.interrupted else 1 if report.unreadable else 0


app.command(name="add")(expand(add))


@app.command(name="list")
def list_clips(
    folder: Folder,
    tags: Annotated[bool, typer.Option("--tags", help="List the tags instead.")] = False,
    unreadable: Annotated[
        bool, typer.Option("--unreadable", help="List the files that could not be read instead.")
    ] = False,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """List the clips of a library by name."""
    with Library(folder) as library:
        if tags:
            counted = library.tags()
            if json:
                print_json({"tags": [{"name": name, "clips": count} for name, count in counted.items()]})
            else:
                print("".join(f"{count:6d}  {name}\n" for name, count in counted.items()), end="")
        elif unreadable:
            files = library.unreadable()
            if json:
                print_json({"unreadable": [{"path": path, "message": message} for path, message in files]})
            else:
                print("".join(f"{path}: {message}\n" for path, message in files), end="")
        else:
            faults: list[LibraryError] = []
            _show(library.entries(limit=limit, faults=faults), len(library), faults, json, {})


@app.command()
def search(
    folder: Folder,
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY...",
            help='Words and filters: walk turn, "brisk walk", -- -stairs, tag:x, type:walk, fps=120, seconds>2.',
            show_default=False,
        ),
    ],
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Find clips by words in name, description, tags, joints, path and metadata, and by filters; the best first."""
    words = " ".join(query)
    with Library(folder) as library:
        faults: list[LibraryError] = []
        total, found = library.page(words, limit=limit, faults=faults)
        _show(found, total, faults, json, {"query": words})


def _show(entries: list[Entry], total: int, faults: list[LibraryError], json: bool, more: dict[str, Any]) -> None:
    if json:
        damaged = [{"clip": fault.where, "message": fault.message} for fault in faults]
        print_json({**more, "total": total, "clips": [entry.as_dict() for entry in entries], "damaged": damaged})
    else:
        print_entries(entries, total)
        for fault in faults:
            print(f"damaged: {fault}", file=sys.stderr)


@app.command()
def show(
    folder: Folder,
    clip: Annotated[
        str,
        typer.Argument(
            metavar="CLIP",
            help="Clip by name, number, hash or file.",
            show_default=False,
            autocompletion=complete_clips,
        ),
    ],
    json: Json = False,
) -> None:
    """Say everything the library knows about one clip."""
    with Library(folder) as library:
        entry = library.entry(clip)
        held = library.clip(entry)
        origin = held.origin
        about = {
            **entry.as_dict(),
            "format": origin.format,
            "unit_m": origin.unit,
            "up": origin.up,
            "roles": {role: held.skeleton.names[joint] for role, joint in held.skeleton.roles.items()},
            "findings": list(origin.findings),
            "derived": library.derived_results(entry),
        }
    if json:
        print_json({"clip": about})
    else:
        print_entry(entry, about)


def export(
    folder: Folder,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write into.", show_default=False)],
    writing: WriteOptions,
    clips: Clips = None,
    query: QueryOption = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="Format; default: each clip's own.", show_default=False)
    ] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
    json: Json = False,
) -> int:
    """Write clips as files again: those named, those that answer --query, or all. Exit code 1: some could not be written."""
    with Library(folder) as library:
        entries = _chosen(library, clips, query, everything=True)
        with simple_bar("writing", hidden=json) as progress:
            report = export_clips(
                library, entries, target, format=format, overwrite=overwrite, writing=writing, progress=progress
            )
    if json:
        print_json(report.as_dict())
    else:
        print_failures(report.failures)
        print(f"{target}: {len(report.written)} files written")
    return 1 if report.failures else 0


app.command(name="export")(expand(export))


@app.command()
def remove(folder: Folder, clips: Clips = None, query: QueryOption = None, json: Json = False) -> None:
    """Take clips and what was derived from them out of the library. The files they came from are never touched."""
    with Library(folder) as library:
        gone = library.remove(*_chosen(library, clips, query, everything=False))
    if json:
        print_json({"removed": [{"id": entry.id, "name": entry.name, "hash": entry.hash} for entry in gone]})
    else:
        print(f"{folder}: {len(gone)} clips removed")


@app.command()
def edit(
    folder: Folder,
    clips: Clips = None,
    query: QueryOption = None,
    tag: Tags = None,
    untag: Annotated[list[str] | None, typer.Option("--untag", help="Tag to take off; may be repeated.")] = None,
    meta: Meta = None,
    describe: Annotated[str | None, typer.Option("--describe", help="New description.", show_default=False)] = None,
    rename: Annotated[str | None, typer.Option("--rename", help="New name, for one clip.", show_default=False)] = None,
    json: Json = False,
) -> None:
    """Change tags, description, metadata or name of clips. `--meta KEY=` takes a key away."""
    pairs = _pairs(meta)
    with Library(folder) as library:
        chosen = _chosen(library, clips, query, everything=False)
        if rename is not None and len(chosen) != 1:
            raise ParameterError(f"--rename is for one clip, {len(chosen)} are named", where="--rename")
        with library.index.writing():  # all of it or nothing
            for entry in chosen:
                if tag:
                    library.tag(entry, *tag)
                if untag:
                    library.untag(entry, *untag)
                if pairs:
                    library.set_metadata(entry, pairs)
                if describe is not None:
                    library.describe(entry, describe)
                if rename is not None:
                    library.rename(entry, rename)
        changed = [library.entry(entry) for entry in chosen]
    if json:
        print_json({"clips": [entry.as_dict() for entry in changed]})
    else:
        print(f"{folder}: {len(changed)} clips changed")


@app.command()
def verify(
    folder: Folder,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Mend what can be mended from what is sound; delete files no clip has and lost results."
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Check that the disk holds what the index says, by hash. Exit code 1: something is wrong and was not repaired."""
    opened = opened_for_repair(folder) if repair else Library(folder)
    with opened as library, simple_bar("checking", hidden=json) as progress:
        report = library.verify(repair=repair, progress=progress)
    if json:
        print_json(report.as_dict())
    else:
        print_problems(report)
    return 0 if report.sound else 1


def _chosen(library: Library, clips: list[str] | None, query: str | None, *, everything: bool) -> list[Entry]:
    """The clips named one by one and those that answer a query; all of them only where that does no harm."""
    if not clips and query is None:
        if everything:
            return library.entries()
        raise ParameterError("name the clips, or say --query")
    chosen = {entry.id: entry for entry in (library.entry(clip) for clip in clips or [])}
    if query is not None:
        chosen.update({entry.id: entry for entry in library.entries(query)})
    return list(chosen.values())


def _pairs(given: list[str] | None) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for text in given or []:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ParameterError(f"expected KEY=VALUE, not {text!r}", where="--meta")
        try:
            pairs[key.strip()] = json_text.loads(value) if value else None
        except ValueError:
            pairs[key.strip()] = value
    return pairs


def classify_clips(
    folder: Folder, choice: PlantChoice, work: WorkerOptions, query: QueryOption = None, json: Json = False
) -> None:
    """Work out foot plants and gait of the clips; then `type:walk` and `walk>=0.75` find them."""
    with Library(folder) as library, simple_bar("classifying", hidden=json) as progress:
        keep_given_plants(library, choice)
        found = classify_library(
            library, query or "", progress, choice.detector or "adaptive", work.scheduler, work.jobs
        )
    if json:
        print_json({"types": found})
        return
    for kind in sorted(set(found.values())):
        print(f"{kind:5} {sum(one == kind for one in found.values())}")


app.command("classify")(expand(classify_clips))


def show_plants(
    folder: Folder,
    clip: Annotated[str, typer.Argument(metavar="CLIP", help="Clip by name, number or hash.", show_default=False)],
    choice: PlantChoice,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write them as a text file that can be edited.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Take plants away that were given by hand.")] = False,
    json: Json = False,
) -> None:
    """Show when which foot of a clip is planted; `--plants FILE` gives them by hand: from then on they are the clip's."""
    with Library(folder, read_only=not (choice.plants or forget)) as library:
        entry = library.entry(clip)
        if forget and not forget_plants(library, entry.id):
            raise ParameterError("the clip has no foot plants that were given by hand", where=entry.name)
        choice.check([entry.name])
        if choice.plants:
            keep_given_plants(library, replace(choice, plants=(f"{entry.name}={choice.file_for(entry.name, 0)}",)))
        found = clip_plants(library, entry.id, choice.detector or "adaptive")
    if out is not None:
        write_plants(found, out)
    if json:
        print_json({**found.as_dict(), "clip": entry.name, "out": None if out is None else str(out)})
        return
    print_plants(entry.name, found)


app.command("plants")(expand(show_plants))
