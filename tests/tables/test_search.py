"""Which options suit a method best."""

import json
from argparse import Namespace

import measure_search
import pandas as pd
import pytest
import yaml

from fedreact.reading import as_json
from fedreact.tables import search
from fedreact.tables.sources import CellSource

VARIANTS = {"ifca+steps=1": 0.7, "ifca+steps=10": 0.8, "flsc+steps=10": 0.9}
SETTINGS = ("stationary10", "visiting100")
SEEDS = (100, 101)


def folder(root, setting):
    return f"{root}/{setting}/search-all"


def layout(root):
    return [
        CellSource(setting, variant, folder(root, setting), variant)
        for setting in SETTINGS
        for variant in VARIANTS
    ]


def scores(root, variants=VARIANTS):
    """Two rounds, 0.1 apart around the level; the second setting is easier by 0.05."""
    lines = [
        [setting, "pendigits", seed, method, t, accuracy + more + shift, ""]
        for setting, more in zip(SETTINGS, (0.0, 0.05))
        for seed in SEEDS
        for method, accuracy in variants.items()
        for t, shift in ((1, -0.05), (2, 0.05))
    ]
    columns = ["setting", "data", "seed", "method", "round", "accuracy", "rand"]
    found = pd.DataFrame(lines, columns=columns)
    return found.assign(folder=[folder(root, setting) for setting in found["setting"]])


def ranked(variants=VARIANTS, last=False):
    taken = {"ifca+steps=10"}
    return search.ranked(layout("r"), "accuracy", scores("r", variants), taken, last)


def test_options_of_each_method_are_ranked_the_best_first():
    table = ranked()
    assert table["variant"].tolist() == ["flsc+steps=10", "ifca+steps=10", "ifca+steps=1"]
    assert table["method"].tolist() == ["flsc", "ifca", "ifca"]
    assert table["taken"].tolist() == [False, True, False]
    assert list(table.columns) == ["method", "variant", "taken", "mean", *SETTINGS]
    assert table["stationary10"].tolist() == pytest.approx([0.9, 0.8, 0.7])
    assert table["visiting100"].tolist() == pytest.approx([0.95, 0.85, 0.75])
    assert table["mean"].tolist() == pytest.approx([0.925, 0.825, 0.725])


def test_the_order_follows_the_scores_and_not_the_names():
    worse = VARIANTS | {"ifca+steps=10": 0.6}
    assert ranked(worse)["variant"].tolist()[1:] == ["ifca+steps=1", "ifca+steps=10"]


def test_scores_may_be_those_of_the_last_round():
    assert ranked(last=True)["stationary10"].tolist() == pytest.approx([0.95, 0.85, 0.75])


def test_a_setting_that_speaks_against_the_others_is_averaged_with_them():
    found = scores("r")
    found.loc[
        (found["setting"] == "visiting100") & (found["method"] == "ifca+steps=10"), "accuracy"
    ] = 0.2
    table = search.ranked(layout("r"), "accuracy", found, set(), False)
    assert table["variant"].tolist()[1:] == ["ifca+steps=1", "ifca+steps=10"]
    assert table["mean"].tolist()[2] == pytest.approx((0.8 + 0.2) / 2)


def test_what_is_taken_is_bold_and_nothing_else():
    text = search.markdown(ranked(), "Accuracy, searched", "pendigits", "smoke", len(SEEDS), {})
    lines = text.splitlines()
    assert lines[0].startswith(
        "Accuracy, searched (pendigits, scale smoke, mean over 2 seeds that no table uses)"
    )
    assert lines[2] == "| method and options | mean | stationary10 | visiting100 |"
    assert lines[4:] == [
        "| flsc+steps=10 | 0.9250 | 0.9000 | 0.9500 |",
        "| **ifca+steps=10** | 0.8250 | 0.8000 | 0.8500 |",
        "| ifca+steps=1 | 0.7250 | 0.7000 | 0.7500 |",
    ]


@pytest.mark.parametrize(("score", "best"), [(None, 0.925), ("mean", 0.925), ("last", 0.975)])
def test_the_command_reads_what_the_paper_says_of_the_search(tmp_path, score, best):
    searches, output = tmp_path / "search.yaml", tmp_path / "searches/search.csv"
    spec = {"title": "Options", "metric": "accuracy"} | ({"score": score} if score else {})
    searches.write_text(yaml.safe_dump({"search": spec}))
    files = []
    for (where, seed), lines in scores(tmp_path).groupby(["folder", "seed"]):
        files.append(tmp_path / where / f"seed{seed}.csv")
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        lines.drop(columns="folder").to_csv(files[-1], index=False)
    args = Namespace(searches=searches, name="search", scores=files, scale="smoke", output=output)
    args.layout, args.taken = as_json(layout(tmp_path)), json.dumps(["ifca+steps=10", "elsewhere"])
    measure_search.main(args)
    table = pd.read_csv(output)
    assert table["mean"].tolist()[0] == pytest.approx(best)
    assert table["taken"].tolist() == [False, True, False]
    text = output.with_suffix(".md").read_text()
    assert text.startswith("Options (pendigits, scale smoke, mean over 2 seeds that no table uses)")
    assert text.count("**") == 2


def test_of_errors_the_smallest_is_the_best():
    found = scores("r").rename(columns={"accuracy": "rmse"})
    table = search.ranked(layout("r"), "rmse", found, set(), False)
    assert table["variant"].tolist() == ["flsc+steps=10", "ifca+steps=1", "ifca+steps=10"]
