"""What the alternatives of a ledger change."""

import json
from argparse import Namespace

import measure_ledger
import pandas as pd
import pytest
from small_table import scores

from fedreact.figures.ledger import draw
from fedreact.tables import ledger

INDEX = ["assumption", "alternative", "setting", "method", "metric"]


def write(folder, lines):
    """Files of scores, one a seed; returns their paths by seed."""
    folder.mkdir(parents=True)
    for seed, of_seed in lines.groupby("seed"):
        of_seed.to_csv(folder / f"seed{seed}.csv", index=False)
    return [str(path) for path in sorted(folder.iterdir())]


def of_files(setting="s10", seeds=(0, 1)):
    lines = scores("pendigits", seeds).drop(columns=["folder", "file"])
    return lines[lines["setting"] == setting]


@pytest.fixture
def measured(tmp_path):
    """Two alternatives: one lowers accuracy by 0.01, one raises it by 0.1 and by 0.3."""
    taken = of_files()
    lower = taken.assign(accuracy=taken["accuracy"] - 0.01)
    higher = taken.assign(accuracy=taken["accuracy"] + 0.1 + 0.2 * taken["seed"])
    before = write(tmp_path / "ward", taken)
    one = {"assumption": "linkage", "taken": "ward", "setting": "s10", "with_taken": before}
    return [
        one | {"alternative": "single", "with_alternative": write(tmp_path / "single", lower)},
        one | {"alternative": "average", "with_alternative": write(tmp_path / "average", higher)},
    ]


def test_effects_are_differences_to_what_is_taken(measured):
    table = ledger.effects(measured)
    assert set(table["assumption"]) == {"linkage"}
    assert set(table["taken"]) == {"ward"}
    assert set(table["method"]) == {"a1", "sc"}
    assert set(table["n_seeds"]) == {2}
    by_index = table.set_index(INDEX)
    lower = by_index.loc["linkage", "single", "s10", "sc", "accuracy"]
    columns = ["difference", "ci_low", "ci_high"]
    assert lower[columns].tolist() == pytest.approx([-0.01] * 3)
    # 0.1 and 0.3: sd 0.141421, t(0.975, 1) = 12.7062, so 0.2 +- 1.27062.
    higher = by_index.loc["linkage", "average", "s10", "a1", "accuracy"]
    assert higher[columns].tolist() == pytest.approx([0.2, -1.07062, 1.47062], rel=1e-5)
    rand = table[table["metric"] == "rand"]
    assert len(rand) == 4
    assert (rand[columns] == 0).all(axis=None)


def test_metrics_that_a_method_lacks_are_left_out(measured, tmp_path):
    for path in tmp_path.rglob("*.csv"):
        lines = pd.read_csv(path).assign(rmse=1.0)
        lines.loc[lines["method"] == "sc", "rand"] = None
        lines.drop(columns="accuracy").to_csv(path, index=False)
    table = ledger.effects(measured)
    assert set(zip(table["method"], table["metric"])) == {
        ("a1", "rmse"),
        ("a1", "rand"),
        ("sc", "rmse"),
    }


def test_methods_are_compared_by_seed_in_any_order_of_lines(measured):
    for path in measured[1]["with_alternative"]:
        pd.read_csv(path)[::-1].to_csv(path, index=False)
    pd.testing.assert_frame_equal(
        ledger.effects(measured[1:]), ledger.effects(measured)[4:].reset_index(drop=True)
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.01, "-0.010"), (0.25, "+0.250"), (0.0, "0.000"), (-0.0004, "0.000"), (0.0004, "0.000")],
)
def test_differences_have_a_sign_but_for_zero(value, text):
    assert ledger.signed(value) == text


def test_markdown_has_what_changes_most_first_and_no_zeros(measured):
    text = ledger.markdown(ledger.effects(measured), "pendigits", "smoke")
    assert text.startswith("Effects of the alternatives in the assumption ledger (pendigits, ")
    assert "scale smoke" in text
    accuracy, rand = text.split("**Difference: ")[1:]
    assert accuracy.startswith("Accuracy**")
    assert rand.startswith("Rand score, mean over rounds**")
    assert "| assumption | default | alternative | setting | a1 | sc |" in accuracy
    average, single = accuracy.strip().splitlines()[-2:]
    both = "-0.010 (-0.010 to -0.010)"
    assert single == f"| linkage | ward | single | s10 | {both} | {both} |"
    both = "+0.200 (-1.071 to +1.471)"
    assert average == f"| linkage | ward | average | s10 | {both} | {both} |"
    assert "|" not in rand
    told = "Unchanged to three decimals: linkage: single (s10); linkage: average (s10)."
    assert rand.strip().endswith(told)


def test_methods_that_nothing_changes_have_no_column(measured):
    table = ledger.effects(measured)
    table.loc[table["method"] == "sc", "difference"] = 0.0
    accuracy = ledger.markdown(table, "d", "smoke").split("**Difference: ")[1]
    assert "| assumption | default | alternative | setting | a1 |" in accuracy


def test_the_figure_shows_what_is_clear_of_zero(measured):
    figure = draw(ledger.effects(measured), "t")
    (axis,) = figure.axes
    (label,) = axis.get_yticklabels()  # of +0.2 the interval holds 0
    assert label.get_text().startswith("linkage: single (s10, ")
    nothing = ledger.effects(measured).assign(ci_low=-1.0, ci_high=1.0)
    assert "No alternative" in draw(nothing, "t").axes[0].texts[0].get_text()


def test_one_seed_and_methods_that_are_not_there_are_no_nan(measured):
    table = ledger.effects(measured)
    table.loc[0, ["n_seeds", "ci_low", "ci_high"]] = 1, float("nan"), float("nan")
    text = ledger.markdown(table.drop(index=1), "d", "smoke")
    assert "(one seed)" in text
    assert "nan" not in text


def test_the_command_writes_both_forms(measured, tmp_path):
    output = tmp_path / "assumptions/p.csv"
    files = sorted(tmp_path.rglob("*.csv"))
    args = Namespace(measured=json.dumps(measured), scores=files, scale="smoke", output=output)
    measure_ledger.main(args)
    table = pd.read_csv(output)
    assert table["difference"].tolist() == pytest.approx(ledger.effects(measured)["difference"])
    assert "(pendigits, scale smoke)" in output.with_suffix(".md").read_text()
    assert output.with_suffix(".png").stat().st_size > 0
