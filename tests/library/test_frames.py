"""A library as one frame store."""

import numpy as np
import pytest

from reenact.errors import LibraryError
from reenact.library import Library


def test_a_library_as_one_store(library: Library, make_clip) -> None:
    clips = [
        make_clip(seed, frames=5 + seed, size=1 + 0.1 * seed, moving=seed == 1, name=f"c{seed}") for seed in range(3)
    ]
    for clip in clips:
        library.add(clip, tags=["odd"] if clip.name != "c1" else [])
    store = library.frame_store()
    assert (len(store), store.frames, store.names) == (3, 18, ("c0", "c1", "c2"))
    np.testing.assert_array_equal(store.rotations[5:11], clips[1].rotations)
    assert store.skeletons[2].offsets.tobytes() == clips[2].skeleton.offsets.tobytes()
    assert library.frame_store("tag:odd").names == ("c0", "c2")
    assert library.frame_store(["c2", 1]).names == ("c2", "c0")


def test_several_trees_are_named(library: Library, make_clip) -> None:
    library.add(make_clip(1))
    library.add(make_clip(2, names=tuple("abcdefg")))
    with pytest.raises(LibraryError, match="2 different skeletons"):
        library.frame_store()
    with pytest.raises(LibraryError, match="no clips"):
        library.frame_store("tag:none")
