"""Numbers of a kept run, made again from its values by seed with pandas and SciPy alone.

Nothing here is of the package, so that no error of it is repeated here. The rule is that of
docs/judging.md.
"""

import json

import numpy as np
import pandas as pd
import yaml
from scipy import stats

CELL = ["table", "row", "column", "metric"]
CONTRAST = ["claim", "reading", "at", "right"]
ENDS = {0.0, 0.25, 1.0, 2.0}
"""Where an interval of a score may be cut off: .25 is the largest variance of scores up to 1."""
ROUNDING = 5e-6
"""Of an interval of numbers with six decimals."""
ALPHA, FEWEST = 0.025, 3


def read(path):
    """Read a csv; labels are texts, also those that look like numbers or are ``NA``."""
    names = pd.read_csv(path, nrows=0).columns
    texts = {*CELL, *CONTRAST, "left", "seed", "outcome", "over", "relation", "reason"}
    numbers = {name: [""] for name in names if name not in texts}
    types = {name: str for name in names if name in texts}
    return pd.read_csv(path, keep_default_na=False, na_values=numbers, dtype=types)


def interval(x, of_one_more=False):
    """95% interval of a mean by Student's t, or of one further value."""
    if len(x) < 2:
        return np.nan, np.nan
    wide = np.sqrt(len(x) + 1) if of_one_more else 1
    half = stats.t.ppf(1 - ALPHA, len(x) - 1) * stats.sem(x) * wide
    return np.mean(x) - half, np.mean(x) + half


# ---- Cells --------------------------------------------------------------------------------------


def references(paper):
    """Rows or columns that the others of a table are compared with, by the table's name.

    ``paper`` is the folder with its ``tables.yaml``.
    """
    about = yaml.safe_load((paper / "paper.yaml").read_text())
    prefix = about.get("prefix", f"{paper.name}_")
    tables = yaml.safe_load((paper / "tables.yaml").read_text())
    return {
        f"{prefix}{name}": ("row" if spec.get("rows_are") == "methods" else "column", label)
        for name, spec in tables.items()
        if (label := spec.get("reference"))
    }


def cells(folder, beside):
    """Yield each number of the cells of a kept run, as kept and as its values give it.

    ``beside`` is what :func:`references` gives. Values have at least six decimals.
    """
    kept, values = read(folder / "tables.csv.gz"), read(folder / "values.csv.gz")
    by_cell = {
        key: lines.set_index("seed")["value"]
        for key, lines in values[values["claim"] == ""].groupby(CELL, sort=False)
    }
    built = kept[kept["n_seeds"] > 0]
    assert set(by_cell) == set(built[CELL].itertuples(index=False, name=None))
    for line in built.to_dict("records"):
        place = {name: line[name] for name in CELL}
        x = by_cell[tuple(place.values())]
        yield place, "n_seeds", line["n_seeds"], len(x), 0
        yield place, "mean", line["mean"], x.mean(), ROUNDING
        ends = [*interval(x), *interval(x, of_one_more=True)]
        for name, end in zip(("ci_low", "ci_high", "pi_low", "pi_high"), ends):
            cut = line[name] in ENDS and (end < line[name]) == name.endswith("low")
            yield place, name, line[name], line[name] if cut else end, ROUNDING
        if not np.isnan(line["gap"]):
            axis, label = beside[line["table"]]
            gap = (x - by_cell[tuple((place | {axis: label}).values())]).dropna()
            ends = [*interval(gap), *interval(gap, of_one_more=True)]
            names = ("gap", "gap_low", "gap_high", "gap_pi_low", "gap_pi_high")
            for name, number in zip(names, [gap.mean(), *ends]):
                yield place, name, line[name], number, ROUNDING


# ---- Claims -------------------------------------------------------------------------------------


def above(x, bound):
    """p-value of a mean above a bound."""
    if np.ptp(x) == 0:
        return float(np.mean(x) <= bound)
    return stats.ttest_1samp(x, bound, alternative="greater").pvalue


def below(x, bound):
    """p-value of a mean below a bound."""
    return above([-one for one in x], -bound)


def p_values(least, most, margin, equal):
    """p-values by outcome, of a difference that lies between two bounds, by seed."""
    if len(least) < 2:
        return dict.fromkeys(("holds", "reversed", "negligible"), 1.0)
    inside = max(above(least, -margin), below(most, margin))
    if equal:
        outside = min(above(least, margin), below(most, -margin))
        return {"holds": inside, "reversed": outside, "negligible": 1.0}
    return {"holds": above(least, 0), "reversed": below(most, 0), "negligible": inside}


def outcome(n, reason, p, corrected):
    """Judge a difference of n seeds by its p-values, and by those corrected for their number."""
    if reason:
        return "not-testable"
    if n >= FEWEST:
        if p["negligible"] <= ALPHA:
            return "negligible" if corrected["negligible"] <= ALPHA else "undecided"
        for name in ("reversed", "holds"):
            if corrected[name] <= ALPHA:
                return name
    return "undecided"


def holm(p):
    """Correct p-values by Holm's method."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    corrected, largest = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p[i] * (len(p) - rank)))
        corrected[i] = largest
    return corrected


def corrected(p):
    """Correct the p-values of several differences, each outcome by itself."""
    by_outcome = {name: holm([one[name] for one in p]) for name in p[0]}
    return [{name: of[i] for name, of in by_outcome.items()} for i in range(len(p))]


def whole_outcome(over, outcomes, alone, average):
    """Judge a claim by the outcomes of its contrasts, corrected and each alone, or its average."""
    if over == "average":
        return average
    for name in ("reversed", "negligible", "not-testable"):
        if name in outcomes:
            return name
    return "holds" if set(alone) == {"holds"} else "undecided"


def numbers(least, most):
    """Number of seeds, difference and interval of one that lies between two bounds."""
    middle = (np.mean(least) + np.mean(most)) / 2 if len(least) else np.nan
    ends = interval(least)[0], interval(most)[1]
    return dict(zip(("n_seeds", "difference", "ci_low", "ci_high"), (len(least), middle, *ends)))


def claims(folder):
    """Yield each number and outcome of the claims of a kept run, as kept and as values give it."""
    (file,) = folder.glob("claims/*.csv")
    kept, values = read(file), read(folder / "values.csv.gz")
    values["most"] = values["most"].fillna(values["value"])
    by_contrast = dict(list(values[values["claim"] != ""].groupby(CONTRAST, sort=False)))
    contrasts, tests = kept[kept["at"] != ""], {}
    assert set(by_contrast) <= set(contrasts[CONTRAST].itertuples(index=False, name=None))
    for (claim, reading), lines in kept.groupby(["claim", "reading"], sort=False):
        (whole,) = lines[lines["at"] == ""].to_dict("records")
        parts = lines[lines["at"] != ""].to_dict("records")
        nothing = values.iloc[:0]
        seeds = [
            by_contrast.get(tuple(part[name] for name in CONTRAST), nothing).set_index("seed")
            for part in parts
        ]
        equal = whole["relation"] == "equal"
        p = [
            p_values(list(x["value"]), list(x["most"]), part["margin"], equal)
            for x, part in zip(seeds, parts)
        ]
        again = [
            numbers(x["value"], x["most"])
            | {"outcome": outcome(len(x), part["reason"], one, of_all)}
            for x, part, one, of_all in zip(seeds, parts, p, corrected(p))
        ]
        alone = [outcome(len(x), part["reason"], one, one) for x, part, one in zip(seeds, parts, p)]
        mean = pd.concat([x[["value", "most"]] for x in seeds], axis=1, join="inner")
        mean = mean.T.groupby(level=0).mean().T if len(mean) else nothing
        average = p_values(list(mean["value"]), list(mean["most"]), whole["margin"], equal)
        outcomes = [one["outcome"] for one in again]
        none_left = all(part["reason"] for part in parts)
        of_average = outcome(len(mean), none_left, average, average)
        judged = whole_outcome(whole["over"], outcomes, alone, of_average)
        if not reading:
            of_one = [average] if whole["over"] == "average" else p
            fewest = len(mean) if whole["over"] == "average" else min(map(len, seeds))
            tests[claim] = judged, p_of_whole(judged, fewest, of_one)
        again.append(numbers(mean["value"], mean["most"]) | {"outcome": judged})
        size = max([abs(one) for x in seeds for one in x["most"]], default=0)
        for line, own in zip([*parts, whole], again):
            place = {"claim": claim, "reading": reading, "at": line["at"], "right": line["right"]}
            for name, number in own.items():
                yield place, name, line[name], number, 1e-8 * size
    yield from after_holm(kept, tests)


def p_of_whole(judged, n_seeds, p):
    """p-value behind the outcome of a claim, from those of its contrasts or of its average."""
    if judged == "not-testable" or n_seeds < FEWEST:
        return np.nan
    holds = max(one["holds"] for one in p)
    least = {name: min(one[name] for one in corrected(p)) for name in p[0]} | {"holds": holds}
    return least[judged] if judged in least else min(holds, least["reversed"])


def after_holm(kept, tests):
    """Yield the outcomes of claims after Holm's correction for their number."""
    tested = [claim for claim, (_, p) in tests.items() if not np.isnan(p)]
    weak = holm([tests[claim][1] for claim in tested])
    weak = {claim for claim, p in zip(tested, weak) if p > ALPHA}
    for line in kept[(kept["at"] == "") & (kept["reading"] == "")].to_dict("records"):
        judged, p = tests[line["claim"]]
        again = "undecided" if line["claim"] in weak else judged
        yield {"claim": line["claim"]}, "corrected", line["corrected"], again, 0
        yield {"claim": line["claim"]}, "p", line["p"], p, 1e-4


# ---- Comparison ---------------------------------------------------------------------------------


def differing(numbers):
    """Count numbers, and list those that do not come out again, beyond six digits and a rest."""
    n, wrong = 0, []
    for place, name, kept, again, rest in numbers:
        n += 1
        if isinstance(kept, str) or np.isnan(kept) or np.isnan(again):
            same = kept == again or (kept != kept and again != again)
        else:
            same = abs(kept - again) <= 1e-5 * abs(kept) + rest
        if not same:
            wrong.append(f"{place}: {name} is {kept}, its values give {again}")
    return n, wrong


# ---- Universes ----------------------------------------------------------------------------------


def universes(folder):
    """Yield numbers of a kept multiverse, as kept and as its universes give them.

    Medians, quantiles and shares of claims, and first-order indices (epsilon squared: the share of
    the variance between a choice's values, less what chance gives).
    """
    table = pd.read_csv(folder / "universes.csv.gz", keep_default_na=False, na_values={})
    asked = json.loads((folder / "asked.json").read_text())
    matters = pd.read_csv(folder / "matters.csv").set_index(["claim", "setting", "choice"])
    by_claim = {(one["claim"], one["setting"]): one for one in asked["claims"]}
    for line in pd.read_csv(folder / "claims.csv").to_dict("records"):
        claim = by_claim[line["claim"], line["setting"]]
        rows = table[(table["view"] == line["view"]) & (table["setting"] == line["setting"])]
        score = {
            name: pd.to_numeric(rows[f"{asked['metric']}.{name}"], errors="coerce")
            for name in {name for pair in claim["pairs"] for name in pair}
        }
        gaps = pd.concat([score[a] - score[b] for a, b in claim["pairs"]], axis=1)
        effect = claim["sign"] * gaps.mean(axis=1, skipna=False).dropna()
        place = f"{line['view']}, {line['claim']}, {line['setting']}"
        again = {
            "universes": len(effect),
            "left_out": len(rows) - len(effect),
            "median": effect.median(),
            "low": effect.quantile(0.05),
            "high": effect.quantile(0.95),
            "holds": (effect > claim["margin"]).mean(),
            "reversed": (effect < -claim["margin"]).mean(),
        }
        yield from ((place, name, line[name], value, ROUNDING) for name, value in again.items())
        for choice in (one["name"] for one in asked["choices"]):
            index = (line["claim"], line["setting"], choice)
            if line["view"] == "drawn" and index in matters.index:
                first = _first_order(rows.loc[effect.index, choice], effect)
                yield place, f"first index of {choice}", matters["first"][index], first, ROUNDING


def _first_order(values, effect):
    groups = effect.groupby(values.astype(str))
    total, within = effect.var(ddof=0) * len(effect), (groups.var(ddof=0) * groups.size()).sum()
    by_chance = (groups.ngroups - 1) * within / max(len(effect) - groups.ngroups, 1)
    return max((total - within - by_chance) / total, 0.0)
