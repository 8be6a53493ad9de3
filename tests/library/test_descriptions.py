"""Descriptions from a table."""

from pathlib import Path

import pytest

from reenact.errors import FormatError
from reenact.library import ImportOptions, Library, TableColumns, describe_from_table


@pytest.fixture
def shelf(library: Library, motion_folder: Path) -> Library:
    library.import_folder([motion_folder], ImportOptions(jobs=1))
    return library


def test_rows_find_their_clips(shelf: Library, motion_folder: Path, tmp_path: Path) -> None:
    table = motion_folder / "index.csv"
    table.write_text(
        "path,description,licence\n"
        "walks/take_00.bvh,brisk walk,CC0\n"
        'walks/take_01.bvh,"slow, sad walk",\n'
        "walks/take_02.bvh,,MIT\n"
        "walks/take_03.bvh,,\n"
        "take_04,by name,\n"
        "take_06.bvh,by file name,\n"
        "../motion/walks/take_05.bvh,by another way,\n"
        "nothing.bvh,lost,\n",
        encoding="utf-8-sig",
    )
    report = describe_from_table(shelf, table, TableColumns(metadata=("licence",)))
    assert (report.rows, report.clips, report.unmatched) == (7, 6, ["nothing.bvh"])
    assert shelf.entry("take_00").description == "brisk walk"
    assert shelf.entry("take_02").metadata["licence"] == "MIT"
    assert shelf.entry("take_05").description == "by another way"
    assert [entry.name for entry in shelf.entries("sad walk")] == ["take_01"]
    assert [entry.name for entry in shelf.entries("licence:cc0")] == ["take_00"]


def test_paths_below_the_imported_folder_are_known_from_anywhere(shelf: Library, tmp_path: Path) -> None:
    table = tmp_path / "elsewhere.csv"
    table.write_text("file,what\nwalks/take_00.bvh,jump\n")
    assert describe_from_table(shelf, table, TableColumns("file", "what")).clips == 1


def test_empty_cells_change_nothing(shelf: Library, tmp_path: Path) -> None:
    shelf.describe("take_00", "kept")
    table = tmp_path / "t.csv"
    table.write_text("path,description\ntake_00,\n")
    assert describe_from_table(shelf, table).rows == 0
    assert shelf.entry("take_00").description == "kept"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no column 'path'; there are none"),
        (b"a,b\n1,2\n", "no column 'path'; there are a, b"),
        (b"path,text\n1,2\n", "no column 'description'"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'path,description\n"x,y\n', "not a CSV"),
    ],
)
def test_bad_tables_are_format_errors(shelf: Library, tmp_path: Path, data: bytes, says: str) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(data)
    with pytest.raises(FormatError, match=says):
        describe_from_table(shelf, table)


def test_no_table(shelf: Library, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        describe_from_table(shelf, tmp_path / "none.csv")


def test_percent_and_underscore_are_not_wildcards(shelf: Library, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("path,description\ntake%,x\ntakex00.bvh,x\n%.bvh,x\n")
    assert describe_from_table(shelf, table).clips == 0
