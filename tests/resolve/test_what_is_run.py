"""What `make show CELL=` says, and what lies beside scores: a whole configuration on a screen."""

import csv
from pathlib import Path

import pytest
from helpers import edit_yaml, make_plan

from fedreact.errors import UserError
from fedreact.resolve import configuration
from fedreact.resolve.files import Files, folder_of


@pytest.fixture
def plan(project):
    return make_plan(scale="quick")


def line(lines, option, after=""):
    """Value and place of an option, of the part that begins with a word."""
    first = next(i for i, text in enumerate(lines) if text.startswith(after))
    _, value, place = next(text.split() for text in lines[first:] if text.split()[0] == option)
    return value, place


def content(place):
    """The line of a file that a place names."""
    file, _, number = place.rpartition(":")
    return Path(file).read_text().splitlines()[int(number) - 1]


def test_a_cell_is_one_screen_with_the_line_of_each_option(plan):
    lines = configuration.of_cell(plan, "table05", "10 clients", "w/ A2")
    assert len(lines) <= 45
    assert lines[0].startswith(
        "table05 / RTD - 10 clients (Stationary) / Fed-REACT w/ A2, scale quick"
    )
    value, place = line(lines, "rounds", "Run:")
    assert value == "20"
    assert content(place) == "at_most: {clustered: {rounds: 20}, cluster_counts: {rounds: 4}}"
    value, place = line(lines, "memory", "Method:")
    assert value == "a2"
    assert content(place).strip().startswith("fed-react-a2:")
    value, place = line(lines, "beta", "Partition:")
    assert value == "1.5"
    assert content(place).strip().startswith("clients10-beta1.5:")
    value, place = line(lines, "steps", "Encoder:")
    assert content(place).strip().startswith("encoder: {rounds: 4, steps: 20")
    commands = [text.strip() for text in lines if text.startswith("  python scripts/")]
    assert [text.split()[1] for text in commands] == [
        f"scripts/{name}.py"
        for name in (
            *("prepare_data", "make_partition", "train_encoder"),
            *("extract_features", "run"),
        )
    ]


def test_what_a_bound_lowered_stands_below(plan):
    lines = configuration.of_cell(plan, "table05", "10 clients", "w/ A2")
    (text,) = [text for text in lines if "instead of 60" in text]
    assert "stationary10: {" in content(text.split()[-1])


def test_what_a_column_changes_is_from_its_line(plan):
    lines = configuration.of_cell(plan, "table05", "10 clients", "untrained")
    value, place = line(lines, "rounds", "Encoder:")
    assert value == "0"
    assert "untrained encoder" in content(place)


def test_tuned_options_are_from_the_scale(project):
    plan = make_plan(scale="overnight")
    lines = configuration.of_cell(plan, "table01", "RTD 10 clients, baselines tuned", "CNN FedAvg")
    value, place = line(lines, "learning_rate", "Run:")
    assert value == "0.003"
    assert content(place).strip().startswith("causal-cnn: {learning_rate: 0.003}")


def test_a_cell_that_is_left_out_says_why(plan):
    lines = configuration.of_cell(plan, "table05", "Strategy 3", "w/ A2")
    assert lines[-1].startswith("Seeds") or lines[-1].startswith(("Left out: ", "Scores: "))
    lines = configuration.of_cell(plan, "table01", "RTD 10 clients (acc)", "LSTM FedAvg")
    assert lines[-1].startswith("Left out: with minutes of compute")


def test_parts_of_labels_that_fit_no_cell_or_several_are_errors(plan):
    with pytest.raises(UserError, match="table05: no cell fits 10 clients/w/ A9: RTD"):
        configuration.of_cell(plan, "table05", "10 clients", "w/ A9")
    with pytest.raises(UserError, match="table05: several cells fit"):
        configuration.of_cell(plan, "table05", "clients", "w/ A2")


def test_a_setting_is_shown_with_any_of_its_methods(plan):
    lines = configuration.of_setting(plan, "fed_react", "stationary10", "ifca")
    assert lines[0] == "fed_react: stationary10, ifca, scale quick"
    assert line(lines, "start", "Method:")[0] == "random"
    assert configuration.of_setting(plan, "fed_react", "stationary10", None)[0].startswith(
        "fed_react"
    )
    with pytest.raises(UserError, match=r"'stationary1' is unknown.*did you mean stationary10"):
        configuration.of_setting(plan, "fed_react", "stationary1", None)
    with pytest.raises(UserError, match="method 'ifc' is unknown"):
        configuration.of_setting(plan, "fed_react", "stationary10", "ifc")


@pytest.mark.campaign
def test_every_cell_of_every_paper_can_be_shown(project):
    plan = make_plan(scale="smoke")
    for paper in plan.settings.names:
        for place, cell in configuration.cells(plan, paper):
            lines = configuration.of_cell(plan, *place)
            assert cell.skipped or lines[-1].startswith("Scores: ")


def test_the_same_text_lies_beside_scores(plan):
    cell = next(iter(plan.outputs.cells("table05").values()))
    keys = ("kind", "dataset", "setting", "job")
    configuration.write(plan, [dict(zip(keys, cell.key)) | {"paper": "fed_react"}])
    folder = Path(plan.outputs.folder("fed_react", cell))
    text = (folder / "configuration.txt").read_text()
    assert "Run: clustered" in text
    assert "ifca" in text.splitlines()[-1]


# ---- Folders ------------------------------------------------------------------------------------


def test_a_folder_has_a_digest_of_changes_in_whatever_order():
    assert folder_of("stationary10") == "stationary10"
    assert folder_of("a+x=1+y=2") == folder_of("a+y=2+x=1") != folder_of("a+x=1+y=3")
    assert folder_of("a+x=1").startswith("a-")
    assert len(folder_of("a+x=1")) == len("a-") + 8


def test_the_index_says_what_digests_stand_for_now_and_before(tmp_path):
    first, second = Files(str(tmp_path)), Files(str(tmp_path))
    folder = first.folder("a+x=1")
    first.write_index()
    other = second.folder("b+linkage=average")
    second.write_index()
    with (tmp_path / "index.csv").open(newline="") as file:
        index = {one["folder"]: one["name"] for one in csv.DictReader(file)}
    assert index == {folder: "a+x=1", other: "b+linkage=average"}
    assert Files(str(tmp_path)).name(folder) == "a+x=1"
    assert Files(str(tmp_path)).name("a") == "a"


def test_a_job_is_found_by_its_folders_without_an_index(project):
    plan, again = make_plan(scale="smoke"), make_plan(scale="smoke")
    cell = plan.outputs.cells("table05")[
        "RTD - 10 clients (Stationary)", "Fed-REACT w/ A1, untrained encoder"
    ]
    path = Path(plan.outputs.folder("fed_react", cell))
    *_, kind, paper, dataset, setting, job = path.parts
    assert setting != cell.setting
    place = {"kind": kind, "paper": paper, "dataset": dataset, "setting": setting, "job": job}
    words = again.job("run", **place, seed="0").words
    assert words[words.index("--setting") + 1] == cell.setting


def test_a_file_that_nothing_reads_is_an_error(project):
    edit_yaml("config/papers/fed_react/experiment.yaml", lambda content: None)
    Path("config/papers/fed_react/setting.yaml").write_text("a: {}\n")
    with pytest.raises(UserError, match=r"setting\.yaml: 'setting' is unknown"):
        make_plan(scale="smoke").settings.paper("fed_react")
