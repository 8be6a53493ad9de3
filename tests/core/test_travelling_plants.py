"""Foot plants that travel with a clip: through edits, files and the library, and dropped where they would be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import reenact
from reenact.core.clip import Clip
from reenact.core.cutting import concatenate, cut_frames
from reenact.core.foot_plants import FootPlants
from reenact.core.placement import move_rigidly
from reenact.core.resample import ResampleParameters, resample
from reenact.errors import ParameterError
from reenact.library import Library
from reenact.library.kept_plants import given_plants
from reenact.samples import make_sample


@pytest.fixture
def walk() -> Clip:
    clip = make_sample("walk_normal", 60.0).clip
    return clip.with_plants(replace(reenact.detect_plants(clip), source="carried"))


def same(a: FootPlants | None, b: FootPlants | None, *, floor: float = 1e-6) -> None:
    assert a is not None
    assert b is not None
    assert a.fps == pytest.approx(b.fps)
    for side in ("left", "right"):
        for part in ("heel", "ball"):
            np.testing.assert_array_equal(getattr(a.foot(side), part), getattr(b.foot(side), part))
    assert a.floor.height == pytest.approx(b.floor.height, abs=floor)
    np.testing.assert_allclose(a.floor.normal, b.floor.normal, atol=floor)


def test_plants_of_other_frames_are_refused(walk) -> None:
    with pytest.raises(ParameterError, match=r"the plants have .* frames, the clip 10"):
        cut_frames(walk, 0, 10).with_plants(walk.plants)


def test_an_edit_drops_them(walk) -> None:
    assert replace(walk, root=walk.root + 1).plants is None
    assert walk.renamed("other").plants is walk.plants
    assert walk.with_plants(None).plants is None


def test_edits_that_know_what_they_do_take_them_along(walk) -> None:
    same(cut_frames(walk, 20, 90).plants, walk.plants.cut(20, 90))
    mirrored = reenact.mirror(walk).clip
    same(mirrored.plants.mirrored(), walk.plants)
    slower = resample(walk, ResampleParameters(fps=30.0))
    np.testing.assert_array_equal(slower.plants.left.ball, walk.plants.left.ball[::2][: len(slower)])
    joined = concatenate([walk, walk])
    assert len(joined.plants) == 2 * len(walk)
    assert concatenate([walk, walk.with_plants(None)]).plants is None


def test_the_floor_moves_with_the_motion(walk) -> None:
    tilted = replace(walk.plants.floor, normal=np.array([0.1, 0.99, 0.05]) / np.linalg.norm([0.1, 0.99, 0.05]))
    clip = walk.with_plants(walk.plants.on_floor(tilted))
    moved = move_rigidly(clip, (0.4, 0.3, -1.0), 0.7, (0.2, 0.5))
    feet = [one.world(np.float64).positions[:, one.skeleton.roles["left_foot"]] for one in (clip, moved)]
    np.testing.assert_allclose(clip.plants.floor.above(feet[0]), moved.plants.floor.above(feet[1]), atol=1e-5)


@pytest.mark.parametrize("ending", ["npz", "glb", "gltf", "bvh"])
def test_files_keep_them(walk, tmp_path: Path, ending: str) -> None:
    reenact.save(walk, tmp_path / f"walk.{ending}")
    assert (tmp_path / "walk.plants").exists() == (ending == "bvh")
    found = reenact.load(tmp_path / f"walk.{ending}")
    same(found.plants, walk.plants)
    assert found.plants.source == "carried"
    without = tmp_path / f"without.{ending}"
    reenact.save(walk, without, reenact.WriteOptions(plants=False))
    assert reenact.load(without).plants is None


def test_files_keep_them_on_skeletons_whose_root_is_offset_to_where_a_recording_began(walk, tmp_path: Path) -> None:
    offsets = walk.skeleton.offsets.copy()
    offsets[0] = (1.9, 0.9, 3.6)
    recorded = replace(walk, skeleton=replace(walk.skeleton, offsets=offsets)).with_plants(walk.plants)
    for place in ((0.0, 0.0, 0.0), (-1.6, 0.0, 0.1), (1.9, 0.0, 3.6)):
        moved = move_rigidly(recorded, place)
        reenact.save(moved, tmp_path / "walk.bvh")
        found = reenact.load(tmp_path / "walk.bvh")
        np.testing.assert_allclose(found.world().positions, moved.world().positions, atol=2e-5)
        same(found.plants, moved.plants, floor=1e-5)
        reenact.save(found, tmp_path / "again.bvh")
        np.testing.assert_allclose(reenact.load(tmp_path / "again.bvh").root, found.root, atol=2e-5)


@pytest.mark.parametrize("ending", ["glb", "bvh"])
def test_a_motion_that_was_changed_since_has_none(walk, tmp_path: Path, ending: str) -> None:
    reenact.save(walk, tmp_path / f"walk.{ending}")
    if ending == "bvh":
        kept = (tmp_path / "walk.plants").read_text()
        reenact.save(move_rigidly(walk.with_plants(None), (0.05, 0, 0)), tmp_path / "walk.bvh")
        assert (tmp_path / "walk.plants").read_text() == kept
    else:
        data = (tmp_path / "walk.glb").read_bytes()
        rows = data.index(b'"motion": [[') if b'"motion": [[' in data else data.index(b'"motion":[[')
        at = data.index(b".", rows)
        digit = b"1" if data[at + 1 : at + 2] != b"1" else b"7"
        (tmp_path / "walk.glb").write_bytes(data[: at + 1] + digit + data[at + 2 :])
    found = reenact.load(tmp_path / f"walk.{ending}")
    assert found.plants is None
    assert any("changed since" in finding.message for finding in found.origin.findings)


def test_a_file_that_is_no_plants_is_said(walk, tmp_path: Path) -> None:
    reenact.save(walk.with_plants(None), tmp_path / "walk.bvh")
    (tmp_path / "walk.plants").write_text("left foot always")
    found = reenact.load(tmp_path / "walk.bvh")
    assert found.plants is None
    assert any(finding.code == "plants.unused" for finding in found.origin.findings)


def test_the_library_keeps_them(walk, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    reenact.save(walk.renamed("saved"), tmp_path / "in" / "saved.bvh")
    with Library.create(tmp_path / "lib") as library:
        added = library.add(walk, name="walk")
        same(library.clip(added.id).plants, walk.plants)
        assert given_plants(library, "walk").source == "carried"
        library.import_folder([tmp_path / "in"])
        same(library.clip("saved").plants, walk.plants)


def test_a_chain_in_files_is_the_chain_in_memory(walk, tmp_path: Path) -> None:
    """Ten operations, three formats, the library: the plants of the last result are those of a chain that never left the process."""
    other = make_sample("walk_fast", 60.0).clip
    steps = [
        ("bvh", lambda clip: reenact.transition(clip, other, window=0.5)),
        ("npz", lambda clip: reenact.cut(clip, start=5)),
        ("glb", lambda clip: reenact.mirror(clip)),
        ("bvh", lambda clip: reenact.move(clip, x=0.5, turn=0.3)),
        ("npz", lambda clip: reenact.clean(clip)),
        ("glb", lambda clip: reenact.cut(clip, end=-4)),
        ("bvh", lambda clip: reenact.mirror(clip)),
        ("npz", lambda clip: reenact.move(clip, z=-0.2)),
        ("glb", lambda clip: reenact.cut(clip, start=2)),
        ("npz", lambda clip: reenact.resample(clip, fps=30)),
    ]
    straight = filed = walk
    with Library.create(tmp_path / "lib") as library:
        for number, (ending, step) in enumerate(steps):
            straight = step(straight).clip
            made = step(filed)
            reenact.save(made, tmp_path / f"step{number}.{ending}")
            read = reenact.load(tmp_path / f"step{number}.{ending}")
            added = library.add(read, name=f"step{number}")
            filed = library.clip(added.id)
            same(filed.plants, made.plants, floor=1e-4)
    assert len(filed) == len(straight)
    agree = [np.mean(filed.plants.foot(side).ball == straight.plants.foot(side).ball) for side in ("left", "right")]
    assert min(agree) > 0.98  # clean-ups of rounded motion may hold a frame more or less


def test_what_lies_beside_another_file_is_left_alone(walk, tmp_path: Path) -> None:
    """walk.plants belongs to walk.bvh; walk.glb holds its own, or none."""
    reenact.save(walk, tmp_path / "walk.bvh")
    reenact.save(cut_frames(walk.with_plants(None), 0, 30), tmp_path / "walk.glb")
    found = reenact.load(tmp_path / "walk.glb")
    assert found.plants is None
    assert not any(finding.code.startswith("plants") for finding in found.origin.findings)


class TestAFileWrittenByHand:
    """walk.plants that a person wrote or changed is theirs: a result saved as walk.bvh leaves it alone and says so."""

    @pytest.fixture
    def hand(self, walk, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
        file = tmp_path / "walk.plants"
        if request.param == "written":
            file.write_text("reenact plants 1 edits\nleft foot 3 9  # mine\n")
        elif request.param == "changed":
            reenact.save(walk, tmp_path / "walk.bvh")
            file.write_text(file.read_text().replace("left heel", "left foot", 1))
        else:
            file.write_text("something else altogether")
        return file

    @pytest.mark.parametrize("hand", ["written", "changed", "foreign"], indirect=True)
    def test_it_is_kept(self, walk, hand: Path) -> None:
        before = hand.read_text()
        (told,) = reenact.save(walk, hand.with_suffix(".bvh"))
        assert (told.code, told.where, told.severity) == ("plants.kept", "walk.plants", "warning")
        assert hand.read_text() == before
        assert reenact.save(walk, hand.with_suffix(".bvh"), reenact.WriteOptions(plants=False)) == ()
        assert reenact.save(walk.with_plants(None), hand.with_suffix(".bvh")) == ()
        assert hand.read_text() == before

    @pytest.mark.parametrize("hand", ["written"], indirect=True)
    def test_it_is_replaced_when_asked(self, walk, hand: Path) -> None:
        assert reenact.save(walk, hand.with_suffix(".bvh"), reenact.WriteOptions(overwrite_plants=True)) == ()
        same(reenact.load(hand.with_suffix(".bvh")).plants, walk.plants)

    @pytest.mark.parametrize("hand", ["changed"], indirect=True)
    def test_the_command_line_says_so(self, walk, hand: Path, tmp_path: Path, capsys) -> None:
        from reenact.cli.main import main

        reenact.save(walk, tmp_path / "in.npz")
        before = hand.read_text()
        words = ["cut", str(tmp_path / "in.npz"), "-o", str(hand.with_suffix(".bvh"))]
        assert main(words) == 0
        told = capsys.readouterr()
        assert "walk.plants: was written or changed by hand and is left alone" in told.err
        assert "its foot plants" not in told.out
        assert hand.read_text() == before
        assert main([*words, "--overwrite-plants"]) == 0
        assert hand.read_text() != before

    def test_what_was_written_with_a_motion_goes_with_it(self, walk, tmp_path: Path) -> None:
        reenact.save(walk, tmp_path / "walk.bvh")
        shorter = reenact.cut(walk, start=10)
        assert reenact.save(shorter, tmp_path / "walk.bvh") == ()
        same(reenact.load(tmp_path / "walk.bvh").plants, shorter.plants)
