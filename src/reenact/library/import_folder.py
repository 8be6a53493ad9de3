"""Adding whole folders: in parallel, without what is there already, to the end whatever some of the files are like."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from reenact.compute.executor import MOST_WORKERS, Executor, executor_for
from reenact.errors import ParameterError
from reenact.formats.plants_json import plants_from_json
from reenact.library.cells import is_hash
from reenact.library.characters import keep_staged
from reenact.library.clip_files import INSTALLING, StagedClip, clip_folder, discard_folder, flush_arrays, is_abandoned
from reenact.library.import_worker import Outcome, options_to_dict, read_all_into_staging
from reenact.library.kept_plants import keep_travelled_plants
from reenact.library.labels import add_tags, set_metadata
from reenact.library.paths import path_text
from reenact.library.records import canonical_json
from reenact.library.rows import Added, FileState, insert_clip, insert_file, insert_source, knows_file, state_of
from reenact.library.types import keep_type
from reenact.library.walking import Failure, FoundFile, find_motion_files, os_failure
from reenact.loading import LoadOptions

if TYPE_CHECKING:
    from reenact.library.store import Library

BATCH_FILES = 32
"""Files whose clips are committed together, at most."""

BATCH_SECONDS = 1.0
"""Time after which what was read is committed in any case."""


FILES_WORTH_A_PROCESS = 24
"""Starting a process takes about as long as reading this many files of ordinary length."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How folders are added.

    Attributes:
        loading: passed to `reenact.load_all` for every file.
        tags: put on every clip of the folders, also on those that were there.
        metadata: key and value pairs set on every new clip.
        jobs: processes that read; None: one for each processor this process may use, and only this one for a handful of files.
        executor: what reads instead, or its name for `compute.executor.open_executor` ("tcp://host:port": the workers of a Dask scheduler,
            which must see the library's folder and the files where they are here).
        everything: look into every file, not only into those with a known ending.
        again: read files again that were read before.
        types: find out what each clip is (walk, run, ...) while it is read, so that `type:walk` finds it.
    """

    loading: LoadOptions = field(default_factory=LoadOptions)
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    jobs: int | None = None
    everything: bool = False
    again: bool = False
    types: bool = True
    executor: Executor | str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and not 1 <= self.jobs <= MOST_WORKERS:
            raise ParameterError(f"jobs must be 1 to {MOST_WORKERS}, not {self.jobs}", where="jobs")


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: files done and in all, the last one, clips added, files skipped, files that could not be read."""

    done: int
    total: int
    path: str
    added: int
    skipped: int
    unreadable: int


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        files: motion files found.
        read: files read now.
        skipped: files known from before and not read again.
        added: new clips.
        known: clips that were read and were in the library already, from another file.
        without_motion: files that hold no clip (skeletons, characters in a rest pose).
        other: files passed over because they are no motion files (only with `everything`).
        unreadable: files and folders that could not be read, each with the reason.
        interrupted: stopped before the end; running it again goes on.
        seconds: how long it took.
    """

    files: int = 0
    read: int = 0
    skipped: int = 0
    added: list[Added] = field(default_factory=list)
    known: int = 0
    without_motion: list[str] = field(default_factory=list)
    other: int = 0
    unreadable: list[Failure] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The JSON form of the command line."""
        return {
            "files": self.files,
            "read": self.read,
            "skipped": self.skipped,
            "added": [{"id": added.id, "name": added.name, "hash": added.hash} for added in self.added],
            "known": self.known,
            "without_motion": list(self.without_motion),
            "other": self.other,
            "unreadable": [failure.as_dict() for failure in self.unreadable],
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }


def import_paths(
    library: Library,
    paths: Sequence[Path],
    options: ImportOptions,
    progress: Callable[[ImportProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ImportReport:
    """Add every motion file of these files and folders.

    A file known by path, size and time is not opened. Ctrl-C (in the main thread) or `cancelled()` stops at once and keeps what was
    read; a second Ctrl-C is a `KeyboardInterrupt`. A file that cannot be read is reported and does not stop anything.

    Raises:
        FileNotFoundError: one of `paths` does not exist.
        OSError: the library itself cannot be written (a full disk); what was committed until then stays.
    """
    begun = time.monotonic()
    found, failures = find_motion_files(paths, everything=options.everything)
    run = _Import(library, options, found, progress)
    run.report.unreadable.extend(failures)
    clear_abandoned(library)
    with library.staging() as staging, _interrupts() as interrupted:

        def stop() -> bool:
            return interrupted.is_set() or (cancelled is not None and cancelled())

        count, worth = run.unknown(), FILES_WORTH_A_PROCESS
        with executor_for(options.executor, jobs=options.jobs, count=count, worth=worth) as executor:
            outcomes = read_all_into_staging(
                executor,
                run.tasks(),
                lambda task: task[0].path,
                options.loading,
                staging,
                types=options.types,
                cancelled=stop,
            )
            for task, outcome in outcomes:
                run.take(task, outcome)
            run.commit()
        run.report.interrupted = stop()
    run.report.seconds = time.monotonic() - begun
    return run.report


@contextlib.contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Ctrl-C as an event for the length of the block, so that nothing is left half done; the second one is an exception again."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.getsignal(signal.SIGINT) or signal.default_int_handler

    def note(number: int, frame: FrameType | None) -> None:
        event.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def clear_abandoned(library: Library) -> list[Path]:
    """Delete what killed imports have left: staging folders whose process is gone, clips that were moved from them to their place but
    never committed, and results that were half written.
    """
    incoming = library.folder / "incoming"
    gone = [staging for staging in (incoming.iterdir() if incoming.is_dir() else ()) if is_abandoned(staging)]
    if gone:
        with library.index.writing() as connection:  # so that nobody is moving or writing anything now
            for staging in gone:
                for content in _moved_from(staging):
                    known = connection.execute("SELECT 1 FROM clips WHERE hash = ?", (content,)).fetchone()
                    if known is None and (place := clip_folder(library.folder, content)).exists():
                        discard_folder(place, staging)
            for half in (library.folder / "derived").glob("*/*/.*.part"):
                half.unlink(missing_ok=True)
    for staging in gone:
        shutil.rmtree(staging, ignore_errors=True)
    return gone


def _moved_from(staging: Path) -> list[str]:
    try:
        lines = (staging / INSTALLING).read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return []
    return [line for line in lines if is_hash(line)]


Task = tuple[FoundFile, FileState]


class _Import:
    """One import on its way: what was read and waits for its commit, and the report."""

    def __init__(
        self,
        library: Library,
        options: ImportOptions,
        found: Sequence[FoundFile],
        progress: Callable[[ImportProgress], None] | None,
    ) -> None:
        self.library = library
        self.options = options
        self.found = found
        self.progress = progress
        self.reading = canonical_json(options_to_dict(options.loading))
        self.report = ImportReport(files=len(found))
        self.batch: list[tuple[FileState, Outcome]] = []
        self.committed_at = time.monotonic()

    def unknown(self) -> int:
        """How many files will have to be read."""
        if self.options.again:
            return len(self.found)
        return sum(1 for file in self.found if (state := self._state(file)) is None or not self._knows(state))

    def tasks(self) -> Iterator[Task]:
        """Files to read, in order. Asked just before a file is handed out, so two imports at once share the work."""
        for file in self.found:
            state = self._state(file)
            if state is None:
                continue
            if not self.options.again and self._knows(state):
                self.report.skipped += 1
                self._label_known(state)
                self._tell(state.path)
                continue
            yield file, state

    def _state(self, file: FoundFile) -> FileState | None:
        try:
            return state_of(file.path, file.relative, self.reading, path_text(file.path))
        except OSError as error:
            failure = os_failure(file.path, error)
            if failure not in self.report.unreadable:
                self.report.unreadable.append(failure)
            return None

    def _knows(self, state: FileState) -> bool:
        with self.library.index.reading() as connection:
            return knows_file(connection, state)

    def _label_known(self, state: FileState) -> None:
        if not self.options.tags:
            return
        with self.library.index.writing() as connection:
            numbers = [
                row[0] for row in connection.execute("SELECT clip_id FROM sources WHERE path = ?", (state.path,))
            ]
            for number in numbers:
                add_tags(connection, number, self.options.tags)

    def take(self, task: Task, outcome: Outcome) -> None:
        """Note what came of a file, and commit when it is time."""
        if outcome.disk is not None:
            self.commit()
            raise OSError(*outcome.disk)
        self.batch.append((task[1], outcome))
        self.report.read += 1
        if outcome.failure is not None:
            self.report.unreadable.append(outcome.failure)
        if len(self.batch) >= BATCH_FILES or time.monotonic() - self.committed_at > BATCH_SECONDS:
            self.commit()
        self._tell(task[1].path)

    def commit(self) -> None:
        """Give the clips that were read their rows and places, all together."""
        added: list[tuple[Added, StagedClip]] = []
        flush_arrays([Path(staged.folder) for _, outcome in self.batch for staged in outcome.clips])
        with self.library.index.writing() as connection:
            for state, outcome in self.batch:
                if outcome.other:
                    continue
                error = outcome.failure.message if outcome.failure else ""
                for position, staged in enumerate(outcome.clips):
                    added.append((self._insert(connection, state, position, staged), staged))
                insert_file(connection, state, len(outcome.clips), error)
        for one, staged in added:
            if staged.character:
                keep_staged(self.library, one.id, one.hash, staged.character)
                Path(staged.character).unlink(missing_ok=True)
            if staged.plants:
                keep_travelled_plants(self.library, one.id, plants_from_json(json.loads(staged.plants))[0])
        for state, outcome in self.batch:
            self.report.other += outcome.other
            if not (outcome.clips or outcome.failure or outcome.other):
                self.report.without_motion.append(state.path)
            for staged in outcome.clips:  # those of clips that were there already; the others have moved
                shutil.rmtree(staged.folder, ignore_errors=True)
        self.report.added += [one for one, _ in added if one.new]
        self.report.known += sum(1 for one, _ in added if not one.new)
        self.batch.clear()
        self.committed_at = time.monotonic()

    def _insert(self, connection: sqlite3.Connection, state: FileState, position: int, staged: StagedClip) -> Added:
        added = insert_clip(connection, self.library.folder, staged, staged.name)
        insert_source(connection, added, state, position, staged.name)
        if self.options.tags:
            add_tags(connection, added.id, self.options.tags)
        if self.options.metadata and added.new:
            set_metadata(connection, added.id, self.options.metadata)
        keep_type(connection, added.id, staged.type)
        return added

    def _tell(self, path: str) -> None:
        if self.progress is not None:
            report = self.report
            waiting = sum(len(outcome.clips) for _, outcome in self.batch)
            done = report.read + report.skipped
            self.progress(
                ImportProgress(
                    done, report.files, path, len(report.added) + waiting, report.skipped, len(report.unreadable)
                )
            )
