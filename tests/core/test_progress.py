"""How far work is: stages within stages, and methods that say it."""

from __future__ import annotations

import pytest

from reenact.blend.blend import BlendParameters, blend
from reenact.core.progress import heard, stage, tell
from reenact.edit.transition import TransitionParameters, transition
from reenact.samples import make_sample


def test_nobody_listens() -> None:
    tell(0.5, "alone")
    with stage(0.0, 1.0, "alone"):
        tell(2.0)


def test_shares_stay_within_the_whole() -> None:
    told: list[tuple[float, str]] = []
    with heard(lambda share, words: told.append((share, words))):
        tell(-1, "before")
        with stage(0.2, 0.6, "middle"):
            tell(0.5)
            with stage(0.5, 1.0):
                tell(1.0, "deep")
        tell(7.0, "after")
    tell(0.9, "unheard")
    assert told == [
        (0.0, "before"), (0.2, "middle"), (pytest.approx(0.4), "middle"), (pytest.approx(0.4), "middle"),
        (pytest.approx(0.6), "deep"), (1.0, "after"),
    ]  # fmt: skip


def test_a_listener_ends_with_its_block_also_when_it_fails() -> None:
    told: list[float] = []
    with pytest.raises(ZeroDivisionError), heard(lambda share, _: told.append(share)), stage(0.0, 0.5):
        tell(1 / 0)
    tell(0.7)
    assert told == [0.0]


def test_methods_say_how_far_they_are() -> None:
    walk, run = (make_sample(name, 60.0).clip for name in ("walk_normal", "run"))
    told: list[tuple[float, str]] = []
    with heard(lambda share, words: told.append((share, words))):
        transition([walk, run, walk], TransitionParameters(window=0.4))
    shares = [share for share, _ in told]
    assert max(shares) >= 0.5, "the second join is the second half"
    assert any(words.startswith("trying frames") for _, words in told)
    told.clear()
    with heard(lambda share, words: told.append((share, words))):
        blend([walk, make_sample("walk_fast", 60.0).clip], BlendParameters(weights="0.5,0.5"))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert len(set(shares)) >= 5
