"""A user's own data, models and algorithms, each one file and lines of a paper (docs/howto/)."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from helpers import ROOT, SCALES, command, copy_project, edit, make_plan, refused, write_paper
from own_examples import COMMANDS, PAGES, add_examples, add_least, files_of, shown

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.kinds import contract as runs_of
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.task import Task

pytestmark = pytest.mark.campaign

TEXT = "\n".join(page.read_text() for page in PAGES)
MINE = Path("config/papers/mine")
ALGORITHMS = Path("own/kinds/clustered/algorithms")


@pytest.fixture
def mine(project):
    """A copy of the project with the examples, as the current folder."""
    add_examples(project)
    return project


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Such a copy that tests only read."""
    project = copy_project(tmp_path_factory.mktemp("shared"))
    add_examples(project)
    return project


@pytest.fixture
def here(shared, monkeypatch):
    """The shared copy, as the current folder."""
    monkeypatch.chdir(shared)


# ---- The page -----------------------------------------------------------------------------------


def test_commands_are_those_that_the_tests_run():
    for words in COMMANDS:
        assert f"\n{words}\n" in TEXT


def test_what_is_quoted_stands_in_the_example():
    folder, text = ROOT / "examples/own_paper" / MINE, TEXT
    given = {file.name: file.read_text() for file in folder.rglob("*.yaml")}
    cells = re.findall(
        r"^\| `(?:scales/)?([^`|]+)`(?:, `\w+`)? \|[^|]*\| `([^|]+)` \|$", text, re.MULTILINE
    )
    assert len(cells) == 5
    for file, line in cells:
        assert line in given[file.replace("<scale>", "smoke")], line
    blocks = re.findall(r"^```yaml\n(.*)\n```$", text, re.MULTILINE)
    assert len(blocks) == 3
    for line in blocks:
        assert line.startswith("columns: {FedAvg") or any(
            line in content for content in given.values()
        ), line


def test_what_it_links_to_is_there():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 15
    for link in links:
        assert (PAGES[0].parent / link).exists(), link


def test_its_table_says_what_each_file_defines():
    rows = re.findall(r"^\|.*`own/(.+)/<name>.py` \| `(\w+)` \|.*\]\((.+)\) \|$", TEXT, re.M)
    assert len(rows) == 15
    for folder, defines, example in rows:
        path = (PAGES[0].parent / example).resolve()
        assert path.parent in (ROOT / "examples/own" / folder, plugins.PACKAGE / folder)
        assert re.search(rf"^{defines} = ", path.read_text(), re.M)


def test_what_it_shows_of_files_is_accepted(mine):
    """The first block is a paper; the others are put into the paper of the example."""
    add_least(mine)
    _, *blocks = shown()
    assert [list(block) for block in blocks] == [
        ["experiment.yaml", "tables.yaml"],
        ["experiment.yaml", "figures.yaml"],
        ["claims.yaml"],
        ["experiment.yaml", "tables.yaml"],
    ]
    for block in blocks:
        for name, lines in block.items():
            if name == "claims.yaml":  # of the first block's table
                continue
            file, given = mine / MINE / name, yaml.safe_load(lines)
            there = yaml.safe_load(file.read_text()) if file.exists() else {}
            both = {key: there.get(key, {}) | of for key, of in given.items()}
            file.write_text(yaml.safe_dump(there | both, sort_keys=False))
    plan = make_plan(papers=["mine", "gestures"])
    assert {"mine_fedst", "mine_gains", "mine_together"} <= {*plan.tables, *plan.figures}
    assert {"mine_table05", "gestures_methods"} <= set(plan.tables)
    assert plan.settings.run("mine", "asynchronous", "people", {}).gflops == 2


@pytest.mark.rare
def test_methods_that_it_names_are_there_and_fit_the_tasks_that_it_says():
    lines = re.findall(r"^\|[^|]*\|([^|]+)\| (yes|no) \| (yes|no) \| (yes|no) \|$", TEXT, re.M)
    assert len(lines) == 7
    tasks = [Task(kind, 2, 3, 20) for kind in ("classification", "multi-label", "regression")]
    for cell, *fits in lines:
        named = re.findall(r"`(\w+)/([a-z0-9-]+)`", cell)
        assert named, cell
        for paper, name in named:
            kind, method = make_plan().settings.paper(paper).methods[name]
            runs = [runs_of.skipped(kind, method.algorithm, task) is None for task in tasks]
            assert runs == [fit == "yes" for fit in fits], name
    columns = yaml.safe_load(re.search(r"^columns: .*$", TEXT, re.M)[0])["columns"]
    for paper, name in (method.split("/") for method in columns.values()):
        assert name in make_plan().settings.paper(paper).methods


# ---- The examples -------------------------------------------------------------------------------


def test_nothing_of_the_project_is_edited(shared):
    ours, theirs = files_of(copy_project(shared.parent / "plain")), files_of(shared)
    assert {name for name in ours if theirs[name] != ours[name]} == set()
    added = {name.split("/")[0] for name in theirs.keys() - ours.keys()}
    assert added == {"own", "config", "data"}


@pytest.mark.parametrize("scale", SCALES)
def test_they_are_accepted_at_every_scale(here, scale):
    plan = make_plan(scale=scale, papers="mine")
    assert plan.targets()["mine"][0] == plan.files.table("mine_clusters")[0]
    assert plan.outputs.chosen(plan.tables) == ["mine_clusters", "mine_trained"]


def test_own_things_stand_beside_those_of_the_project(here):
    plan = make_plan(papers="mine")
    jobs = plan.experiments.workload("mine").jobs()
    of_people = jobs["clustered", "gestures", "people", "all"]
    assert {m.algorithm for m in of_people.methods.values()} == {
        *("kmeans", "fed-react", "ifca", "given-clusters")
    }
    assert of_people.methods["kmeans"].options == {"restarts": 10}
    assert {key[3] for key in jobs if key[0] == "synchronous"} == {"lstm", "gru-classifier"}
    assert plan.settings.run("mine", "clustered", "people", {}).n_clusters == 2
    # The digits' encoder is Fed-REACT's; of the gestures there are two, for all seeds.
    names = {
        (setting, *plan.settings.encoder_of("mine", setting, changes))
        for setting, changes in (
            ("people", {}),
            ("people", {"encoder.encoder": "gru"}),
            ("dealt", {}),
            ("fed_react/stationary10", {}),
        )
    }
    assert names == {
        ("people", "mine", "people", 0),
        ("people", "mine", "people+encoder.encoder=gru", 0),
        ("dealt", "mine", "people", 0),
        ("fed_react/stationary10", "fed_react", "clients10-beta1.5", 0),
    }


def test_what_the_page_says_of_scales(mine):
    write_paper("mine", **{"scales/smoke": {
        "defaults": {"clustered": {"rounds": 9, "samples_per_round": 8}},
        "of": {"gestures": {"clustered": {"rounds": 8, "samples_per_round": 7}}},
        "settings": {"people": {"clustered": {"samples_per_round": 6}}},
        "at_most": {"clustered": {"rounds": 5}},
        "seeds": {"synchronous": [3]},
        "seeds_of": {"people": {"synchronous": [4, 5]}},
    }})  # fmt: skip
    smoke, paper = (make_plan(papers="mine", scale=scale) for scale in ("smoke", "paper"))
    found = smoke.settings.run("mine", "clustered", "people", {})
    assert (found.rounds, found.samples_per_round, found.n_clusters) == (5, 6, 2)
    assert smoke.settings.run("mine", "clustered", "dealt", {}).samples_per_round == 7
    assert smoke.experiments.seeds("mine", "synchronous") == (3,)
    assert smoke.experiments.seeds("mine", "synchronous", "people+C=10.0") == (4, 5)
    assert smoke.experiments.seeds("mine", "clustered", "people") == (0, 1)
    assert smoke.experiments.table_seeds("mine") == [0, 1, 3, 4, 5]
    assert smoke.settings.encoder_of("mine", "people", {}) == ("mine", "people", None)
    assert paper.settings.run("mine", "clustered", "people", {}).rounds == 60
    assert paper.settings.encoder("mine", "people").steps == 500
    # A change of a setting has its prefix.
    changes = {"rounds": 4, "encoder.rounds": 5, "partition.beta": 1.0}
    name = smoke.settings.canonical("mine", "clustered", "dealt", changes)
    assert name == "dealt+rounds=4+partition.beta=1.0+encoder.rounds=5"


def test_algorithms_that_cannot_run_on_own_data_are_left_out(mine):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1, 9)), rng.normal(size=60)
    np.savez("data/own/levels.npz", X=X, y=y, client=np.arange(60) % 3)
    columns = {name: f"fed_react/{name}" for name in ("ifca", "flsc", "flacc", "fed-react-a1")}
    write_paper(
        "levels",
        paper={"title": "Levels", "cite": "nobody"},
        partitions={"three": {"data": "levels", "by": "owner"}},
        settings={"three": {"partition": "three", "clustered": {"n_clusters": "elbow"}}},
        tables={
            "one": {"title": "Levels", "rows": {"Three": "three"}, "columns": columns}
            | {"metrics": ["rmse"]}
        },
    )
    plan = make_plan(papers="levels")
    cells = plan.outputs.cells("levels_one")
    skipped = {place[1]: cell.skipped for place, cell in cells.items()}
    assert skipped.pop("fed-react-a1") is None
    assert set(skipped.values()) == {"its clients train classifiers"}
    assert len(skipped) == 3


def test_one_line_takes_own_data_for_the_digits(here):
    plan = make_plan(dataset="gestures")
    assert plan.settings.dataset("fed_react", "clients10-beta1.5") == "gestures"
    cell = plan.outputs.cells("table05")["RTD - 10 clients (Stationary)", "IFCA"]
    folder = plan.outputs.folder("fed_react", cell)
    assert folder == "results/smoke/runs/clustered/fed_react/gestures/stationary10/all"
    assert plan.datasets.options("gestures") == {}
    assert plan.datasets.raw_digest("gestures") != plan.datasets.raw_digest("pendigits")
    task = plan.datasets.task("gestures")
    assert (task.kind, task.outputs, task.channels, task.steps) == ("classification", 5, 2, 50)


# ---- What each example computes -----------------------------------------------------------------


def test_fedavgm_adds_a_share_of_the_step_before(here):
    kind = plugins.load("kinds/synchronous/algorithms", "fedavgm", "ALGORITHM")
    n, first = np.array([1, 3]), np.array([10.0, -2.0], np.float32)
    uploads = {"theta": np.array([[14.0, -2.0], [10.0, 2.0]], np.float32)}  # mean: [11, 1]
    for momentum, second in ((0.0, [11, 1]), (0.5, [11 + 0.5, 1 + 1.5])):
        algorithm = kind(momentum=momentum)
        server = algorithm.aggregate(algorithm.server(first, 2), uploads, n)
        np.testing.assert_allclose(server["theta"], [11, 1])
        server = algorithm.aggregate(server, uploads, n)
        np.testing.assert_allclose(server["theta"], second)
        assert algorithm.sent(server).keys() == {"theta"}


def test_the_encoder_is_torchs_gru_and_a_linear_map(here):
    encoder = plugins.load("models/encoders", "gru", "ENCODER")(3)
    theta = encoder.init(torch.Generator().manual_seed(0))
    w = {name: values[0] for name, values in encoder.unpack(theta[None]).items()}
    gru = torch.nn.GRU(3, encoder.hidden)
    names = ("input.weight", "hidden.weight", "input.bias", "hidden.bias")
    for parameter, name in zip(gru.parameters(), names, strict=True):
        parameter.data.copy_(w[name])
    x = torch.randn(8, 5, 3, generator=torch.Generator().manual_seed(1))
    expected = gru(x)[1][0] @ w["linear.weight"].T + w["linear.bias"]
    torch.testing.assert_close(encoder.encode(theta[None], x[None])[0], expected)


def test_the_architecture_is_its_module_with_the_given_weights(here):
    kind = plugins.load("models/architectures", "gru-classifier", "ARCHITECTURE")
    model = kind(in_channels=3, length=8, n_out=4)
    before = torch.random.get_rng_state()
    theta = torch.stack([model.init(torch.Generator().manual_seed(k)) for k in range(2)])
    assert torch.equal(torch.random.get_rng_state(), before)
    x = torch.randn(2, 5, 8, 3, generator=torch.Generator().manual_seed(1))
    outputs = model.forward(theta, x)
    for k in range(2):
        module = model.module()
        module.load_state_dict({name: w[k] for name, w in model.unpack(theta).items()})
        torch.testing.assert_close(outputs[k], module(x[k]))


def test_kmeans_finds_clusters_and_holds_their_means(here):
    kind = plugins.load("kinds/clustered/algorithms", "kmeans", "ALGORITHM")
    algorithm = kind(Setting(2, seed=0), restarts=3)
    models = np.array([[0.0, 1], [0, 3], [9, 9], [0, 2]], np.float32)
    n, present = np.array([1, 1, 5, 2]), np.array([True, True, True, False])
    state, held, labels = algorithm.round(
        algorithm.init(4, (1, 2)), Uploads(1, False, models, n, present, None)
    )
    assert labels[0] == labels[1] != labels[2]
    assert labels[3] == -1
    np.testing.assert_allclose(held[:3], [[0, 2], [0, 2], [9, 9]])
    # Who is absent is clustered by what was sent last.
    only_last = Uploads(2, True, models + 1, n, ~present, None)
    _, held, labels = algorithm.round(state, only_last)
    assert labels[0] == labels[1] == labels[3] != labels[2]
    np.testing.assert_allclose(held[3], [0.5, (1 + 3 + 2 * 3) / 4])


# ---- Contracts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tests", "name"),
    [
        ("kinds/algorithms/test_clustered", "kmeans"),
        ("kinds/algorithms/test_synchronous", "fedavgm"),
        ("models/test_encoders", "gru"),
        ("models/test_architectures", "gru-classifier"),
    ],
)
def test_the_contracts_tests_run_on_what_is_in_own(shared, tests, name):
    words = ["-p", "no:cacheprovider", f"tests/{tests}.py", "-k", name]
    printed, status = command("pytest", *words, cwd=shared)
    assert status == 0, printed
    assert int(re.search(r"(\d+) passed", printed)[1]) >= 5


# ---- What is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "experiment",
            "kmeans: {",
            "kmean: {",
            [
                "methods: clustered: kmean",
                "known: fed-react",
                "kmeans",
                "own/kinds/clustered/algorithms/",
            ],
        ),
        (
            "experiment",
            "restarts: 10",
            "restart: 10",
            ["kmeans", "unknown option restart", "restarts"],
        ),
        ("experiment", "restarts: 10", "restarts: 0", ["kmeans", "restarts", "0"]),
        (
            "experiment",
            "architecture: gru-classifier, algorithm: fedavg}",
            "architecture: gru, algorithm: fedavg}",
            ["gru-fedavg", "'gru' is unknown among models/architectures", "gru-classifier"],
        ),
        ("experiment", "algorithm: fedavgm}", "algorithm: fedavgn}", ["lstm-fedavgm", "fedavgm"]),
        (
            "tables",
            "encoder.encoder: gru",
            "encoder.encoder: gruu",
            ["tables.yaml: clusters", "'gruu' is unknown", "table12, gru (did you mean gru?);"],
        ),
        ("tables", "encoder.encoder: gru", "encodr.encoder: gru", ["encodr", "unknown"]),
        (
            "tables",
            "fed_react/fed-react-a1",
            "fed_react/fed-react-a9",
            ["tables.yaml: clusters", "'fed-react-a9' is unknown", "fed-react-a1"],
        ),
        ("experiment", "partition: people", "partition: peple", ["experiment.yaml", "'peple'"]),
    ],
)
def test_names_that_lead_nowhere_are_one_line(mine, file, old, new, words):
    edit(MINE / f"{file}.yaml", old, new)
    text = refused(papers="mine")
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("folder", "defines", "content", "words"),
    [
        (folder, defines, content, words)
        for folder, defines in (
            ("kinds/clustered/algorithms", "ALGORITHM"),
            ("models/encoders", "ENCODER"),
        )
        for content, words in (
            ("raise RuntimeError('two\\nlines')\n{} = 1", "RuntimeError: two lines"),
            ("import nowhere\n{} = 1", "No module named 'nowhere'"),
            ("def f(:\n{} = 1", "SyntaxError: invalid syntax"),
            ("{}S = 1", "defines no {}"),
            ("{} = '\0'", "null bytes"),
        )
    ],
)
def test_files_that_cannot_be_used_are_one_line(project, folder, defines, content, words):
    # A name of its own: modules are imported once.
    name = f"broken{sum(map(ord, folder + content))}"
    path = Path("own", folder, f"{name}.py")
    path.parent.mkdir(parents=True)
    path.write_text(content.replace("{}", defines))
    with pytest.raises(UserError) as caught:
        plugins.load(folder, name, defines)
    assert str(caught.value).startswith(f"{path}: ")
    assert words.replace("{}", defines) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["models/encoders/gru", "models/architectures/gru_classifier"])
def test_a_model_that_is_no_python_is_refused_before_anything_runs(mine, file):
    """The plan does not import models, which takes seconds; it reads them."""
    path = Path("own", f"{file}.py")
    path.write_text(path.read_text() + "\ndef f(:\n")
    assert f"{path}: SyntaxError: invalid syntax" in refused(papers="mine")


def test_a_name_of_the_projects_is_refused(mine):
    shutil.copy(ALGORITHMS / "kmeans.py", ALGORITHMS / "ifca.py")
    with pytest.raises(UserError, match=r"^own/\S+/ifca\.py: the project has 'ifca' itself"):
        plugins.find("kinds/clustered/algorithms", "ifca", "ALGORITHM")


def test_tables_speak_of_the_data_that_is_used(here):
    """With own data for the digits, labels name it, and nothing published stands beside it."""
    plan = make_plan(dataset="gestures")

    def labels(table, side):
        words = plan.job("make_table", table=table).words
        return {source[side] for source in json.loads(words[words.index("--layout") + 1])}

    assert labels("table05", "row") == {
        "gestures - 10 clients (Stationary)",
        "gestures - 100 clients (Stationary)",
        "gestures - 100 clients (Non-Stationary: Strategy 3)",
    }
    assert "EEG - 10 clients" in labels("table02", "row")
    assert labels("iclr_table01", "column") == {"10 (gestures)", "50 (gestures)"}
    published = {
        one.claim: [contrast.published for contrast in one.contrasts]
        for one in plan.claims.asked("fed_react")
    }
    assert set(published["best-on-10-clients"]) == {None}
    assert None not in published["best-on-eeg"]
    asked = plan.multiverse.asked("fed_react")
    assert {claim["published"] for claim in asked["claims"]} == {None}
    assert asked["cells"] == []
    # What an own paper says of its own data stays as it is.
    assert "Gestures, 12 people" in labels("mine_clusters", "row")
