"""A body of capsules, and a walk, that most tests of this folder share."""

from __future__ import annotations

import pytest
from tests.capsule_body import capsule_body

import reenact
from reenact.samples import make_sample


@pytest.fixture(scope="module")
def body():
    return capsule_body()


@pytest.fixture(scope="module")
def walk():
    return reenact.cut(make_sample("walk_normal").clip, start=0, end=200).clip
