"""Each claim holds on the values that its paper prints, or the paper contradicts its own words."""

from collections.abc import Iterator

import pandas as pd
from helpers import ROOT

from fedreact.claims import judged
from fedreact.claims.contract import OWN
from fedreact.reading import read_yaml

CONTRADICTED = {
    ("fed_react", "best-whatever-the-heterogeneity"): "a tie with IFCA at beta .25",
    ("fedcond", "even-images"): "variances that differ by less than any margin that matters",
    ("fedcond", "even-series"): "a larger variance than ASO-Fed's on FitRec",
    ("fedcond", "even-drifting-images"): "a larger variance than ASO-Fed's",
    ("fedcond", "even-drifting-series"): "variances of which most differ by less than the margin",
}
"""Claims that the published values do not bear out, and why."""
EXACT = 1e-9


def refuted(lines: pd.DataFrame) -> Iterator[float]:
    """Published differences of a claim that are too small, or the opposite of what it says."""
    whole, contrasts = lines.iloc[0], lines.iloc[1:]
    shown = [whole] if whole["over"] == "average" else [line for _, line in contrasts.iterrows()]
    for line in shown:
        size, margin = line["published"], line["margin"]
        if whole["relation"] == "equal":
            size = margin - abs(size) + margin
        if size < margin - EXACT:
            yield size


def test_claims_hold_on_published_values():
    found = set()
    for csv in sorted((ROOT / "reference").glob("*/*/claims/*.csv")):
        table = judged.read(csv)
        entries = read_yaml(ROOT / "config/papers" / csv.stem / "claims.yaml")
        for name, lines in table[table["reading"] == ""].groupby("claim"):
            if not OWN.match(entries[name]["source"]) and list(refuted(lines)):
                found.add((csv.stem, name))
    assert found == CONTRADICTED.keys()
