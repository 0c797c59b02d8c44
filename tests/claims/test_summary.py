"""What holds, in at most five lines, and claims by paper and outcome."""

import pytest

from fedreact.claims import judged, summary
from fedreact.claims.judged import COLUMNS

HEAD = ",".join(COLUMNS)


def lines(claim, outcome, difference, margin=0.01, paper="p", over="every", at=("10",)):
    """Lines of a claim, .01 wide on either side; the first contrast is the weakest."""
    ends = f"{difference},{difference - 0.01},{difference + 0.01},3,0.9,0.02,{margin},"
    weakest = at[0] if len(at) > 1 else "b"
    first = f"{paper},{claim},,,,,better,accuracy,rtd,{ends},{outcome},0.001,{outcome},"
    first += f"{over},,{weakest},"
    rest = [f"{paper},{claim},,{one},a,b,better,accuracy,,{ends},{outcome},,,,,," for one in at]
    return [first, *rest]


@pytest.fixture
def papers(tmp_path):
    """Two papers, with as many claims as lines may name, one of them in no paper."""
    for name in ("p", "q"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "paper.yaml").write_text(
            f"title: {name.upper()} - a paper\nshort: {name}\n"
        )
        claims = [
            f"c{i}: {{claim: Claim {i}., source: {source}, table: t{i // 2}}}"
            for i, source in enumerate([*["section 4"] * 9, "in no paper"])
        ]
        (tmp_path / name / "claims.yaml").write_text("\n".join(claims))
    return tmp_path


def written(folder, *parts):
    path = folder / "claims.csv"
    path.write_text("\n".join([HEAD, *(line for part in parts for line in part)]) + "\n")
    return path


def test_the_clearest_of_each_outcome_are_named_from_different_tables(papers):
    csv = written(
        papers,
        lines("c0", "holds", 0.1),
        lines("c1", "holds", 0.3),  # of the same table as c0
        lines("c2", "holds", 0.2, over="average", at=("10", "50")),
        lines("c4", "holds", 0.9, margin=1.0),
        lines("c6", "reversed", -0.1, at=("10", "50")),
        lines("c7", "negligible", 0.0),
        lines("c8", "undecided", 0.01),
        lines("c9", "reversed", -0.9),
    )
    assert summary.summary_lines(csv, papers) == [
        "4 of 7 claims hold, 1 is negligible, 1 is reversed, 1 is undecided. "
        "Beside them, 0 of 1 claims in no paper hold, 1 is reversed.",
        "Holds most clearly: Claim 1 (+0.3000). Claim 2 (+0.2000).",
        "Reversed most clearly: Claim 6 (10: -0.1000).",
        "Too small to matter, for example: Claim 7 (+0.0000).",
        "Undecided, for example: Claim 8 (+0.0100).",
    ]


def test_at_least_is_the_smallest_difference_not_the_least_certain_one(papers):
    # With few seeds, a large difference can be the least certain one: its interval reaches lowest.
    whole, first, second = lines("c0", "holds", 0.3, at=("10", "50"))
    second = second.replace("0.3,", "0.15,")
    csv = written(papers, [whole, first, second])
    assert (
        summary.summary_lines(csv, papers)[1] == "Holds most clearly: Claim 0 (at least +0.1500)."
    )


def test_nothing_is_at_least_so_much_where_equality_is_claimed(papers):
    equal = [
        line.replace(",better,", ",equal,") for line in lines("c0", "holds", 0.0, at=("5", "6"))
    ]
    text = summary.summary_lines(written(papers, equal), papers)[1]
    assert text == "Holds most clearly: Claim 0 (5: +0.0000)."


def test_several_papers_are_named_and_outcomes_without_claims_have_no_line(papers):
    csv = written(papers, lines("c0", "holds", 0.1), lines("c0", "holds", 0.2, paper="q"))
    assert summary.summary_lines(csv, papers) == [
        "2 of 2 claims hold.",
        "Holds most clearly: q: Claim 0 (+0.2000). p: Claim 0 (+0.1000).",
    ]


def test_claims_in_no_paper_are_named_where_there_are_no_others(papers):
    csv = written(papers, lines("c9", "reversed", -0.1))
    first, second = summary.summary_lines(csv, papers)
    assert first == "0 of 1 claims hold, 1 is reversed. No paper makes these claims."
    assert second == "Reversed most clearly: Claim 9 (-0.1000)."


def test_counts_are_by_paper_with_a_sum(papers):
    parts = lines("c0", "holds", 0.1), lines("c0", "reversed", -0.2, paper="q")
    table = judged.read(written(papers, *parts, lines("c9", "holds", 0.2, paper="q")))
    entry = {"c0": {"source": "4.1"}, "c9": {"source": "in no paper; it follows"}}
    assert summary.counts_table(table, {"p": entry, "q": entry}) == [
        "| claims | judged | holds | reversed |",
        "|---|---|---|---|",
        "| p | 1 | 1 | 0 |",
        "| q | 1 | 0 | 1 |",
        "| all papers | 2 | 1 | 1 |",
        "| in no paper | 1 | 1 | 0 |",
    ]
