"""Tokens and the state machine, by the published vectors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reenact.analysis.gait_machine import flight_verdict, label_runs
from reenact.analysis.segments import Classification, Segment, segments_of
from reenact.analysis.tokens import LETTERS, condition_runs, merge_runs, runs_of_text, token_runs
from reenact.errors import ParameterError

VECTORS = {
    "LNLNL": "J5",
    "LNRNLNR": "R7",
    "BNBNB": "J5",
    "BLBRB": "W5",
    "B": "S1",
    "L": "U1",
    "NLNR": "R4",
    "BLBRNLNRNL": "W4 R6",
    "BLBRBNBLBR": "W5 J2 W3",
    "LNRNLBRBLB": "R5 W5",
    "BLNLNLB": "W2 J4 S1",
    "BNL": "U3",
}


def spelled(text: str, strict: bool = True) -> str:
    labels = label_runs(runs_of_text(text), strict).labels
    return " ".join(f"{item.label[0].upper()}{item.end - item.start}" for item in labels)


@pytest.mark.parametrize(("tokens", "wanted"), VECTORS.items())
def test_reference_vectors(tokens: str, wanted: str) -> None:
    assert spelled(tokens) == wanted


def test_worked_example_and_its_states() -> None:
    verdict = label_runs(runs_of_text("B79 L47 B39 R36 B44 N30 B19"))
    assert [(item.label, item.start, item.end) for item in verdict.labels] == [("walk", 0, 245), ("jump", 245, 294)]
    assert verdict.states[:2] == ((0, "Unknown_Both"), (79, "Walk_Left"))
    assert verdict.states[-2:] == ((245, "Unknown_None"), (275, "Jump_Both"))


def test_literal_flights() -> None:
    assert spelled("BNL", strict=False) == "R3"
    assert flight_verdict("L", "B", strict=False) == "jump"
    assert flight_verdict("L", "B", strict=True) == "unknown"


def test_leaps_are_jumps_whatever_foot_they_end_on() -> None:
    def found(text: str, leap: float) -> str:
        labels = label_runs(runs_of_text(text), leap=leap).labels
        return " ".join(f"{item.label[0].upper()}{item.end - item.start}" for item in labels)

    assert found("B50 N40 L30 B50", 30) == "J120 S50"
    assert found("B50 N40 L30 B50", 50).startswith("U90")  # too short for a leap: the published machine
    assert found("B50 N40", 30) == "J90"
    assert found("B50 N20", 30) == "U70"
    assert found("L20 N40 R20 N40 L20", 30) == "R140"  # from foot to foot it is a run, however long
    assert flight_verdict("L", "B", strict=True, leapt=True) == "jump"


def test_conditioning_of_the_recorded_jumps() -> None:
    def after(text: str) -> str:
        return " ".join(f"{run.token}{len(run)}" for run in condition_runs(runs_of_text(text), 120.0))

    assert after("B127 N49 L4 B142") == "B127 N49 B146"
    assert after("B133 L1 N57 B104") == "B134 N57 B104"
    assert after("L50 N3 R50") == "L50 B3 R50"
    assert after("L50 N30 R50") == "L50 N30 R50"
    assert after("L50 B2 L50") == "L102"


def test_wrong_text() -> None:
    with pytest.raises(ParameterError, match="'Q3'"):
        runs_of_text("B1 Q3")


TOKENS = st.lists(st.sampled_from(range(4)), min_size=1, max_size=60).map(lambda t: np.array(t, np.uint8))


@given(TOKENS)
def test_every_frame_has_one_label_and_sides_do_not_matter(tokens: np.ndarray) -> None:
    runs = token_runs(tokens)
    labels = label_runs(runs).labels
    assert labels[0].start == 0
    assert labels[-1].end == len(tokens)
    assert all(a.end == b.start and a.label != b.label for a, b in itertools.pairwise(labels))
    other = token_runs(np.array([0, 2, 1, 3], np.uint8)[tokens])
    assert label_runs(other).labels == labels


@given(TOKENS)
def test_conditioning_keeps_the_frames_and_ends(tokens: np.ndarray) -> None:
    runs = condition_runs(token_runs(tokens), 60.0)
    assert sum(map(len, runs)) == len(tokens)
    assert condition_runs(runs, 60.0) == runs
    assert merge_runs(runs) == runs
    assert set("".join(run.token for run in runs)) <= set(LETTERS)


def test_two_walks_are_one_walk() -> None:
    walk = "B10 L30 B10 R30 B10"
    assert spelled(f"{walk} L30 B10 R30") == spelled("B10 L30 B10 R30 B10 L30 B10 R30") == "W160"


def test_shares_and_labels() -> None:
    found = Classification("other", (Segment("walk", 0, 245), Segment("jump", 245, 294)))
    assert found.shares == {"walk": pytest.approx(0.8333, abs=1e-4), "jump": pytest.approx(0.1667, abs=1e-4)}
    assert segments_of(found.labels) == list(found.segments)
    assert found.share("run") == 0
