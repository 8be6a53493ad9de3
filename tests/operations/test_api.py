"""Every operation as a function of `reenact`, made from one entry of the registry."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import reenact
from reenact.blend.clean import CleanParameters
from reenact.core.clip import Clip
from reenact.core.cutting import cut_frames
from reenact.core.parameters import check_ranges, option
from reenact.library import Library
from reenact.operations import registry
from reenact.operations.api import api_function, make_function
from reenact.operations.operation import LIBRARY_CLIPS, ONE_CLIP, SOME_CLIPS, Operation
from reenact.operations.registry import OPERATIONS
from reenact.operations.stubs import stub_text
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make_sample("walk_normal", 60.0).clip


@pytest.fixture(scope="module")
def fast() -> Clip:
    return make_sample("walk_fast", 60.0).clip


class TestBadInput:
    def test_a_parameter_that_is_none(self, walk, fast) -> None:
        with pytest.raises(reenact.ParameterError, match="no parameter 'windoww'; did you mean 'window'"):
            reenact.transition(walk, fast, windoww=0.5)
        with pytest.raises(reenact.ParameterError, match="method must be one of crossfade"):
            reenact.transition(walk, fast, method="bogus")
        with pytest.raises(reenact.ParameterError, match="fps must be above 0"):
            reenact.resample(walk, fps=np.float32(-3))

    def test_what_is_no_clip(self, walk) -> None:
        with pytest.raises(reenact.ParameterError, match=r"argument 1 of cut must be a clip.*not str"):
            reenact.cut("walk.bvh")
        with pytest.raises(reenact.ParameterError, match="cut takes one clip, 2 were given"):
            reenact.cut(walk, walk)

    def test_parameters_of_something_else(self, walk) -> None:
        with pytest.raises(reenact.ParameterError, match="parameters must be CutParameters, not CleanParameters"):
            reenact.cut(walk, parameters=CleanParameters())

    def test_plants_that_do_not_fit(self, walk, fast) -> None:
        plants = reenact.detect_plants(walk)
        with pytest.raises(reenact.ParameterError, match="1 sets of foot plants for 2 clips"):
            reenact.transition(walk, fast, plants=plants)
        with pytest.raises(reenact.ParameterError, match="cut takes no foot plants"):
            reenact.cut(walk, plants=plants)

    def test_no_such_function(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'fly'"):
            reenact.fly  # noqa: B018


def test_what_was_made_serves_where_a_clip_is_wanted(walk, fast, tmp_path: Path) -> None:
    made = reenact.transition(walk, fast, window=0.5)
    assert isinstance(made, reenact.Made)
    assert made.clip.plants is made.plants
    again = reenact.loop(reenact.cut(made, start=3), count=2)
    assert again.report["plants_used"] == ["carried"]
    reenact.save(made, tmp_path / "made.npz")
    np.testing.assert_array_equal(reenact.load(tmp_path / "made.npz").rotations, made.clip.rotations)


def test_keywords_and_parameter_classes_are_one(walk) -> None:
    by_class = reenact.clean(walk, parameters=CleanParameters(anchor="start", ramp=0.2))
    by_words = reenact.clean(walk, anchor="start", ramp=0.2)
    both = reenact.clean(walk, parameters=CleanParameters(anchor="start"), ramp=0.2)
    for other in (by_words, both):
        np.testing.assert_array_equal(by_class.clip.rotations, other.clip.rotations)


def test_packages_of_the_same_name_stay_packages(walk, fast) -> None:
    import reenact.blend.clean
    import reenact.render.strip

    assert reenact.blend(walk, fast, weights=(0.3, 0.7)).report["weights"] == [0.3, 0.7]
    assert reenact.blend.clean.clean is not None
    assert reenact.render(walk, count=3).size[0] > 100


def test_what_is_no_clip_comes_back_as_it_is(walk, fast) -> None:
    assert reenact.detect_plants(walk, detector="static").source == "static"
    assert reenact.classify(walk).type == "walk"
    assert reenact.check(walk).ok
    assert reenact.register(walk, fast).quality.q < 1
    assert [part.name for part in reenact.split(walk, part=("a 0 20", "b 20 40"))] == ["a", "b"]


def test_the_names_are_the_operations_and_nothing_else() -> None:
    names = dir(reenact)
    assert {operation.function_name for operation in OPERATIONS} < set(names)
    assert not [name for name in names if name.startswith("_") and name != "__version__"]
    for name in names:
        assert getattr(reenact, name) is not None
    for operation in OPERATIONS:
        function = make_function(operation)
        assert operation.help in (function.__doc__ or "")
        assert operation.example in (function.__doc__ or "")
        assert f"reenact.{operation.function_name}(" in operation.example
        arguments = list(inspect.signature(function).parameters)
        assert arguments[: len(operation.inputs)] == [one.name for one in operation.inputs]


def test_every_operation_can_be_called_from_the_top_whatever_was_imported() -> None:
    """`reenact.walk` is a package as well as an operation: it must be a function before and after its modules are used."""
    code = (
        "import importlib, pkgutil, reenact; from reenact.operations.registry import OPERATIONS; "
        "names = [o.function_name for o in OPERATIONS]; "
        "before = [n for n in names if not callable(getattr(reenact, n))]; "
        "[importlib.import_module('reenact.' + m.name) for m in pkgutil.iter_modules(reenact.__path__)]; "
        "print(before, [n for n in names if not callable(getattr(reenact, n))])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[] []\n"


def test_importing_stays_quick() -> None:
    code = (
        "import sys, reenact; print(sorted(m for m in ('numpy', 'scipy', 'numba', 'PIL', 'typer') if m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_types_for_editors_are_those_of_the_registry() -> None:
    """Run `python -m reenact.operations.stubs` when this fails."""
    assert Path(reenact.__file__).with_suffix(".pyi").read_text() == stub_text()
    assert Path(reenact.__file__).with_name("py.typed").exists()


@dataclass(frozen=True, slots=True)
class NudgeParameters:
    """How far."""

    up: float = option(0.1, "metres upwards", unit="m", low=0, high=1)

    def __post_init__(self) -> None:
        check_ranges(self)


def nudge(clip: Clip, parameters: NudgeParameters) -> Clip:
    """The clip lifted."""
    return replace(clip, root=clip.root + np.array([0, parameters.up, 0], np.float32))


def test_one_entry_makes_verb_function_form_and_page(walk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = Operation(
        "nudge", "Lift a motion.", f"{__name__}:nudge", f"{__name__}:NudgeParameters", example="reenact.nudge(walk)"
    )
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr(registry, "OPERATIONS", (*OPERATIONS, entry))
    monkeypatch.setattr(sys.modules[__name__], "nudge", nudge)
    api_function.cache_clear()
    from reenact.cli.main import main
    from reenact.cli.reference import command_reference
    from reenact.studio.forms import describe_operations

    assert reenact.nudge(walk, up=0.2).clip.root[0, 1] == pytest.approx(walk.root[0, 1] + 0.2)
    with pytest.raises(reenact.ParameterError, match="up must be 0 to 1 m"):
        reenact.nudge(walk, up=3)
    reenact.save(walk, tmp_path / "walk.bvh")
    assert main(["nudge", str(tmp_path / "walk.bvh"), "--up", "0.3", "-o", str(tmp_path / "up.npz")]) == 0
    lifted, plain = reenact.load(tmp_path / "up.npz"), reenact.load(tmp_path / "walk.bvh")
    assert lifted.root[0, 1] == pytest.approx(plain.root[0, 1] + 0.3, abs=1e-5)
    form = next(form for form in describe_operations() if form.name == "nudge")
    assert [(field.name, field.unit) for field in form.parameters] == [("up", "m")]
    page = next(one for one in command_reference() if one.name == "nudge")
    assert (page.help, page.example) == ("Lift a motion.", "reenact.nudge(walk)")
    assert ("--up", "metres upwards [m] (0 to 1 m) Default: 0.1.") in page.options
    assert page.function.startswith("reenact.nudge(\n    clip: Clip | Made,\n    up: float = 0.1,\n")
    monkeypatch.delattr(reenact, "nudge")
    api_function.cache_clear()


def measure(clip: Clip, parameters: NudgeParameters) -> dict[str, float]:
    """A table."""
    return {"height": float(clip.root[0, 1]) + parameters.up}


def halve(clip: Clip, parameters: NudgeParameters) -> list[Clip]:
    """Two clips."""
    return [cut_frames(clip, 0, 50).renamed("former"), cut_frames(clip, 50, 100).renamed("latter")]


def draw(clips: list[Clip], parameters: NudgeParameters) -> Image.Image:
    """A picture."""
    return Image.new("RGB", (8 * len(clips), 4))


def count(library: Library, names: list[str], parameters: NudgeParameters) -> dict[str, int]:
    """A table of a library."""
    return {"clips": len(library), "named": len(names)}


def page_of(result: dict[str, float]) -> str:
    """A page of a table."""
    return f"<p>{result['height']:.1f}</p>"


@pytest.mark.parametrize("name", ["measure", "halve", "draw", "count"])
def test_what_makes_no_clip_is_a_verb_too(
    name: str, walk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line of an operation is made from its entry whatever it takes and gives."""
    from reenact.cli.main import main

    gives = {"halve": "clips", "draw": "picture"}.get(name, "table")
    inputs = {"draw": SOME_CLIPS, "count": LIBRARY_CLIPS}.get(name, ONE_CLIP)
    page = f"{__name__}:page_of" if name == "measure" else ""
    entry = Operation(name, name, f"{__name__}:{name}", f"{__name__}:NudgeParameters", inputs, gives, page=page)
    monkeypatch.setattr(registry, "OPERATIONS", (*OPERATIONS, entry))
    reenact.save(walk, tmp_path / "walk.npz")
    with Library.create(tmp_path / "lib") as library:
        library.add(walk)
    given = [str(tmp_path / "lib"), "walk_normal"] if name == "count" else [str(tmp_path / "walk.npz")]
    more = {
        "measure": ["--up", "0.5", "--html", str(tmp_path / "page.html")],
        "halve": ["-o", str(tmp_path / "parts"), "--format", "npz"],
        "draw": [str(tmp_path / "walk.npz"), "-o", str(tmp_path / "drawn.png")],
        "count": [],
    }[name]
    assert main([name, *given, *more, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    if name == "measure":
        assert told["height"] == pytest.approx(walk.root[0, 1] + 0.5)
        assert (tmp_path / "page.html").read_text() == f"<p>{told['height']:.1f}</p>"
        assert make_function(entry)(walk, up=0.5)["height"] == told["height"]
    elif name == "halve":
        assert [Path(out).name for out in told["out"]] == ["former.npz", "latter.npz"]
        assert len(reenact.load(told["out"][1])) == 50
        assert [row["frames"] for row in told["report"]["parts"]] == [50, 50]
    elif name == "draw":
        with Image.open(tmp_path / "drawn.png") as drawn:
            assert drawn.size == (16, 4)
        assert told["report"] == {"pixels": [16, 4]}
    else:
        assert (told["clips"], told["named"]) == (1, 1)
    assert main([name, *given, *more]) == 0


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.create(tmp_path_factory.mktemp("held") / "lib") as held:
        for name in ("walk_normal", "walk_fast"):
            held.add(make_sample(name, 60.0).clip)
        yield held


class TestOfALibrary:
    def test_bad_input(self, library, walk) -> None:
        with pytest.raises(
            reenact.ParameterError, match="argument 1 of sequence must be a library or its folder, not Clip"
        ):
            reenact.sequence(walk, "walk_fast")
        with pytest.raises(reenact.ParameterError, match="argument 2 of sequence must be the name of a clip"):
            reenact.sequence(library, walk)
        with pytest.raises(reenact.ParameterError, match="at least two clips, 1 named"):
            reenact.sequence(library, "walk_fast")
        with pytest.raises(reenact.ParameterError, match="method must be one of crossfade"):
            reenact.sequence(library, "walk_normal", "walk_fast", method="bogus")
        with pytest.raises(reenact.ParameterError, match="number 900 is not one of them"):
            reenact.sequence(library, "walk_normal", "walk_fast", pick=900)

    def test_a_sequence_of_an_opened_library_or_its_folder(self, library) -> None:
        made = reenact.sequence(library, "walk_normal", "walk_fast", window=0.6)
        assert isinstance(made, reenact.Made)
        assert made.plants is not None
        assert made.report["picked"] == 1
        assert [row["clip"] for row in made.report["plans"][0]["played"]] == ["walk_normal", "walk_fast"]
        again = reenact.sequence(str(library.folder), ["walk_normal", "walk_fast"], window=0.6)
        np.testing.assert_array_equal(made.clip.rotations, again.clip.rotations)


def test_a_character_serves_for_its_skeleton(walk) -> None:
    """`map` takes a character that has no clip at all."""
    names = tuple(f"rig:{name}" for name in walk.skeleton.names)
    skeleton = replace(walk.skeleton, names=names, roles={})
    joints = len(skeleton)
    none = np.zeros((0, 1))
    knight = reenact.Character(
        skeleton, np.zeros((0, 3)), np.zeros((0, 3)), none, none, np.tile(np.eye(4), (joints, 1, 1)), name="knight"
    )
    made = reenact.map(walk, knight)
    assert made.clip.skeleton.names == names
    assert len(made) == len(walk)
    with pytest.raises(reenact.ParameterError, match="argument 1 of map must be a clip"):
        reenact.map(knight, walk)
