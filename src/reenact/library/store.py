"""The library: a folder of clips with an index, shared by every process that opens it."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from reenact.core.clip import Clip
from reenact.core.frame_store import FrameStore
from reenact.errors import DamagedClipWarning, LibraryError
from reenact.library import labels
from reenact.library.cells import Cells, is_derived_file, is_hash
from reenact.library.clip_files import clip_folder, discard_folder, flush_arrays, make_staging, stage_clip
from reenact.library.derived import Result, derived_key, keep_derived, list_derived
from reenact.library.entries import ClipRef, Entry, find_clip, read_entries, read_entry
from reenact.library.frames import build_frame_store
from reenact.library.index import Index, create_index
from reenact.library.kept_plants import given_plants, keep_travelled_plants
from reenact.library.rows import Added, delete_clip, insert_clip
from reenact.library.search import count_clips, parse_query, search_clips
from reenact.library.stored_clips import Checked, open_stored, read_stored
from reenact.library.types import find_type, keep_type

if TYPE_CHECKING:
    from reenact.library.import_folder import ImportOptions, ImportProgress, ImportReport
    from reenact.library.verify import VerifyReport

INDEX_NAME = "library.sqlite"


class Library:
    """A project folder that keeps clips by their content. See docs/library.md for what lies on the disk.

    Several processes and threads may use one library at once. An instance can be pickled (it is opened anew) and survives a fork.

    Attributes:
        folder: the library's folder.
    """

    def __init__(self, folder: str | os.PathLike[str], *, read_only: bool = False) -> None:
        """Open an existing library.

        Args:
            folder: made by `Library.create` or `reenact library init`.
            read_only: refuse every change; so it is anyway where the folder may not be written.

        Raises:
            LibraryError: no library, a damaged one, or one of a newer version.
        """
        self.folder = Path(folder).absolute()
        if self.folder.is_file():
            raise LibraryError("a file, expected a library folder", where=str(folder))
        if not self.folder.is_dir():
            raise LibraryError("no such folder; make a library with `reenact library init`", where=str(folder))
        self.index = Index(self.folder / INDEX_NAME, read_only=read_only)
        self._checked: Checked = set()

    @classmethod
    def create(cls, folder: str | os.PathLike[str]) -> Library:
        """Make a library in a new folder, or in one that holds none yet; files that are there stay as they are."""
        path = Path(folder).absolute()
        if path.exists() and not path.is_dir():
            raise LibraryError("a file, expected a folder", where=str(folder))
        if not (path / INDEX_NAME).exists():
            taken = [name for name in ("clips", "derived", "incoming") if (path / name).exists()]
            if taken:
                raise LibraryError(
                    f"holds {taken[0]!r} already, which a library keeps its own files in", where=str(folder)
                )
        path.mkdir(parents=True, exist_ok=True)
        create_index(path / INDEX_NAME)
        for name in ("clips", "derived", "incoming"):
            (path / name).mkdir(exist_ok=True)
        return cls(path)

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the index; arrays that clips still use stay readable."""
        self.index.close()

    def __reduce__(self) -> tuple[Callable[[str, bool], Library], tuple[str, bool]]:
        return _reopened, (str(self.folder), self.index.read_only)

    def __repr__(self) -> str:
        return f"Library({str(self.folder)!r})"

    def __len__(self) -> int:
        with self.index.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM clips").fetchone()[0])

    def __contains__(self, ref: ClipRef) -> bool:
        try:
            self._find(ref)
        except LibraryError:
            return False
        return True

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    # Reading

    def entries(
        self, query: str = "", *, limit: int | None = None, faults: list[LibraryError] | None = None
    ) -> list[Entry]:
        """Entries that answer a query (see `library.search`), the best first; without one all of them, by name.

        Clips whose cells are damaged are left out: each is an error in `faults`, or else a `DamagedClipWarning`.
        """
        return self.page(query, limit=limit, faults=faults)[1]

    def page(
        self,
        query: str = "",
        *,
        offset: int = 0,
        limit: int | None = 100,
        faults: list[LibraryError] | None = None,
    ) -> tuple[int, list[Entry]]:
        """How many clips answer a query, and `limit` of them from `offset` on, in the order of `entries` and with its `faults`."""
        question = parse_query(query)
        damaged: list[LibraryError] = [] if faults is None else faults
        with self.index.snapshot() as connection:
            found = read_entries(connection, search_clips(connection, question, limit, offset), damaged)
            total = count_clips(connection, question)
        if faults is None:
            for fault in damaged:
                warnings.warn(f"{fault}; left out", DamagedClipWarning, stacklevel=2)
        return total, found

    def entry(self, ref: ClipRef) -> Entry:
        """What the index says of one clip."""
        with self.index.snapshot() as connection:
            return read_entry(connection, find_clip(connection, ref))

    def clip(self, ref: ClipRef) -> Clip:
        """A clip, exactly as it was added, with the foot plants it came with or was given.

        Its arrays are mapped from the disk. They are compared with the clip's hash when this instance opens them for the first time, and
        again whenever the files have changed.

        Raises:
            LibraryError: no such clip, or what is stored of it is damaged; the message names the clip.
        """
        with self.index.snapshot() as connection:
            number = find_clip(connection, ref)
            stored = read_stored(connection, number)
        clip = open_stored(self.folder, stored, self._checked)
        return clip.with_plants(given_plants(self, number))

    def clips(self, query: str = "", *, limit: int | None = None) -> Iterator[Clip]:
        """The clips that answer a query, one after the other."""
        for entry in self.entries(query, limit=limit):
            yield self.clip(entry)

    def tags(self) -> dict[str, int]:
        """Every tag with the number of clips that have it."""
        with self.index.reading() as connection:
            rows = connection.execute(
                """SELECT t.name AS tag, count(*) FROM tags t JOIN clip_tags c ON c.tag_id = t.id
                GROUP BY t.id ORDER BY t.name"""
            ).fetchall()
        return {Cells(row, "tags").text("tag"): row[1] for row in rows}

    def unreadable(self) -> list[tuple[str, str]]:
        """Files that could not be read when they were last tried, each with the reason."""
        with self.index.reading() as connection:
            rows = connection.execute("SELECT path, error FROM files WHERE error <> '' ORDER BY path").fetchall()
        cells = [Cells(row, "files") for row in rows]
        return [(one.text("path"), one.text("error")) for one in cells]

    def frame_store(self, which: str | Sequence[ClipRef] = "") -> FrameStore:
        """All frames of several clips in one array for each quantity.

        Args:
            which: a query, or the clips in the order wanted. They must share names and parents of their joints.
        """
        refs = self.entries(which) if isinstance(which, str) else which
        return build_frame_store(self, refs)

    # Changing

    def add(
        self,
        clip: Clip,
        *,
        name: str = "",
        tags: Iterable[str] = (),
        description: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Added:
        """Add a clip. A motion that is there already stays one clip: it gains the tags and what else is given here.

        Args:
            clip: the motion.
            name: instead of the clip's own; `-2` is put behind it when another clip has it.
            tags: to put on it.
            description: free text.
            metadata: key and value pairs with a JSON form.

        What the clip is (walk, run, ...) is found out and becomes metadata, so that `type:walk` finds it, unless `metadata` says it.
        """
        found = {} if metadata and labels.TYPE_KEY in metadata else find_type(clip)
        with self.staging() as staging:
            staged = stage_clip(clip, staging)
            flush_arrays([Path(staged.folder)])
            with self.index.writing() as connection:
                added = insert_clip(connection, self.folder, staged, name or clip.name)
                labels.add_tags(connection, added.id, tags)
                if description:
                    labels.describe_clip(connection, added.id, description)
                if metadata:
                    labels.set_metadata(connection, added.id, metadata)
                if added.new:
                    keep_type(connection, added.id, found)
        if clip.plants is not None:
            keep_travelled_plants(self, added.id, clip.plants)
        return added

    def import_folder(
        self,
        paths: Sequence[str | os.PathLike[str]],
        options: ImportOptions | None = None,
        progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """Add every motion file of these files and folders, in parallel; see `library.import_folder`."""
        from reenact.library.import_folder import ImportOptions, import_paths

        return import_paths(self, [Path(path) for path in paths], options or ImportOptions(), progress)

    def remove(self, *refs: ClipRef) -> list[Entry]:
        """Take clips and what was derived from them out of the library; the files they came from are never touched.

        Returns:
            The entries of what was removed.
        """
        with self.index.writing() as connection:
            numbers = list(dict.fromkeys(find_clip(connection, ref) for ref in refs))
            gone = read_entries(connection, numbers)
            files = [delete_clip(connection, number) for number in numbers]
        self._clear(files)
        return gone

    def rename(self, ref: ClipRef, name: str) -> None:
        """Give a clip another name."""
        with self.index.writing() as connection:
            labels.rename_clip(connection, find_clip(connection, ref), name)

    def tag(self, ref: ClipRef, *tags: str) -> None:
        """Put tags on a clip."""
        with self.index.writing() as connection:
            labels.add_tags(connection, find_clip(connection, ref), tags)

    def untag(self, ref: ClipRef, *tags: str) -> None:
        """Take tags off a clip."""
        with self.index.writing() as connection:
            labels.remove_tags(connection, find_clip(connection, ref), tags)

    def describe(self, ref: ClipRef, text: str) -> None:
        """Set a clip's description."""
        with self.index.writing() as connection:
            labels.describe_clip(connection, find_clip(connection, ref), text)

    def set_metadata(self, ref: ClipRef, pairs: Mapping[str, Any]) -> None:
        """Set key and value pairs; None as a value takes the key away."""
        with self.index.writing() as connection:
            labels.set_metadata(connection, find_clip(connection, ref), pairs)

    def derived(
        self,
        which: ClipRef | Sequence[ClipRef],
        kind: str,
        parameters: object,
        compute: Callable[[], Result],
        *,
        version: str = "1",
    ) -> Result:
        """A result worked out from clips: the kept one, else `compute()`, which is kept from now on.

        Args:
            which: the clip, or several in the order the result depends on.
            kind: what it is, such as "plants"; small letters, digits, - and _.
            parameters: dataclass or mapping with a JSON form: other parameters are another result.
            compute: makes it: an array, a mapping of arrays, or anything with a JSON form.
            version: of the code that makes it; raise it when equal input gives something else.
        """
        refs = which if isinstance(which, list | tuple) else [cast("ClipRef", which)]
        with self.index.snapshot() as connection:
            entries = [read_entry(connection, find_clip(connection, ref)) for ref in refs]
        key = derived_key([(entry.id, entry.hash) for entry in entries], kind, parameters, version)
        return keep_derived(self.index, self.folder, key, compute)

    def derived_results(self, ref: ClipRef) -> list[dict[str, Any]]:
        """What was derived from a clip and is kept: kind, version, parameters, file, bytes, made_at."""
        entry = self.entry(ref)
        return list_derived(self.index, entry.id, entry.name)

    def verify(self, *, repair: bool = False, progress: Callable[[int, int], None] | None = None) -> VerifyReport:
        """Compare index and files; see `library.verify`."""
        from reenact.library.verify import verify_library

        return verify_library(self, repair=repair, progress=progress)

    # Inside

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder for files on their way in or out; gone at the end of the block."""
        if self.index.read_only:
            raise LibraryError("the library is open for reading only", where=str(self.folder))
        folder = make_staging(self.folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _find(self, ref: ClipRef) -> int:
        with self.index.reading() as connection:
            return find_clip(connection, ref)

    def _clear(self, removed: Sequence[tuple[str, list[str]]]) -> None:
        """Delete the files of clips that have no row any more, unless another process has added them again meanwhile.

        After the rows, not with them: if this is cut short, files without rows are left, which `verify` clears, never the reverse.
        """
        with self.staging() as staging, self.index.writing() as connection:
            for content, files in removed:
                place = clip_folder(self.folder, content)
                if (
                    is_hash(content)
                    and place.exists()
                    and not connection.execute("SELECT 1 FROM clips WHERE hash = ?", (content,)).fetchone()
                ):
                    discard_folder(place, staging)
                for file in files:
                    if (
                        is_derived_file(file)
                        and not connection.execute("SELECT 1 FROM derived WHERE file = ?", (file,)).fetchone()
                    ):
                        (self.folder / file).unlink(missing_ok=True)


def _reopened(folder: str, read_only: bool) -> Library:
    return Library(folder, read_only=read_only)
