from __future__ import annotations

import pytest

from reenact.analysis.chains import group_joints, named_chains
from reenact.errors import ParameterError
from reenact.graft.chain_choice import chest_of, choose_chains


def test_an_unknown_chain_lists_those_there_are(sample) -> None:
    with pytest.raises(ParameterError, match=r"no chain 'tail'; there are .*left_arm.*upper"):
        choose_chains(sample("walk_normal").skeleton, "tail")


@pytest.mark.parametrize("chains", ["legs", "left_leg", "lower", "upper,left_foot"])
def test_legs_are_the_bases(sample, chains: str) -> None:
    with pytest.raises(ParameterError, match="always those of the base"):
        choose_chains(sample("walk_normal").skeleton, chains)


@pytest.mark.parametrize("chains", ["", " , ", ()])
def test_nothing_is_not_a_choice(sample, chains) -> None:
    with pytest.raises(ParameterError, match="say which chains"):
        choose_chains(sample("walk_normal").skeleton, chains)


def test_a_way_that_does_not_run_down_the_tree_is_refused(sample) -> None:
    with pytest.raises(ParameterError, match="does not lie below"):
        choose_chains(sample("walk_normal").skeleton, "left_hand..chest")


def test_an_arm_does_not_own_the_chest(sample) -> None:
    skeleton = sample("walk_normal").skeleton
    chest = chest_of(skeleton)
    assert chest not in choose_chains(skeleton, "left_arm").joints
    assert chest not in choose_chains(skeleton, "chest..left_hand").joints
    assert chest in choose_chains(skeleton, "chest..left_hand", include_base=True).joints


def test_the_upper_body_is_all_but_root_and_legs(sample) -> None:
    skeleton = sample("walk_normal").skeleton
    found = choose_chains(skeleton, "upper")
    groups = group_joints(skeleton)
    assert set(found.joints) == set(range(len(skeleton))) - set(groups["root"]) - set(groups["lower"])
    assert found.spine
    assert found.spine[-1] == chest_of(skeleton)
    assert found.arms == ("left", "right")


def test_chains_add_up(sample) -> None:
    skeleton = sample("walk_normal").skeleton
    known = named_chains(skeleton)
    assert choose_chains(skeleton, "left_arm, head").joints == tuple(sorted(known["left_arm"] + known["head"]))
    assert choose_chains(skeleton, ["arms"]).spine == ()
    assert choose_chains(skeleton, "head").neck
