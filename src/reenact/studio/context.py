"""What a running studio is made of, put together when the server starts and taken apart when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from reenact.studio.answers import hide_folder
from reenact.studio.events import Events
from reenact.studio.history import History
from reenact.studio.jobs import Jobs
from reenact.studio.parameter_files import ParameterFiles
from reenact.studio.render_desk import RenderDesk
from reenact.studio.security import Access
from reenact.studio.shelf import Shelf
from reenact.studio.uploads import UPLOAD_LIMIT
from reenact.studio.watch import Watch
from reenact.studio.workers import Workers

OPERATIONS_AT_ONCE = 2

STATIC = Path(__file__).parent / "static"
"""Folder of the built pages."""


@dataclass(frozen=True, slots=True)
class StudioSettings:
    """How a studio is opened.

    Attributes:
        folder: of the library.
        access: who is let in.
        title: for people; empty: the folder's name.
        temporary: the library goes when the studio does.
        read_only: nothing may be changed.
        upload_limit: bytes of one uploaded file, at most.
        static: folder of the built pages.
        desk: pictures that were ordered of this server.
    """

    folder: Path
    access: Access
    title: str = ""
    temporary: bool = False
    read_only: bool = False
    upload_limit: int = UPLOAD_LIMIT
    static: Path = STATIC
    desk: RenderDesk = field(default_factory=RenderDesk)


@dataclass(frozen=True, slots=True)
class Studio:
    """The parts of a running studio.

    Attributes:
        settings: how it was opened.
        shelf: the library.
        events: news for the pages.
        watch: notices changes of the library.
        jobs: operations.
        history: what can be undone.
        uploads: the process that reads uploaded files.
        pictures: the process that draws thumbnails.
        files: those that were sent for parameters.
        landing: folder for files on their way in or out.
    """

    settings: StudioSettings
    shelf: Shelf
    events: Events
    watch: Watch
    jobs: Jobs
    history: History
    uploads: Workers
    pictures: Workers
    files: ParameterFiles
    landing: Path

    @property
    def kept(self) -> Path:
        """Folder of the files of this session that wait for those they belong to: skeletons, foot plants, credits."""
        return self.landing / "kept"


@contextlib.asynccontextmanager
async def running(settings: StudioSettings) -> AsyncIterator[Studio]:
    """A studio for the length of the block."""
    shelf = Shelf(settings.folder, read_only=settings.read_only)
    landing = Path(tempfile.mkdtemp(prefix="reenact-studio-"))
    hide_folder(shelf.folder)
    hide_folder(landing)
    read_only = not shelf.writable
    operations, uploads, pictures = (
        Workers(shelf.folder, count, read_only=read_only) for count in (OPERATIONS_AT_ONCE, 1, 1)
    )
    events = Events()
    watch = Watch(shelf, events)
    history = History(shelf, events, landing / "removed")
    jobs = Jobs(shelf, operations, events, watch.look, landing, history)
    looking = asyncio.create_task(watch.run())
    try:
        files = ParameterFiles(landing / "parameters")
        yield Studio(settings, shelf, events, watch, jobs, history, uploads, pictures, files, landing)
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
        await jobs.close()
        for workers in (operations, uploads, pictures):
            await workers.close()
        watch.close()
        shelf.close()
        shutil.rmtree(landing, ignore_errors=True)
