"""Layers of options: which one wins, and the file and line that a value is said to be from."""

from dataclasses import dataclass

import pytest
from helpers import edit_yaml, make_plan

from fedreact.errors import UserError
from fedreact.resolve.layers import Layer, Layers, Location, Option

YAML = """\
a: &a
  rounds: 60
  C: 1.0
b:
  <<: *a
  C: 2.0
"""


@dataclass(frozen=True)
class Options:
    rounds: int = 1
    C: float = 0.5
    loss: str = "hinge"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text(YAML)
    return path


def test_a_location_is_the_line_of_its_key_or_of_the_nearest_above(file):
    assert str(Location(file, ("a", "C"))) == f"{file}:3"
    assert str(Location(file, ("b", "C"))) == f"{file}:6"
    assert str(Location(file, ("b", "rounds"))) == f"{file}:2"  # of the anchor that is merged
    assert str(Location(file, ("a", "loss"))) == f"{file}:1"
    assert str(Location(file, ("c",))) == str(file)
    assert str(Location(file.with_name("none.yaml"), ("a",))) == str(file.with_name("none.yaml"))


def test_the_later_layer_wins_and_bounds_lower_numbers(file):
    first = Layer({"rounds": 60, "C": 1}, Location(file, ("a",)), of_paper=True)
    second = Layer({"C": 2}, Location(file, ("b",)))
    layers = Layers((first, second), Layer({"rounds": 20, "C": 9.0}, Location(file, ("most",))))
    assert layers.values() == {"rounds": 20, "C": 2.0}
    found = layers.located(Options(rounds=20, C=2.0))
    assert found["C"].location == Location(file, ("b", "C"))
    assert found["rounds"].location == Location(file, ("most", "rounds"))
    assert found["rounds"].replaced == Option(60, Location(file, ("a", "rounds")))
    assert found["C"].replaced == Option(1, Location(file, ("a", "C")))
    assert found["loss"] == Option("hinge")


def test_a_scale_s_value_stands_beside_the_default_that_it_replaces(file):
    """YAML's 3 is the option's 3.0; a value that replaces itself replaces nothing."""
    place = Location(file, ("b",))
    found = Layers((Layer({"C": 3, "rounds": 1}, place),)).located(Options(rounds=1, C=3.0))
    assert found["C"] == Option(3.0, place / "C", Option(0.5))
    assert found["rounds"] == Option(1, place / "rounds")


def test_a_row_wins_over_all_layers(file):
    layers = Layers((Layer({"rounds": 60}, Location(file, ("a",))),))
    row = {"rounds": Location(file, ("b", "rounds"))}
    assert layers.located(Options(rounds=3), row)["rounds"].location == row["rounds"]


def test_what_follows_from_another_option_is_from_no_layer(file):
    layers = Layers((Layer({"rounds": 60}, Location(file, ("a",))),))
    assert layers.located(Options(rounds=0))["rounds"].location is None


def test_a_row_beyond_a_bound_of_the_scale_is_an_error(project):
    edit_yaml(
        "config/papers/fed_react/tables.yaml",
        lambda tables: tables["table05"]["rows"].update(
            {"Long": {"setting": "stationary10", "rounds": 50}}
        ),
    )
    make_plan(scale="overnight").outputs.cells("table05")  # which allows 60
    with pytest.raises(UserError, match=r"table05: Long, .*: rounds 50 is more than scale quick"):
        make_plan(scale="quick").outputs.cells("table05")


@pytest.mark.campaign
def test_a_bound_lowers_what_a_setting_says(project):
    for scale, rounds in (("quick", 20), ("overnight", 60), ("paper", 60)):
        settings = make_plan(scale=scale).settings
        assert settings.run("fed_react", "clustered", "stationary10", {}).rounds == rounds
