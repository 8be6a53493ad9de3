"""The search: known answers, filters, and any text at all as a question."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.errors import ParameterError
from reenact.library import Library
from reenact.library.search import parse_query


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Six clips with labels."""
    from reenact.core.clip import Clip
    from reenact.core.skeleton import Skeleton

    def clip(frames: int, fps: float, joints: tuple[str, ...] = ("Hips", "LeftUpLeg")) -> Clip:
        skeleton = Skeleton(joints, np.arange(-1, len(joints) - 1, dtype=np.int32), np.ones((len(joints), 3)))
        rotations = np.tile(np.float32([1, 0, 0, 0]), (frames, len(joints), 1))
        return Clip(skeleton, rotations, np.zeros((frames, 3), np.float32), fps)

    with Library.create(tmp_path_factory.mktemp("shelf") / "lib") as made:
        made.add(
            clip(100, 120),
            name="02_01",
            description="walk",
            tags=["locomotion"],
            metadata={"type": "walk", "subject": 2},
        )
        made.add(
            clip(600, 120),
            name="02_02",
            description="brisk walk with a turn",
            tags=["locomotion", "Turn"],
            metadata={"subject": 2},
        )
        made.add(
            clip(90, 30),
            name="WalkStairs",
            description="climbing 3 steps",
            metadata={"type": "Stairs", "subject": 12.5},
        )
        made.add(
            clip(60, 60), name="run", description="running, not a walk", tags=["two words"], metadata={"type": "run"}
        )
        made.add(clip(10, 60, ("Root", "Tail", "Paw")), name="dog", description="chien été")
        made.add(clip(11, 119.88), name="odd", description='a "quoted" * (word) AND OR NOT NEAR')
        yield made


def found(shelf: Library, query: str) -> list[str]:
    return [entry.name for entry in shelf.entries(query)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"02_01", "02_02", "WalkStairs", "run", "dog", "odd"}),
        ("walk", {"02_01", "02_02", "WalkStairs", "run"}),
        ("WALK turn", {"02_02"}),
        ("run", {"run"}),
        ("runn", {"run"}),
        ('"brisk walk"', {"02_02"}),
        ('"walk brisk"', set()),
        ("walk -stairs", {"02_01", "02_02", "run"}),
        ("-walk", {"dog", "odd"}),
        ("02", {"02_01", "02_02"}),
        ("02_01", {"02_01"}),
        ("name:walk", {"WalkStairs"}),
        ("description:walk", {"02_01", "02_02", "run"}),
        ("joints:leftup", {"02_01", "02_02", "WalkStairs", "run", "odd"}),
        ("joints:leg", {"02_01", "02_02", "WalkStairs", "run", "odd"}),
        ("paw", {"dog"}),
        ("ete", {"dog"}),
        ("tag:locomotion", {"02_01", "02_02"}),
        ("tag:TURN", {"02_02"}),
        ('tag:"two words"', {"run"}),
        ("-tag:locomotion walk", {"WalkStairs", "run"}),
        ("tag:nothing", set()),
        ("type:walk", {"02_01"}),
        ("type:stairs", {"WalkStairs"}),
        ("type=stairs", {"WalkStairs"}),
        ("type!=stairs", {"02_01", "02_02", "run", "dog", "odd"}),
        ("subject:2", {"02_01", "02_02"}),
        ("subject>2", {"WalkStairs"}),
        ("subject>=2", {"02_01", "02_02", "WalkStairs"}),
        ("fps=120", {"02_01", "02_02"}),
        ("fps!=120", {"WalkStairs", "run", "dog", "odd"}),
        ("fps=119.88", {"odd"}),
        ("fps<60", {"WalkStairs"}),
        ("seconds>2", {"02_02", "WalkStairs"}),
        ("seconds>=3 seconds<=3", {"WalkStairs"}),
        ("joints=3", {"dog"}),
        ("frames<100 fps>=60", {"run", "dog", "odd"}),
        ("-fps=120 walk", {"WalkStairs", "run"}),
        ("AND OR NOT NEAR", {"odd"}),
        ("quoted", {"odd"}),
    ],
)
def test_known_answers(shelf: Library, query: str, names: set[str]) -> None:
    assert set(found(shelf, query)) == names


@pytest.mark.parametrize(
    "query", ['walk "', '"walk', "walk*", "(walk)", "walk)", "^walk", "walk ' ; --", "+walk", "walk\0"]
)
def test_stray_signs_do_no_harm(shelf: Library, query: str) -> None:
    assert "02_01" in found(shelf, query)


@pytest.mark.parametrize(
    "query", ['"', "*", "-", "--", ":", "a:", "=", "tag:", '""', 'tag:""', "{x", "NEAR(", "col:(a b)", "words MATCH"]
)
def test_odd_questions_have_an_answer(shelf: Library, query: str) -> None:
    assert isinstance(found(shelf, query), list)


@given(st.text(max_size=40) | st.text(alphabet='"*()-:=<>!^ anwalkfps.1', max_size=30))
def test_no_text_breaks_the_search(shelf: Library, text: str) -> None:
    with contextlib.suppress(ParameterError):  # a comparison with no number
        found(shelf, text)


@pytest.mark.parametrize("query", ["fps>fast", "seconds=long", "joints<x", "subject>old"])
def test_comparing_with_no_number_is_said(query: str) -> None:
    with pytest.raises(ParameterError, match="needs a number"):
        parse_query(query)


def test_the_best_comes_first(shelf: Library) -> None:
    assert found(shelf, "walk")[0] == "WalkStairs"  # in the name
    assert found(shelf, "run")[0] == "run"


def test_limit_and_order_without_words(shelf: Library) -> None:
    assert [entry.name for entry in shelf.entries(limit=2)] == ["02_01", "02_02"]
    assert [entry.name for entry in shelf] == sorted(["02_01", "02_02", "WalkStairs", "run", "dog", "odd"])


def test_changes_are_found_at_once(tmp_path: Path, make_clip) -> None:
    with Library.create(tmp_path / "l") as library:
        library.add(make_clip(1))
        library.describe("clip1", "somersault")
        assert found(library, "somer") == ["clip1"]
        library.describe("clip1", "")
        library.tag("clip1", "cartwheel")
        assert found(library, "somer") == []
        assert found(library, "cartwheel") == ["clip1"]
        library.rename("clip1", "Backflip")
        assert found(library, "clip1") == []
        assert found(library, "flip") == []
        assert found(library, "backfl") == ["Backflip"]
