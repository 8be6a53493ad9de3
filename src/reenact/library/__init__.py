"""A project folder of clips: SQLite index, arrays by content, derived results. `Library` is the door; docs/library.md the plan.

Names are imported when first used, so that `reenact --help` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reenact.lazy_names import lazy_names

_HOME = {
    "Library": "reenact.library.store",
    "Entry": "reenact.library.entries",
    "Source": "reenact.library.entries",
    "Added": "reenact.library.rows",
    "ImportOptions": "reenact.library.import_folder",
    "ImportProgress": "reenact.library.import_folder",
    "ImportReport": "reenact.library.import_folder",
    "Failure": "reenact.library.walking",
    "VerifyReport": "reenact.library.verify",
    "Problem": "reenact.library.verify",
    "TableColumns": "reenact.library.descriptions",
    "describe_from_table": "reenact.library.descriptions",
    "export_clips": "reenact.library.export",
}

__all__ = [
    "Added",
    "Entry",
    "Failure",
    "ImportOptions",
    "ImportProgress",
    "ImportReport",
    "Library",
    "Problem",
    "Source",
    "TableColumns",
    "VerifyReport",
    "describe_from_table",
    "export_clips",
]

if TYPE_CHECKING:
    from reenact.library.descriptions import TableColumns, describe_from_table
    from reenact.library.entries import Entry, Source
    from reenact.library.export import export_clips
    from reenact.library.import_folder import ImportOptions, ImportProgress, ImportReport
    from reenact.library.rows import Added
    from reenact.library.store import Library
    from reenact.library.verify import Problem, VerifyReport
    from reenact.library.walking import Failure


__getattr__ = lazy_names(__name__, _HOME)
