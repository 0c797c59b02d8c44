"""What is said of a run beside the one that is kept."""

import subprocess
import sys

import pytest
from helpers import ROOT

from fedreact.errors import UserError
from fedreact.reference import store
from fedreact.reference.compare import compare

HEAD = "table,row,column,metric,data,mean,ci_low,ci_high\n"
CLAIMS = "paper,claim,reading,at,outcome\n"


def run(folder, lines, claims=""):
    """A run with one table and one file of claims."""
    for name, text in (("tables/t.csv", HEAD + lines), ("claims/p.csv", CLAIMS + claims)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def keep(folder, lines, claims=""):
    """The same, as it is kept."""
    run(folder, "", claims)
    store.write(folder / store.TABLES, HEAD + lines)
    return folder


def both(tmp_path, before, after, *claims):
    """A comparison of the same cell in two runs."""
    reference, results = tmp_path / "kept", tmp_path / "results"
    keep(reference / "paper", before, claims[0] if claims else "")
    run(results, after, claims[1] if claims else "")
    return compare(results, reference)


# Half-widths of .03 and .04: chance takes two runs .05 apart.
@pytest.mark.parametrize(
    ("now", "is_moved"), [(0.5499, False), (0.5501, True), (0.4501, False), (0.4499, True)]
)
def test_a_cell_moves_beyond_its_intervals(tmp_path, now, is_moved):
    comparison = both(
        tmp_path, "t,a,b,m,d,0.5,0.47,0.53\n", f"t,a,b,m,d,{now},{now - 0.04},{now + 0.04}\n"
    )
    assert (comparison.within, len(comparison.moved)) == (1 - is_moved, is_moved)


@pytest.mark.parametrize(("now", "is_moved"), [(1.009, False), (1.011, True), (0.989, True)])
def test_compute_that_is_the_same_for_every_seed_may_differ_by_rounding(tmp_path, now, is_moved):
    """Cells of compute, counted on two processors."""
    found = both(tmp_path, "t,a,b,gflops,d,1,1,1\n", f"t,a,b,gflops,d,{now},{now},{now}\n")
    assert (found.within, len(found.moved)) == (1 - is_moved, is_moved)


def test_a_score_that_is_the_same_for_every_seed_may_not(tmp_path):
    found = both(tmp_path, "t,a,b,accuracy,d,0.5,0.5,0.5\n", "t,a,b,accuracy,d,0.501,0.501,0.501\n")
    assert (found.within, len(found.moved)) == (0, 1)


def test_the_same_cell_is_the_same_also_if_it_is_empty_or_has_no_interval(tmp_path):
    lines = "t,a,b,m,d,0.5,,\nt,a,c,m,d,,,\n"
    comparison = both(tmp_path, lines, lines)
    assert (comparison.same, comparison.within) == (2, 0)
    assert comparison.moved == comparison.alone == []


def test_what_cannot_be_compared_is_named(tmp_path):
    before = "t,a,one seed,m,d,0.5,,\nt,a,gone,m,d,0.5,0.4,0.6\n"
    comparison = both(tmp_path, before, "t,a,one seed,m,d,0.6,,\nt,a,new,m,d,0.5,0.4,0.6\n")
    assert sorted(comparison.alone) == [
        "t: a, gone, m, d: only in the kept run",
        "t: a, new, m, d: only in the new run",
        "t: a, one seed, m, d: 0.5 -> 0.6, without an interval",
    ]


def test_claims_whose_outcome_is_another(tmp_path):
    cell = "t,a,b,m,d,0.5,0.4,0.6\n"
    comparison = both(
        tmp_path,
        cell,
        cell,
        "p,x,,,holds\np,x,elbow,,reversed\n",
        "p,x,,,reversed\np,x,elbow,,reversed\n",
    )
    assert comparison.claims == ["p, x: holds -> reversed"]


def test_claims_that_only_one_run_has_are_named(tmp_path):
    cell = "t,a,b,m,d,0.5,0.4,0.6\n"
    comparison = both(tmp_path, cell, cell, "p,gone,,,holds\n", "p,new,,,holds\n")
    assert comparison.alone == [
        "p, gone: a claim of the kept run only",
        "p, new: a claim of the new run only",
    ]
    assert comparison.claims == []


def test_of_a_claim_its_outcome_counts_not_those_of_its_parts(tmp_path):
    """Lines of settings may be several, one for each method that it is compared with."""
    cell, whole = "t,a,b,m,d,0.5,0.4,0.6\n", "p,x,,,holds\np,x,elbow,,holds\n"
    comparison = both(
        *(tmp_path, cell, cell),
        *(whole + "p,x,,s1,holds\np,x,,s1,holds\n", whole + "p,x,,s1,reversed\np,x,,s1,holds\n"),
    )
    assert comparison.claims == []


def test_tables_that_are_not_built_are_named_and_none_is_refused(tmp_path):
    reference = keep(tmp_path / "kept/paper", "t,a,b,m,d,0.5,0.4,0.6\n")
    with pytest.raises(UserError, match="have no table in common; build some first"):
        compare(tmp_path / "results", reference.parent)
    store.write(reference / store.TABLES, f"{HEAD}t,a,b,m,d,0.5,0.4,0.6\nu,a,b,m,d,0.5,0.4,0.6\n")
    assert compare(run(tmp_path / "results", ""), reference.parent).missing == ["u"]


def test_of_a_scale_at_which_nothing_is_kept_it_says_at_which_something_is(tmp_path):
    made = keep(tmp_path / "reference/quick/paper", "t,a,b,m,d,0.5,0.4,0.6\n")
    (made / "run.json").touch()
    with pytest.raises(UserError, match="no run is kept at this scale; kept: quick"):
        compare(made, tmp_path / "reference/smoke")


@pytest.mark.parametrize(("mean", "status"), [("0.5", 0), ("0.9", 1)])
def test_the_command_says_so_by_its_status(tmp_path, mean, status):
    keep(tmp_path / "reference/quick/paper", "t,a,b,m,d,0.5,0.45,0.55\n")
    run(tmp_path / "results/quick", f"t,a,b,m,d,{mean},{mean},{mean}\n")
    words = [sys.executable, ROOT / "scripts/compare.py", "results/quick"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    said = "beyond its intervals: t: a, b, m, d: 0.5 (0.45 to 0.55) -> 0.9 (0.9 to 0.9)"
    assert (said in done.stdout) == status
    assert done.stdout.rstrip().endswith("0 claims have another outcome.")
