"""Files appear whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary stream whose contents replace `path` when the block ends well; on any error nothing is left behind."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file name", str(target))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except FileNotFoundError:
        reason = "files cannot be made here" if target.parent.is_dir() else "the folder does not exist"
        raise FileNotFoundError(errno.ENOENT, reason, str(target.parent)) from None
    except OSError as error:
        error.filename = str(target.parent)  # not the temporary name, which means nothing to anybody
        raise
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
        if target.exists():
            mode = target.stat().st_mode & 0o7777
        else:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, name):
            error.filename, error.filename2 = str(target), None
        raise
