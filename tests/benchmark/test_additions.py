"""Papers that add a method or data of one's own to the benchmark."""

import shutil
from pathlib import Path

import pytest
from helpers import BASE, ROOT

from fedreact.benchmark import additions
from fedreact.errors import UserError
from fedreact.resolve.benchmark import card
from fedreact.resolve.plan import Plan

BENCHMARK = Path("config/papers/grand")
FEDAVGM = Path("own/kinds/synchronous/algorithms/fedavgm.py")


@pytest.fixture
def with_method(project):
    shutil.copytree(ROOT / "examples/own", "own")
    name, files = additions.method_paper(FEDAVGM, BENCHMARK)
    additions.write(Path("config/papers", name), files)
    return name


def page_of(config):
    plan = Plan(BASE | {"scale": "smoke", **config})
    plan.check()
    return plan, plan.job("benchmark")


def test_a_method_is_compared_in_all_regimes(with_method):
    plan, job = page_of({})
    assert plan.benchmark.papers == ["grand", with_method]
    own = [file for file in job.inputs["tables"] if "fedavgm" in file]
    assert len(own) == 6
    assert FEDAVGM.as_posix() in " ".join(job.words)
    cells = plan.outputs.cells(f"{with_method}_usual")
    assert {column for _, column in cells} == {"fedavgm", "Alone"}


def test_with_the_kept_tables_only_ones_own_are_built(with_method):
    kept = Path("reference/smoke/grand/tables.csv.gz")
    with pytest.raises(UserError, match=r"benchmark_kept: there is no reference/smoke"):
        page_of({"benchmark_kept": True})
    kept.parent.mkdir(parents=True)
    kept.touch()
    _, job = page_of({"benchmark_kept": True})
    assert [file for file in job.inputs["tables"] if "grand" in file] == [str(kept)]


@pytest.mark.parametrize(
    ("time", "labels", "regimes"),
    [
        (False, True, {"usual", "labels", "newcomers", "participation", "size"}),
        (True, False, {"usual", "later", "participation", "size"}),
    ],
)
def test_data_is_put_into_the_regimes_that_it_allows(time, labels, regimes):
    name, files = additions.data_paper("my-data", time, labels, ROOT / BENCHMARK)
    assert name == "benchmark_my_data"
    assert set(files["tables.yaml"]) == regimes
    used = {s for table in files["tables.yaml"].values() for s in table["rows"].values()}
    assert used == set(files["experiment.yaml"]["settings"])
    for table in files["tables.yaml"].values():
        methods = [c["method"] if isinstance(c, dict) else c for c in table["columns"].values()]
        assert all("/" in method for method in methods)


@pytest.mark.parametrize("file", ["own/fedavgm.py", "own/kinds/synchronous/algorithms/none.py"])
def test_what_is_no_method_is_refused(project, file):
    with pytest.raises(UserError, match="no method; wanted own/kinds/<kind>/algorithms"):
        additions.method_paper(Path(file), BENCHMARK)


def test_the_benchmark_is_the_paper_that_adds_nothing(with_method):
    assert additions.find_benchmark(Path("config/papers")) == BENCHMARK
    with pytest.raises(UserError, match=r"no paper.yaml says what the benchmark is"):
        additions.find_benchmark(Path("own"))


def test_what_a_person_may_have_edited_stays(with_method):
    _, files = additions.method_paper(FEDAVGM, BENCHMARK)
    with pytest.raises(UserError, match="is there already; edit it"):
        additions.write(Path("config/papers", with_method), files)


def test_a_card_has_what_the_file_of_the_method_says(project):
    """FedProto's file has a sentence, a citation and a box of equations."""
    plan = Plan(BASE | {"scale": "smoke"})
    cells = plan.outputs.cells("grand_usual")
    of_method = {column: cell for (_, column), cell in cells.items()}
    proto = card(of_method["FedProto"])
    assert proto.words.startswith("FedProto: clients share the mean features of classes")
    assert proto.citation.startswith("Tan, Long, Liu")
    assert proto.citation.endswith("AAAI.")
    assert proto.equations.splitlines()[1].startswith("C^c   = sum_{k in K_c} p_k C_k^c")
    alone = card(of_method["Alone"])
    assert (alone.citation, alone.equations) == ("", "")
    assert proto.tasks == ["one label"]
