"""Claims as the workflow asks for them, and what is refused."""

import re
import shutil

import pytest
from helpers import ROOT, edit_yaml, make_plan, refused

from fedreact.reading import read_yaml

CLAIMS = "config/papers/fed_react/claims.yaml"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a copy of the configuration, and the project's code."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("src", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)


def of(plan, claim):
    return [one for one in plan.claims.asked("fed_react") if one.claim == claim]


def test_each_label_of_a_claim_is_a_contrast_with_its_published_difference(here):
    plan = make_plan(scale="paper")
    (taken, *readings) = of(plan, "a1-beats-clustered-stationary")
    assert [(one.at, one.left, one.right) for one in taken.contrasts[:3]] == [
        ("RTD - 10 clients (Stationary)", "Fed-REACT w/ A1", name)
        for name in ("IFCA", "FLSC", "FLACC")
    ]
    # 0.909 less 0.774, 0.830 and 0.755; of 100 clients the published values are in doubt.
    published = [one.published for one in taken.contrasts]
    assert published[:3] == pytest.approx([0.135, 0.079, 0.154])
    assert published[3:] == [None] * 3
    source = taken.contrasts[0].ours
    assert source.folder.endswith("/stationary10/all")
    assert "/runs/clustered/fed_react/" in source.folder
    assert source.method == "fed-react-a1"
    assert {one.reading for one in readings} >= {"svm-C: 0.1", "svm-C: 10.0"}
    for one in readings:  # measured on one of the two settings
        assert {contrast.at for contrast in one.contrasts} == {"RTD - 10 clients (Stationary)"}
        assert re.search("/stationary10-[0-9a-f]{8}/", one.contrasts[0].ours.folder)


def test_directions_are_those_of_the_metric(here):
    plan = make_plan(scale="paper")
    assert of(plan, "best-on-vehicles")[0].sign == -1  # an error
    assert of(plan, "global-layer-behind-patchtst")[0].sign == 1
    assert of(plan, "window-adds-nothing")[0].sign == 0
    contrast = of(plan, "best-on-vehicles")[0].contrasts[0]
    assert contrast.published == pytest.approx(43.2 - 1.3)


def test_rows_are_compared_at_columns(here):
    (one,) = of(make_plan(scale="paper"), "homogeneity-harder")
    (contrast,) = one.contrasts
    labels = (contrast.at, contrast.left, contrast.right)
    assert labels == ("Fed-REACT w/ A1", "beta = 2.00", "beta = 0.10")
    assert contrast.published == pytest.approx(0.888 - 0.742)


def test_scores_of_claims_are_those_of_tables_and_of_readings(here):
    plan = make_plan(scale="smoke")
    tables = {
        file
        for table in plan.tables
        for file in plan.job("make_table", table=table).inputs["scores"]
    }
    more = set(plan.job("make_claims", paper="fed_react").inputs["scores"]) - tables
    assert more
    assert all(re.search("-[0-9a-f]{8}/", file) for file in more)


def test_what_is_compared_is_run(here):
    """Also where a table shows an alternative of the ledger for some of its methods only."""
    plan = make_plan(scale="smoke")
    workload = plan.experiments.workload("fed_react")
    run = {
        (plan.files.run(kind, "fed_react", data, setting, job), method)
        for (kind, data, setting, job), group in workload.jobs().items()
        for method in group.methods
    }
    compared = {
        (source.folder, source.method)
        for one in plan.claims.asked("fed_react")
        for contrast in one.contrasts
        for source in (contrast.ours, contrast.theirs)
    }
    assert not compared - run


def test_every_table_with_a_discussion_has_a_claim():
    claims = read_yaml(ROOT / CLAIMS)
    assert len(claims) >= 30
    discussed = {f"table{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}
    assert {claim["table"] for claim in claims.values()} >= discussed - {"table03"}
    assert all(claim["claim"].endswith(".") for claim in claims.values())


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"table": "table99"}, "table: 'table99' is unknown"),
        ({"table": "table12"}, "table: 'table12' is unknown"),
        ({"left": "Fed-REACT"}, "'Fed-REACT' is unknown"),
        ({"right": ["IFCA", "IFKA"]}, "'IFKA' is unknown"),
        ({"at": ["RTD"]}, "'RTD' is unknown"),
        ({"metric": "rmse"}, "metric: 'rmse' is unknown"),
        ({"ledger": ["svm"]}, "ledger: 'svm' is unknown"),
        ({"ledger": ["regressor"]}, "regressor is not measured on a setting of this"),
        ({"value": 0.5}, "give either right or value"),
        ({"right": []}, "give either right or value"),
        ({"relation": "greater"}, "relation"),
        ({"margin": 0}, "margin"),
        ({"margins": 0.1}, "unknown key margins"),
    ],
)
def test_what_a_claim_may_not_say(here, change, words):
    edit_yaml(CLAIMS, lambda c: c["a1-beats-clustered-stationary"].update(change))
    said = refused()
    assert "a1-beats-clustered-stationary: " in said
    assert said.startswith(CLAIMS)
    assert words in said


def test_a_metric_without_a_margin(here):
    edit_yaml("config/papers/fed_react/paper.yaml", lambda c: c["margins"].pop("rand"))
    assert "there is no margin of rand, here or in paper.yaml" in refused()


def test_published_values_that_cannot_be_read(here):
    edit_yaml("config/papers/fed_react/published/table05.yaml", lambda c: c.pop("rows"))
    assert "table05.yaml: rows must be a dict" in refused()


def test_predictors_that_learn_nothing_stand_beside_claims_about_methods(here):
    plan = make_plan(papers="aso_fed", scale="paper")
    asked = {one.claim: one for one in plan.claims.asked("aso_fed") if not one.reading}
    best = asked["best-smape"].contrasts[0]
    assert best.margin == pytest.approx(max(0.25 * best.published, 0.005))  # two decimals
    assert best.chance is None
    methods = {label: source.method for label, source in best.trivial.items()}
    assert methods == {"Constant": "constant", "Persistence": "persistence"}
    time = asked["time"].contrasts[0]
    assert (time.chance, time.trivial) == (None, {})  # a constant costs no minutes
    scores = plan.job("make_claims", paper="aso_fed").inputs["scores"]
    assert any("/facts/" in file for file in scores)  # persistence


def test_averages_over_datasets_ask_for_the_flags_of_their_table(here):
    plan = make_plan(papers="grand", scale="overnight")
    assert {one.table for one in plan.claims.asked("grand")} == {"grand_all"}
    job = plan.job("make_claims", paper="grand")
    (csv,) = job.inputs["tables"]
    assert csv.endswith("/tables/grand_all.csv")
    assert job.words[job.words.index("--tables") + 1] == csv
    words = plan.job("make_table", table="grand_all").words
    assert words[words.index("--trivial") + 1] == "Most frequent label"
    assert plan.job("make_figure", figure="grand_ranks").inputs["files"] == (csv,)
    # The averages of papers are over all rows.
    plan = make_plan(papers="fedst", scale="overnight")
    assert {one.table for one in plan.claims.asked("fedst")} == {None}
    assert plan.job("make_claims", paper="fedst").inputs["tables"] == ()
    words = make_plan(scale="overnight").job("make_table", table="table05").words
    assert "--trivial" not in words


def test_chance_is_that_of_the_data_and_of_no_comparison_of_settings(here):
    plan = make_plan(scale="paper")
    assert {one.chance for one in of(plan, "best-on-10-clients")[0].contrasts} == {0.1}
    assert {one.chance for one in of(plan, "homogeneity-harder")[0].contrasts} == {None}
