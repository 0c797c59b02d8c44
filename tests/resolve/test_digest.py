"""Digests of code: a real edit changes those of the jobs that it touches, and no others."""

from collections import defaultdict
from pathlib import Path

import pytest
from helpers import BASE, copy_project, edit

from fedreact import digest, plugins
from fedreact.kinds import contract
from fedreact.kinds.asynchronous import spec
from fedreact.resolve import variants
from fedreact.resolve.plan import Plan
from fedreact.resolve.run_jobs import Run

TEMPORAL = "src/fedreact/aggregation/temporal.py"
ALGORITHM = Path("src/fedreact/kinds/clustered/algorithms/fed_react.py")


def forget():
    """Forget files: a process remembers them."""
    for function in (digest.code_digest, digest.reached, digest._imports, digest._read):
        function.cache_clear()


@pytest.fixture
def code_digest(project):
    def fresh(script=ALGORITHM):
        forget()
        return digest.code_digest(script)

    return fresh


def test_reaches_what_the_script_imports_and_nothing_else(project):
    forget()
    reached = {str(path) for path in digest.reached(ALGORITHM)}
    assert {str(ALGORITHM), TEMPORAL, "src/fedreact/clustering/affect.py"} <= reached
    assert not any("causal_cnn" in path or "/tables/" in path for path in reached)
    assert not any("kinds/clustered/algorithms/flacc" in path for path in reached)
    assert not any("provenance" in path for path in reached)
    reached = {str(path) for path in digest.reached(Path("scripts/run.py"))}
    assert {"src/fedreact/command.py", "src/fedreact/kinds/jobs.py"} <= reached


def test_a_real_edit_far_away_changes_it(code_digest):
    before = code_digest()
    edit(Path("src/fedreact/clustering/affect.py"), "mixed *= alpha", "mixed *= 2 * alpha")
    assert code_digest() != before


def test_comments_docstrings_and_layout_do_not(code_digest):
    before, path = code_digest(), Path("src/fedreact/clustering/affect.py")
    edit(path, '"""Return alpha', '"""Give alpha')
    edit(path, "        mixed *= alpha", "        # smoothing\n        mixed *= alpha")
    edit(path, "mixed += W[band]", "mixed += (W[band])")
    assert code_digest() == before


def test_an_edit_elsewhere_does_not(code_digest):
    before = code_digest()
    path = Path("src/fedreact/models/layers.py")
    path.write_text(path.read_text() + "\nMORE = 1\n")
    assert code_digest() == before


# ---- The jobs of the project --------------------------------------------------------------------


def codes():
    """Digest of each job's code, by its step and what it names."""
    forget()
    plan, paper, found, encoders = Plan(BASE), "fed_react", {}, {}
    for name in plan.datasets.registry:
        found["data", name] = plan.job("prepare_data", dataset=name).code
    for name in plan.settings.paper(paper).partitions:
        place = {"paper": paper, "dataset": plan.settings.dataset(paper, name), "partition": name}
        found["partition", name] = plan.job("make_partition", **place, seed="0").code
    for (kind, data, setting, job), group in plan.experiments.workload(paper).jobs().items():
        place = {"kind": kind, "paper": paper, "dataset": data, "setting": setting, "job": job}
        algorithms = {method.algorithm for method in group.methods.values()}
        key = ("run", kind, setting, job, frozenset(algorithms), frozenset(group.metrics))
        found[key] = plan.job("run", **place, seed="0").code
        if encoder := plan.runs.run(**place).encoder:
            encoders[encoder[1]] = data
    for name, data in encoders.items():
        for step, rule in (("encoder", "train_encoder"), ("features", "extract_features")):
            place = {"paper": paper, "dataset": data, "encoder": name}
            found[step, name] = plan.job(rule, **place, seed="0").code
    for name in plan.tables:
        found["table", name] = plan.job("make_table", table=name).code
    for name in plan.figures:
        found["figure", name] = plan.job("make_figure", figure=name).code
    for name in [*plan.tables, *plan.figures]:
        if plan.outputs.study(name):
            found["study", name] = plan.job("study", study=name).code
    return found


def touched(plan, path):
    """What an edit of a file changes: names of jobs, by their step."""
    before, path = plan.codes_before, Path(path)
    old = path.read_text()
    path.write_text(old + "\n\nADDED_BY_A_TEST = 1\n")
    after = codes()
    path.write_text(old)
    forget()
    assert before.keys() == after.keys()
    found = defaultdict(set)
    for key, code in after.items():
        if code != before[key]:
            found[key[0]].add(key[1:] if key[0] == "run" else key[1])
    return dict(found)


def runs_of(plan, wanted):
    """Runs of which something is true."""
    return {key[1:] for key in plan.codes_before if key[0] == "run" and wanted(*key[1:])}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A copy of the project, and the digests of its jobs; tests leave it as it was."""
    folder = copy_project(tmp_path_factory.mktemp("digests") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder, codes()


@pytest.fixture
def plan(shared, monkeypatch):
    folder, before = shared
    monkeypatch.chdir(folder)
    plan = Plan(BASE)
    plan.codes_before = before
    return plan


@pytest.mark.campaign
def test_an_architecture(plan):
    found = touched(plan, "src/fedreact/models/architectures/patchtst.py")
    assert found["run"] == runs_of(plan, lambda kind, setting, job, *_: "patchtst" in job)
    assert found["run"]
    assert found["study"] == {"table12", "communication"}
    assert found.keys() == {"run", "study"}


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("kind", "algorithm"), [("synchronous", "ditto"), ("clustered", "flacc"), ("clustered", "ifca")]
)
def test_an_algorithm(plan, kind, algorithm):
    found = touched(plan, f"src/fedreact/kinds/{kind}/algorithms/{algorithm}.py")
    shares = {"ifca": {"flsc"}}.get(algorithm, set()) | {algorithm}  # FLSC is built on IFCA
    naming = runs_of(plan, lambda k, setting, job, algorithms, _: k == kind and algorithms & shares)
    assert found == {"run": naming}
    assert naming < runs_of(plan, lambda *_: True)


def test_the_clients_half_of_rounds_on_the_clock(shared, monkeypatch):
    """Asynchronous methods name a synchronous algorithm by an option of theirs."""
    monkeypatch.chdir(shared[0])
    plan = Plan(BASE)
    method = contract.Method("fedprox", "rounds", {"of": "fedprox", "options": {"mu": 0.5}})
    run = Run(spec, spec.Options(), [method], ["accuracy"], "fed_react", "eeg10", None)
    monkeypatch.setattr(plan.runs, "run", lambda *_: run)

    def code():
        forget()
        place = ("asynchronous", "fed_react", "eeg-sim", "eeg10", "rounds", "0")
        return plan.runs.training(*place).code

    before, path = code(), Path("src/fedreact/kinds/synchronous/algorithms/fedprox.py")
    old = path.read_text()
    path.write_text(old + "\n\nADDED_BY_A_TEST = 1\n")
    after = code()
    path.write_text(old)
    forget()
    assert after != before


@pytest.mark.campaign
@pytest.mark.parametrize("source", ["pendigits", "eegmmidb", "sumo_ev"])
def test_a_reader_of_a_dataset(plan, source):
    assert touched(plan, f"src/fedreact/data/sources/{source}.py") == {
        "data": {source.replace("_", "-")}
    }


@pytest.mark.campaign
def test_a_partitioner(plan):
    found = touched(plan, "src/fedreact/clients/partitioners/labels.py")
    assert found == {"partition": {"eeg10"}}


@pytest.mark.campaign
def test_a_kind_of_drift(plan):
    found = touched(plan, "src/fedreact/clients/drifts/visiting.py")
    drifts = {
        name
        for name in plan.settings.paper("fed_react").settings
        if (plan.settings.run("fed_react", "clustered", name, {}).drift or {}).get("kind")
        == "visiting"
    }
    naming = runs_of(plan, lambda kind, setting, *_: variants.parts(setting)[0] in drifts)
    assert found == {"run": naming}
    assert naming


@pytest.mark.campaign
def test_an_optimizer(plan):
    found = touched(plan, "src/fedreact/optimizers/dtssgd.py")
    assert found.keys() == {"encoder"}
    assert found["encoder"]
    assert all("dtssgd" in name for name in found["encoder"])


@pytest.mark.campaign
def test_an_encoder_that_nothing_names(plan):
    assert touched(plan, "src/fedreact/models/encoders/franceschi.py") == {}


@pytest.mark.campaign
def test_a_metric(plan):
    found = touched(plan, "src/fedreact/metrics/rmse.py")
    assert found["run"] == runs_of(plan, lambda *key: "rmse" in key[-1])
    shown = {name for name in plan.tables if "rmse" in plan.outputs.entry(name)[2].metrics}
    assert found["table"] == shown
    assert found.keys() == {"run", "table"}


def test_a_part_of_a_metrics_name(plan):
    """Table 2 shows ``accuracy@worst_cluster`` beside the accuracy."""
    found = touched(plan, "src/fedreact/metrics/subsets/worst_cluster.py")
    assert found["run"] == runs_of(plan, lambda *key: "accuracy@worst_cluster" in key[-1])
    assert found["table"] == {"table02"}
    assert found.keys() == {"run", "table"}


def test_metrics_that_runs_record_touch_no_run(plan):
    found = touched(plan, "src/fedreact/metrics/recorded.py")
    assert "table05" in found["table"]
    assert "run" not in found


@pytest.mark.campaign
def test_a_kind_of_figure(plan):
    found = touched(plan, "src/fedreact/figures/spectrogram.py")
    kinds = {name for name in plan.figures if plan.outputs.entry(name)[2].kind == "spectrogram"}
    assert found == {"figure": kinds}


@pytest.mark.campaign
def test_a_study(plan):
    assert touched(plan, "src/fedreact/studies/theorem1.py")["study"] == {"theorem1"}


FOLDERS = [
    *("kinds/clustered/algorithms", "kinds/synchronous/algorithms", "models/architectures"),
    *("models/encoders", "data/sources", "clients/partitioners", "clients/drifts"),
    *("metrics", "metrics/subsets", "metrics/reducers", "optimizers", "figures", "studies"),
]


@pytest.mark.campaign
def test_new_files_touch_nothing(project):
    before = codes()
    for folder in FOLDERS:
        sample = next(
            path
            for path in sorted(Path("src/fedreact", folder).glob("*.py"))
            if path.stem not in ("__init__", "contract")
        )
        Path("src/fedreact", folder, "new_one.py").write_text(sample.read_text())
    assert codes() == before


def test_a_users_own_file_counts_for_what_names_it(project):
    own = Path("own/models/encoders/wide.py")
    own.parent.mkdir(parents=True)
    own.write_text(Path("src/fedreact/models/encoders/table12.py").read_text())
    named = [("models/encoders", "wide", "ENCODER")]
    forget()
    files = [plugins.source_file(plugins.find(*one)) for one in named]
    assert files == [own]
    before = digest.code_digest("scripts/train_encoder.py", *files)
    own.write_text(own.read_text() + "\nMORE = 1\n")
    forget()
    assert digest.code_digest("scripts/train_encoder.py", *files) != before
