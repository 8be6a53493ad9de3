"""The index's version: made, brought up to date, refused when it is from the future."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from reenact.errors import LibraryError
from reenact.library import Library
from reenact.library.clip_files import clip_folder, install_arrays, make_staging, stage_clip
from reenact.library.labels import index_words
from reenact.library.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, migrate, schema_version


@contextlib.contextmanager
def opened(path: Path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def build_version_1(folder: Path, clips) -> None:
    """A library as version 1 left it: the tables of that version, size and time with each source."""
    (folder / "incoming").mkdir(parents=True)
    path = folder / "library.sqlite"
    with opened(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, path, target=1)
        for number, clip in enumerate(clips, 1):
            staged = stage_clip(clip, make_staging(folder))
            connection.execute(
                "INSERT INTO skeletons VALUES (?, ?, ?, ?, ?)", (number, f"k{number}", staged.tree, 7, staged.skeleton)
            )
            connection.execute(
                "INSERT INTO clips VALUES (?, ?, ?, ?, ?, ?, ?, 'null', ?, ?, 0, 'a walk', '2024-01-01T00:00:00+00:00')",
                (number, staged.hash, clip.name, number, 20, 60.0, 1 / 3, staged.bytes, staged.origin),
            )
            install_arrays(folder, staged)
            connection.execute(
                "INSERT INTO sources VALUES (?, '/data/all.glb', 'all.glb', ?, ?, 1234, 99)",
                (number, number - 1, clip.name),
            )
            connection.execute("INSERT INTO tags VALUES (?, ?)", (number, f"tag{number}"))
            connection.execute("INSERT INTO clip_tags VALUES (?, ?)", (number, number))
            index_words(connection, number)


def test_version_1_becomes_current_with_all_it_held(tmp_path: Path, make_clip) -> None:
    clips = [make_clip(1, name="one"), make_clip(2, name="two", size=1.1)]
    build_version_1(tmp_path / "old", clips)
    with Library(tmp_path / "old") as library:
        assert library.index.migrated_from == tmp_path / "old" / "library.sqlite.v1.backup"
        assert [entry.name for entry in library] == ["one", "two"]
        assert library.clip("two").rotations.tobytes() == clips[1].rotations.tobytes()
        source = library.entry("two").sources[0]
        assert (source.path, source.relative, source.position, source.options) == ("/data/all.glb", "all.glb", 1, {})
        assert library.entry("one").tags == ("tag1",)
        with library.index.reading() as connection:
            assert schema_version(connection) == SCHEMA_VERSION
            rows = [
                tuple(row)
                for row in connection.execute("SELECT path, options, size, mtime_ns, clips, error FROM files")
            ]
        assert rows == [("/data/all.glb", "{}", 1234, 99, 2, "")]
        assert library.verify(repair=True).sound
        assert [entry.name for entry in library.entries("walk two")] == ["two"]
    with Library(tmp_path / "old") as again:
        assert again.index.migrated_from is None


def test_the_copy_made_before_a_migration_is_the_old_index(tmp_path: Path, make_clip) -> None:
    build_version_1(tmp_path / "old", [make_clip(1)])
    Library(tmp_path / "old").close()
    with opened(tmp_path / "old" / "library.sqlite.v1.backup") as connection:
        assert schema_version(connection) == 1
        assert connection.execute("SELECT size FROM sources").fetchone()[0] == 1234
    assert not list((tmp_path / "old").glob("*.part"))


def test_a_failing_migration_changes_nothing(tmp_path: Path, make_clip, monkeypatch) -> None:
    build_version_1(tmp_path / "old", [make_clip(1)])

    def fail(connection: sqlite3.Connection) -> None:
        MIGRATIONS[1](connection)
        raise sqlite3.OperationalError("no more")

    monkeypatch.setattr("reenact.library.schema.MIGRATIONS", (MIGRATIONS[0], fail))
    with pytest.raises(LibraryError, match="no more"):
        Library(tmp_path / "old")
    monkeypatch.undo()
    with opened(tmp_path / "old" / "library.sqlite") as connection:
        assert schema_version(connection) == 1
    assert len(Library(tmp_path / "old")) == 1


def test_several_processes_may_open_an_old_library_at_once(tmp_path: Path, make_clip) -> None:
    build_version_1(tmp_path / "old", [make_clip(1)])
    code = "import sys; from reenact.library import Library; print(len(Library(sys.argv[1])))"
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "old")], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["1"] * 4


def test_a_newer_library_is_refused(library: Library) -> None:
    with opened(library.index.path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(
        LibraryError, match=rf"newer reenact \(schema {SCHEMA_VERSION + 1}; this one knows up to {SCHEMA_VERSION}\)"
    ):
        Library(library.folder)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "library.sqlite") as connection:
        connection.execute("CREATE TABLE other (x)")
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(LibraryError, match="another program"):
        Library(tmp_path)
    with pytest.raises(LibraryError):
        Library.create(tmp_path)


def test_a_library_whose_making_was_cut_short_can_be_completed(tmp_path: Path) -> None:
    (tmp_path / "library.sqlite").touch()
    with pytest.raises(LibraryError, match="init"):
        Library(tmp_path)
    with Library.create(tmp_path) as library:
        assert len(library) == 0


def test_index_is_marked_and_uses_a_write_ahead_log(library: Library) -> None:
    with library.index.reading() as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_clip_folder_is_spread_over_two_digits(tmp_path: Path) -> None:
    assert clip_folder(tmp_path, "abcdef") == tmp_path / "clips" / "ab" / "abcdef"
