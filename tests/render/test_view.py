import pytest

from reenact.errors import ParameterError
from reenact.render.view import VIEWS, View, parse_view


@pytest.mark.parametrize("name", VIEWS)
def test_named_views_are_found(name):
    assert parse_view(name) is VIEWS[name]


def test_angles_are_read_as_azimuth_and_elevation():
    assert parse_view("-30, 15.5") == View(-30, 15.5)


@pytest.mark.parametrize("text", ["", "above", "1", "1,2,3", "a,b"])
def test_an_unknown_view_names_the_choices(text):
    with pytest.raises(ParameterError, match="three-quarter, side, front, back, top"):
        parse_view(text)


@pytest.mark.parametrize("text", ["0,91", "0,-91", "nan,0", "inf,0", "0,nan"])
def test_impossible_angles_are_refused(text):
    with pytest.raises(ParameterError):
        parse_view(text)
