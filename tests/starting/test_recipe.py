"""What the size of the data decides."""

from dataclasses import replace

import pytest

from fedreact.errors import UserError
from fedreact.result.cautions import FEW_STEPS
from fedreact.starting import recipe
from fedreact.starting.recipe import Facts

SMALL = Facts(
    task="classification",
    series=400,
    steps=100,
    clients=(40,) * 10,
    units=(40,) * 10,
    tested=False,
    trials=False,
    gap=0,
    labels=0,
    forecast=False,
    channels=1,
    multiply_adds=4e5,
    feature_gflops=0.02,
    anchor_multiply_adds=6e7,
)
LARGE = replace(SMALL, series=10_000, clients=(100,) * 100, units=(100,) * 100)


def test_small_data_trains_until_scores_stand_still():
    made = recipe.recipe(SMALL)
    options = made.synchronous.options
    assert FEW_STEPS <= options["rounds"] * options["steps"] <= recipe.STEPS
    assert "hardly improve" in made.synchronous.reason
    assert made.minutes <= recipe.MINUTES
    assert made.clustered.options["n_clusters"] == "silhouette"
    assert len(made.seeds.options["synchronous"]) >= 3


def test_large_data_stays_within_the_time_and_says_what_that_costs():
    made = recipe.recipe(LARGE)
    steps = made.synchronous.options["rounds"] * made.synchronous.options["steps"]
    assert steps < recipe.STEPS
    assert made.minutes < 1.3 * recipe.MINUTES
    longer = recipe.recipe(LARGE, minutes=30)
    assert longer.synchronous.options["steps"] > made.synchronous.options["steps"]
    slow = recipe.recipe(replace(LARGE, multiply_adds=4e6))
    assert "may still be improving" in slow.synchronous.reason


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({}, {"split": "random", "test_share": 0.25}),
        ({"tested": True}, {"split": "source"}),
        ({"trials": True, "units": (8,) * 10, "gap": 3}, {"split": "random", "test_share": 0.25}),
        ({"gap": 3}, {"split": "chronological", "test_share": 0.25, "gap": 3}),
        ({"forecast": True}, {"split": "chronological", "test_share": 0.25}),
        ({"gap": None}, {"split": "random", "test_share": 0.25}),
        ({"labels": 3}, {"split": "chronological-by-label", "test_share": 0.25}),
        (
            {"labels": 3, "gap": 2},
            {"split": "chronological-by-label", "test_share": 0.25, "gap": 2},
        ),
        ({"labels": 3, "trials": True}, {"split": "random", "test_share": 0.25}),
    ],
)
def test_the_split_never_lets_test_steps_into_training(changes, options):
    choice, sizes = recipe.clients(replace(SMALL, **changes))
    assert choice.options == {"by": "owner", **options}
    assert sizes == [40] * 10


def test_windows_in_no_order_are_warned_of():
    assert "scores are too high" in recipe.clients(replace(SMALL, gap=None))[0].reason


def test_clients_that_are_too_small_are_left_out():
    sizes = (3, 5, *[40] * 8)
    choice, left = recipe.clients(replace(SMALL, clients=sizes, units=sizes))
    assert choice.options["min_samples"] == 40
    assert left == [40] * 8
    assert "2 of 10" in choice.reason
    with pytest.raises(UserError, match="a federation needs 2"):
        recipe.clients(replace(SMALL, clients=(3, 5, 40), units=(3, 5, 40)))


def test_few_clients_are_one_cluster():
    made = recipe.recipe(replace(SMALL, clients=(200, 200), units=(200, 200)))
    assert made.clustered.options["n_clusters"] == 1
    assert made.clustered.options["samples_per_round"] == 150


def test_without_clients_some_are_simulated():
    made = recipe.recipe(replace(SMALL, clients=(), units=()))
    assert made.partition.options["cluster_sizes"] == [3, 3, 4]
    assert made.partition.options["samples_per_client"] == 40
    assert "n_clusters" not in made.clustered.options
    five, _ = recipe.clients(replace(SMALL, series=120, clients=(), units=()))
    assert five.options["cluster_sizes"] == [2, 3]
    with pytest.raises(UserError, match="too few to simulate"):
        recipe.clients(replace(SMALL, series=50, clients=(), units=()))
    with pytest.raises(UserError, match="names no clients"):
        recipe.clients(replace(SMALL, task="regression", clients=(), units=()))


def test_a_short_training_of_the_encoder_is_said():
    """A hundred clients have few GFLOPs each in one minute; ten have 60 in an hour."""
    assert "may do better with more minutes" in recipe.recipe(LARGE, 1.0).encoder.reason
    assert "more minutes" not in recipe.recipe(SMALL, 60.0).encoder.reason


def test_clients_with_many_series_use_some_of_them_in_a_round():
    choice = recipe.clusters(replace(SMALL, clients=(1600,) * 15), [1600] * 15)
    assert choice.options["samples_per_round"] == recipe.CLUSTERED_SAMPLES
    assert "draw 300 of a client's labelled series anew" in choice.reason


WINDOWS = replace(
    SMALL, task="regression", series=84_000, steps=36, clients=(12_000,) * 7, units=(12_000,) * 7
)
"""A forecast with a window at each hour of 16 months, of 7 places."""


def test_scoring_of_many_test_series_leaves_time_for_training():
    """Scored after each of 50 rounds, 21,000 test series would take longer than all training."""
    made = recipe.recipe(WINDOWS, minutes=15)
    rounds = made.synchronous.options["rounds"]
    assert recipe.FEWEST_ROUNDS <= rounds < recipe.ROUNDS
    assert made.minutes <= 15 * 1.1
    assert recipe.recipe(SMALL).synchronous.options["rounds"] == recipe.ROUNDS


def test_a_forecast_takes_fewer_windows_where_all_do_not_fit_into_the_time():
    step = recipe.window_step(WINDOWS)
    fewer = replace(
        WINDOWS, series=84_000 // step, clients=(12_000 // step,) * 7, units=(12_000 // step,) * 7
    )
    assert step > 1
    assert recipe.window_step(fewer) == 1
    assert recipe.recipe(fewer).minutes <= recipe.MINUTES * 1.1
    assert recipe.window_step(WINDOWS, minutes=120) == 1
    few = replace(WINDOWS, clients=(83_700, 300), units=(83_700, 300))
    assert recipe.window_step(few) == min(step, 3)  # the smaller client keeps 100
    assert recipe.window_step(replace(WINDOWS, clients=(150, 83_850))) == 1


def test_series_that_are_used_less_than_once_are_said():
    assert "used less than once on average" in recipe.recipe(WINDOWS).synchronous.reason
