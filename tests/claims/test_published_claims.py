"""Each claim of a paper holds on the paper's own numbers, judged by our rule.

A claim that a perfect reproduction could not pass is worded too strongly.
"""

import numpy as np
import pytest

from fedreact.claims import margins
from fedreact.claims.contract import OWN
from fedreact.claims.contrasts import judge_every, outcome, weigh
from fedreact.resolve.papers import load_paper, paper_names
from fedreact.tables import published

SEEDS = 3
"""A perfect reproduction gives the published values with each of them."""


def printed_claims():
    """Claims of papers whose numbers are printed, with the printed effects and their margins."""
    for name in paper_names():
        paper = load_paper(name, "quick")
        for key, claim in paper.claims.items():
            path = paper.folder / "published" / f"{claim.table}.yaml"
            if OWN.match(claim.source) or not path.exists():
                continue
            printed, metric = published.read(path), claim.metric
            metric = metric or paper.tables[claim.table].metrics[0]
            places = claim.at or tuple(
                printed["rows"] if claim.compare == "columns" else printed["columns"]
            )
            effects = [
                margins.published(printed, claim, metric, at, right)
                for at in places
                for right in claim.right or [f"{claim.value:g}"]
            ]
            if effects := [effect for effect in effects if effect is not None]:
                usual = paper.about.margins.get(metric, claim.margin)
                yield pytest.param(claim, effects, usual, id=f"{name}-{key}")


CLAIMS = list(printed_claims())


def judged(claim, effects, usual):
    """The outcome of a claim on a paper's own numbers."""
    equal = claim.relation == "equal"
    if claim.over == "average":
        mean = float(np.mean([effect.difference for effect in effects]))
        return outcome(weigh([mean] * SEEDS, margins.of_average(claim, effects, usual), equal))
    return judge_every(
        [
            weigh([effect.difference] * SEEDS, margins.of_comparison(claim, effect, usual), equal)
            for effect in effects
        ]
    )


@pytest.mark.parametrize(("claim", "effects", "usual"), CLAIMS)
def test_a_claim_holds_on_the_published_values(claim, effects, usual):
    assert judged(claim, effects, usual) == "holds"


def test_most_claims_of_papers_can_be_asked():
    assert len(CLAIMS) > 100


def test_a_claim_against_its_own_numbers_is_noticed():
    claim, effects, usual = CLAIMS[0].values
    turned = [margins.Effect(-effect.difference, effect.half_unit) for effect in effects]
    assert judged(claim, turned, usual) == "reversed"
