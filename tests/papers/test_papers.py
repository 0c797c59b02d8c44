"""What holds for every paper's folder: its ledger, published values, tables and search."""

import re
from pathlib import Path

import pytest
from helpers import ROOT, SCALES, edit_yaml, make_plan, refused

from fedreact import options
from fedreact.kinds import contract as runs
from fedreact.reading import read_yaml
from fedreact.resolve.papers import FOLDER, paper_names
from fedreact.resolve.scales import options_of_step
from fedreact.tables import published as values

PAPERS = [path.parent.name for path in sorted((ROOT / FOLDER).glob("*/paper.yaml"))]
PRINTED = r"(iclr_)?(table|fig)\d+(_\d+)?"
PUBLISHED = sorted((ROOT / FOLDER).glob("*/published/*.yaml"))


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield make_plan(scale="paper", papers="all", dataset="rtd", eeg_dataset="eegmmidb")


def test_papers_are_found_the_main_one_first(plan):
    assert sorted(paper_names()) == PAPERS
    assert paper_names()[0] == "fed_react"


def values_set_in(plan, name, set_in, settings):
    """What the configuration takes: by default, or in the settings of the measurement."""
    paper = plan.settings.paper(name)
    step, _, option = set_in.partition(".")
    if step == "methods":
        method, _, option = option.rpartition(".")
        kind, found = paper.methods[method]
        cls = runs.part_of(kind, "spec").Options
        algorithm = options.defaults(runs.algorithm_options(kind, found.algorithm))
        return [{**options.defaults(cls), **algorithm, **found.options, **found.of_run}[option]]
    default = options.defaults(options_of_step(step, set_in))
    given = [paper.settings[setting].steps.get(step, {}) for setting in settings] or [{}]
    return [{**default, **options_given}[option] for options_given in given]


@pytest.mark.parametrize("name", PAPERS)
def test_the_ledger_says_what_the_configuration_does(plan, name):
    paper = plan.settings.paper(name)
    assert paper.ledger
    for entry, given in paper.ledger.items():
        if "/" in given.set_in:
            assert (ROOT / given.set_in).is_file(), entry
        elif "." in given.set_in:
            found = values_set_in(plan, name, given.set_in, given.measured_on)
            assert all(value == given.taken for value in found), (entry, found)
        elif given.set_in not in ("encoder_from", "partitions", "settings", "methods"):
            assert (ROOT / paper.folder / f"{given.set_in}.yaml").is_file(), entry
        if given.measured_on:
            assert given.alternatives, entry
            assert given.taken not in given.alternatives, entry


@pytest.mark.parametrize(
    "path", PUBLISHED, ids=lambda path: f"{path.parent.parent.name}-{path.stem}"
)
def test_published_values_have_a_source_and_a_table(plan, path):
    published = values.read(path)  # refuses rows of another length than there are columns
    assert published["source"]
    paper = plan.settings.paper(path.parent.parent.name)
    spec, ledger = paper.tables[path.stem], paper.ledger
    if spec.study:
        return
    not_rebuilt = {column for column in published["columns"] if column.lower() in ledger}
    assert set(published["columns"]) <= {*spec.columns, *not_rebuilt}
    # Rows that change a setting (tuned, another reading) are ours.
    shown = {
        row
        for row, asked in spec.rows.items()
        if row in published["rows"] or isinstance(asked, str)
    }
    assert set(published["rows"]) <= shown
    for key in ("unstated", "data_of", "metric_of"):
        assert set(published.get(key, [])) <= shown
    if published["rows"] and not published.get("unlabelled"):
        assert shown == set(published["rows"])


@pytest.mark.parametrize("name", PAPERS)
def test_grids_of_searches_hold_what_is_taken(plan, name):
    """Every searched method's options as configured are one of its candidates."""
    searches = plan.experiments.workload(name).searches
    for search, spec in plan.settings.paper(name).searches.items():
        if spec.by_dataset:
            continue
        candidates = {column for _, column in searches.compared(search)}
        taken = searches.taken(search)
        assert len(taken) == len(spec.grids), search
        assert set(taken) <= candidates, search


@pytest.mark.parametrize("name", PAPERS)
def test_searches_use_seeds_that_no_table_uses(plan, name):
    paper = plan.settings.paper(name)
    shown = set(plan.experiments.table_seeds(name))
    for spec in paper.searches.values():
        assert not shown & set(spec.seeds)


@pytest.mark.parametrize("name", PAPERS)
def test_every_scale_has_its_file(name):
    own = {path.stem for path in (ROOT / FOLDER / name / "scales").glob("*.yaml")}
    of_scale = {scale: read_yaml(ROOT / f"config/scales/{scale}.yaml") for scale in SCALES}
    assert own <= set(SCALES)
    assert own >= {scale for scale, content in of_scale.items() if "like" not in content}
    by_protocol = read_yaml(ROOT / FOLDER / name / "scales/paper.yaml")
    for path in (ROOT / FOLDER / name / "scales").glob("*.yaml"):
        content = read_yaml(path)
        said = [*content.get("differences", []), *content.get("differences_of", {})]
        # By its protocol, a paper may still be rebuilt otherwise: what it does not let one do.
        assert path.stem == "paper" or bool(said) == (content != by_protocol), path


def test_ledgers_name_no_file_that_is_gone(plan):
    """Notes and ledgers speak of files; those must be there."""
    for path in [*Path(ROOT, "config").rglob("*.yaml"), *Path(ROOT, "docs").glob("*.md")]:
        for word in path.read_text().replace("(", " ").replace(")", " ").split():
            word = word.strip("`.,;:'\"")
            if word.startswith(("src/fedreact/", "config/papers/", "scripts/")) and "<" not in word:
                assert list(ROOT.glob(word.rstrip("/"))), f"{path}: {word}"


@pytest.mark.parametrize("name", PAPERS)
def test_each_table_and_figure_with_a_printed_number_is_listed(plan, name):
    paper = plan.settings.paper(name)
    numbered = {key for key in [*paper.tables, *paper.figures] if re.fullmatch(PRINTED, key)}
    listed = {target for entry in paper.printed.values() for target in entry.targets}
    assert numbered <= listed
    assert bool(paper.printed) == (name != "grand")  # which is in no paper
    for key in paper.printed:
        assert re.fullmatch(r"(ICLR )?(Table|Figure) \d+(\.\d+)?", key), key


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"shows": "a", "targets": ["table0"]}, "'table0' is unknown"),
        ({"shows": "a"}, "give targets, and what they lack, or why it is missing"),
        ({"shows": "a", "targets": ["table05"], "missing": "b"}, "give targets, and what they"),
        ({"shows": "a", "missing": "b", "lacks": "c"}, "give targets, and what they lack"),
    ],
)
def test_what_is_printed_has_targets_or_a_reason(project, entry, message):
    edit_yaml("config/papers/fed_react/printed.yaml", lambda content: content.update({"X": entry}))
    assert f"printed.yaml: X: {message}" in refused()
