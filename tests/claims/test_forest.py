"""The forest plot of claims: rows below their outcome, panels by size, nothing drawn beyond."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from small_table import folder, scores

from fedreact.claims import forest, judged
from fedreact.claims.contrasts import OUTCOMES
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.figures.style import save_png
from fedreact.tables.sources import ScoreSource

A1, SC = (ScoreSource(folder("s10"), method) for method in ("a1", "sc"))
CLAIMS = {
    name: {"claim": f"Claim {name}.", "source": "4"} for name in ("far", "near", "against", "same")
}


def test_a_picture_of_few_colours_keeps_those_of_the_outcomes(table, tmp_path):
    from PIL import Image

    save_png(forest.forest(table, CLAIMS, "Claims"), tmp_path / "a.png", forest.FEW)
    picture = Image.open(tmp_path / "a.png").convert("RGB")
    there = {to_hex([x / 255 for x in colour]) for _, colour in picture.getcolors(1 << 24)}
    assert {forest.COLOURS[outcome] for outcome in ("holds", "reversed")} <= there


def asked(claim, *contrasts, sign=1, margin=0.005):
    given = {"claim": claim, "reading": "", "relation": "better" if sign else "equal", "sign": sign}
    given |= {"metric": "accuracy", "margin": margin, "over": "every", "last": False}
    return ClaimReading(**given, contrasts=contrasts)


@pytest.fixture
def table():
    """Differences of .2 and margins that put claims into both panels."""
    several = [Contrast("10", "A1", "SC", A1, SC, 0.15), Contrast("20", "A1", "A1", A1, A1, 9.0)]
    return judged.judged(
        "p",
        [
            asked("far", Contrast("10", "A1", "SC", A1, SC, 0.15)),
            asked("near", Contrast("10", "A1", "SC", A1, SC, 9.0), margin=0.1),
            asked("against", Contrast("10", "SC", "A1", SC, A1, None), margin=0.1),
            asked("same", *several, sign=0),
        ],
        scores(),
    )


def texts(axis):
    return [text.get_text() for text in axis.texts]


def test_claims_stand_below_their_outcome_in_panels_by_size(table):
    near, far = forest.forest(table, CLAIMS, "Claims").axes
    assert [text for text in texts(near) if not text.startswith(("+", "-"))] == [
        *("Holds (1)", "Claim near.", "Reversed (1)", "Claim against."),
    ]
    assert [text for text in texts(far) if not text.startswith(("+", "-"))] == [
        *("Holds (1)", "Claim far.", "Reversed (1)", "Claim same. (claimed: no difference)"),
    ]
    assert "+0.2000 (+0.2000 to +0.2000)\naccuracy" in texts(near)


def test_differences_are_in_margins_and_none_stretches_the_axis(table):
    near, _ = forest.forest(table, CLAIMS, "Claims").axes
    low, high = near.get_xlim()
    assert (low, high) == (pytest.approx(-2.24), pytest.approx(2.24))
    marks = [line for line in near.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert marks[0].get_xdata()[0] == pytest.approx(2.0)
    # What is published lies farther out: an arrow at the edge.
    arrows = [line for line in near.lines if line.get_marker() == ">" and len(line.get_xdata())]
    assert [line.get_xdata()[0] for line in arrows] == [pytest.approx(high)]
    drawn = np.concatenate([np.asarray(line.get_xdata(), float) for line in near.lines])
    assert np.abs(drawn).max() <= high * (1 + 1e-9)


def test_a_single_size_has_a_single_panel(table):
    (axis,) = forest.forest(table[table["claim"] == "far"], CLAIMS, "Claims").axes
    assert axis.get_xlabel().startswith("Effects: ")
    assert forest.forest(table[:0], CLAIMS, "Claims").axes == []


def test_outcomes_differ_in_grey_and_in_shape():
    def grey(colour):
        r, g, b = (int(to_hex(colour)[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * r + 0.587 * g + 0.114 * b

    shades = sorted(
        grey(forest.COLOURS[outcome]) for outcome in ("holds", "reversed", "negligible")
    )
    assert np.diff(shades).min() > 30
    shapes = {(forest.MARKS[name], name in forest.FILLED) for name in OUTCOMES}
    assert len(shapes) == len(OUTCOMES) == len(forest.COLOURS)
