"""``fedreact try`` and ``fedreact new`` up to Snakemake, whose run tests/end_to_end has."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_cli import call

from fedreact.cli.commands import try_
from fedreact.errors import UserError
from fedreact.estimates import planning
from fedreact.estimates.planning import Planned
from fedreact.reading import read_yaml
from fedreact.resolve.plan import Plan

RNG = np.random.default_rng(0)


@pytest.fixture
def asked(project, monkeypatch):
    """Words of the commands that would run, whose end is not shown."""
    words = []

    class Run:
        def __init__(self, command, env):
            words.append(" ".join(command[2:]))
            words.append(env["FEDREACT_COMMAND"])

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def wait(self):
            return 0

    monkeypatch.setattr(subprocess, "Popen", Run)
    monkeypatch.setattr(try_, "_show", lambda *_: None)
    monkeypatch.setattr(planning, "plan", lambda *_: planned(0))
    return words


def planned(cpu_hours):
    """What a plan of one job is."""
    return Planned("quick", "cpu", [], {"a.csv": {"cpu_hours": cpu_hours}}, {}, {}, {})


def write_files(folder="My walks", people=4, each=12):
    for who in range(people):
        for k in range(each):
            file = Path(folder, f"p{who}", f"{('walk', 'run', 'sit')[k % 3]}_{k}.csv")
            file.parent.mkdir(parents=True, exist_ok=True)
            pd.DataFrame(RNG.normal(size=(20, 2)), columns=["x", "y"]).to_csv(file, index=False)
    return folder


PATTERN = ("--pattern", "{client}/{label}_{trial}.csv")


def test_files_become_a_dataset_a_configuration_and_a_run(asked):
    source = write_files()
    status, printed, _ = call("try", source, *PATTERN, "--cores", "2", "--at", "smoke")
    assert status == 0
    assert "4 clients with 12 series" in printed
    assert "Each of the 4 clients that the data names is a client." in printed
    assert Path("data/own/my-walks.npz").is_file()
    written = sorted(path.name for path in Path("config/papers/my_walks").rglob("*.yaml"))
    assert written == [
        *("experiment.yaml", "figures.yaml", "paper.yaml"),
        *("quick.yaml", "search.yaml", "smoke.yaml", "tables.yaml"),
    ]
    assert asked[0] == (
        "snakemake --cores 2 my_walks my_walks_page --config scale=smoke papers=[my_walks]"
    )
    assert asked[1].split()[0] == "fedreact"
    # Again: nothing is imported or written anew, by the same words or by the dataset's name.
    edited = Path("config/papers/my_walks/paper.yaml")
    edited.write_text(edited.read_text() + "# mine\n")
    for words in ((source, *PATTERN), ("my-walks",), ("data/own/my-walks.npz",)):
        status, printed, _ = call("try", *words, "--cores", "2", "--at", "smoke")
        assert (status, "stays as it is" in printed) == (0, True)
    assert edited.read_text().endswith("# mine\n")
    assert len(set(asked[::2])) == 1


def test_a_method_without_its_paper_says_where_it_is(asked):
    call("try", write_files(), *PATTERN)
    file = Path("config/papers/my_walks/tables.yaml")
    file.write_text(file.read_text().replace("fedst/ditto", "ditto"))
    config = read_yaml(Path("config/config.yaml")) | {"scale": "quick"}
    with pytest.raises(UserError, match=r"'ditto' is unknown; known: .*fedst/ditto"):
        Plan(config | {"papers": ["my_walks"]}).check(["my_walks"])
    assert Plan(config | {"papers": "fedst,fedat"}).papers == ["fedst", "fedat"]


def test_a_program_gets_json_alone(asked, monkeypatch):
    about = {"page": "results/smoke/my_walks.html"}
    monkeypatch.setattr(try_, "_about", lambda *_: about)
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda self, command, env, stdout: None)
    status, printed, said = call("try", write_files(), *PATTERN, "--at", "smoke", "--json")
    assert (status, json.loads(printed)) == (0, about)
    assert "4 clients with 12 series" in said
    printed = call("new", "paper", "again", "--data", "my-walks", "--json")[1]
    written = json.loads(printed)
    assert written["folder"] == "config/papers/again"
    assert {"reasons", "left_out", "notes", "minutes_on_2_cores"} <= written.keys()
    printed = call("new", "method", "mixing", "--kind", "asynchronous", "--json")[1]
    assert json.loads(printed) == {
        "file": "own/kinds/asynchronous/algorithms/mixing.py",
        "test": "python -m pytest tests/kinds/algorithms/test_asynchronous.py -k mixing",
    }


@pytest.mark.parametrize(
    ("says", "refused"),
    [
        ("clients: 4", None),
        ("clients: 8, parts: 2", None),
        ("clients: 3, owners: 3", None),
        ("clients: 1, min_samples: 100", None),  # how many are left, only the data tells
        ("clients: 7", "clients: my-walks has 4 clients, not 7"),
        ("clients: 4, parts: 2", "clients: my-walks has 8 clients, not 4"),
        ("owners: 5", "owners: my-walks has 4 clients, not 5"),
    ],
)
def test_a_number_of_clients_that_the_data_lacks_is_refused_before_a_run(asked, says, refused):
    call("try", write_files(), *PATTERN)
    file = Path("config/papers/my_walks/experiment.yaml")
    file.write_text(file.read_text().replace("by: owner", f"by: owner, {says}"))
    plan = Plan(read_yaml(Path("config/config.yaml")) | {"scale": "quick", "papers": ["my_walks"]})
    if refused is None:
        plan.check()
        return
    with pytest.raises(UserError, match=f"partitions: clients: {refused}"):
        plan.check()


@pytest.mark.parametrize(
    ("cpu_hours", "asked", "says", "minutes"),
    [
        (0.01, 5, "a minute", None),
        (0.2, 5, "6 minutes", None),
        (0.8, 5, "24 minutes", "1"),
        (8, 5, "240 minutes", "0.5"),
        (8, None, "240 minutes", None),
        (8, 0.5, "240 minutes", None),
    ],
)
def test_the_time_is_that_of_this_machine(monkeypatch, capsys, cpu_hours, asked, says, minutes):
    # On 2 cores, .8 hours are 24 minutes, where 5 were asked for: those of 25 / 24 are 5. A
    # configuration that was there before is not to be removed, and half a minute is the least.
    monkeypatch.setattr(planning, "plan", lambda *_: planned(cpu_hours))
    try_._estimate("walks", "quick", asked, 2)
    printed = capsys.readouterr().out
    assert f"The run takes about {says} on 2 cores here, if they are idle." in printed
    assert ("remove config/papers/walks" in printed) is (minutes is not None)
    if minutes is not None:
        assert printed.rstrip().endswith(f"--minutes {minutes}.")


def test_data_of_another_import_is_not_taken_for_this_one(asked):
    source = write_files()
    call("try", source, *PATTERN)
    with pytest.raises(UserError, match="was imported otherwise"):
        call("try", source, *PATTERN, "--nan", "fill")
    with pytest.raises(UserError, match="is imported already"):
        call("try", "my-walks", "--nan", "fill")


def test_bad_data_leaves_nothing_behind(asked):
    before = sorted(Path().rglob("*"))
    small = write_files("small", people=4, each=3)
    with pytest.raises(UserError, match="nothing says what is predicted"):
        call("try", small, "--pattern", "{client}/*.csv")
    with pytest.raises(UserError, match="there is no dataset 'smaller'"):
        call("try", "smaller")
    for nowhere in ("nowhere.csv", "/nowhere/walks"):
        with pytest.raises(UserError, match=f"there is no file or folder {nowhere}"):
            call("try", nowhere)
    with pytest.raises(UserError, match="har is a dataset of the project"):
        call("try", small, *PATTERN, "--name", "har")
    with pytest.raises(UserError, match=r"'quik' is unknown; .*did you mean quick"):
        call("try", small, *PATTERN, "--at", "quik")
    there = {path for path in Path().rglob("*") if path.parts[0] != "small"}
    assert there == set(before)
    with pytest.raises(UserError, match="0 of 4 clients have"):
        call("try", small, *PATTERN)
    assert not Path("config/papers/small").exists()
    assert not list(Path("data/own").glob("small*"))  # else the next import would be another one
    source = write_files("report")
    with pytest.raises(UserError, match="report is a target of the workflow"):
        call("try", source, *PATTERN)
    assert not Path("config/papers/report").exists()
    assert not list(Path("config").glob(".*"))
    assert not asked


def test_outside_of_the_project_it_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="run this in the folder of the project"):
        call("try", "x.csv")


def test_a_new_paper_is_written_once(asked):
    source = write_files()
    call("import", source, "--name", "walks", *PATTERN)
    words = ("new", "paper", "mine", "--data", "data/own/walks.npz")
    status, printed, _ = call(*words)
    assert status == 0
    assert "Next: snakemake --cores all mine" in printed
    with pytest.raises(UserError, match="config/papers/mine is there already"):
        call(*words)
    with pytest.raises(UserError, match="two targets of the name"):
        call("new", "paper", "table05", "--data", "walks")
    assert not Path("config/papers/table05").exists()
    assert call("new", "paper", "other")[0] == 2
    elsewhere = shutil.copy("data/own/walks.npz", "walks.npz")
    with pytest.raises(UserError, match="place it in data/own/"):
        call("new", "paper", "other", "--data", elsewhere)


def test_a_new_file_says_what_comes_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = call("new", "method", "my-mean", "--kind", "clustered")[1]
    assert "own/kinds/clustered/algorithms/my_mean.py" in printed
    assert "test_clustered.py -k my-mean" in printed
    assert "fedreact try wrist" in call("new", "dataset", "wrist")[1]
    status, _, said = call("new", "metod", "x")  # codespell:ignore metod
    assert status == 2
    assert "did you mean method?" in said


@pytest.mark.parametrize("name", ["train", "run", "report", "train_encoder"])
def test_a_name_of_the_workflow_is_refused_before_anything_is_written(asked, name):
    pd.DataFrame({"x": range(9)}).to_csv(f"{name}.csv")
    with pytest.raises(UserError, match=f"{name} is a target of the workflow; .*--name"):
        call("try", f"{name}.csv", "--label", "x")
    assert not Path("data/own").exists()
    assert not Path(f"config/papers/{name}").exists()


def test_clients_of_different_size_are_scaled_each_by_itself(asked):
    days = pd.date_range("2026-01-01", periods=60, freq="D").astype(str)
    noise = RNG.normal(size=60)
    pd.DataFrame({"day": days, "small": 10 + noise, "large": 500 + 9 * noise}).to_csv("shops.csv")
    words = ("try", "shops.csv", "--layout", "wide", "--time", "day", "--channels", "small,large")
    words = (*words, "--window", "4", "--forecast", "value", "--at", "smoke")
    status, printed, _ = call(*words)
    assert status == 0
    assert "note: clients differ in level by more than each varies" in printed
    assert "Test series are those that the data marks" in " ".join(printed.split())
    file = Path("data/own/shops.import.yaml")
    recipe = file.read_text()
    assert "scale: client" in recipe
    assert "ahead: '1'" in recipe
    assert call(*words)[0] == 0  # goes on
    file.write_text(recipe.replace("ahead: '1'", "ahead: 1"))  # as recipes were written before
    assert call(*words)[0] == 0


def test_a_client_too_small_for_a_scale_of_its_own_stops_nothing(asked):
    days = pd.date_range("2026-01-01", periods=40, freq="D").astype(str)
    rows = [(d, who, 100.0 * k + RNG.normal()) for k, who in enumerate("abc") for d in days]
    rows = [*rows, *((d, "tiny", 900.0) for d in days[:6])]
    pd.DataFrame(rows, columns=["day", "shop", "sales"]).to_csv("shops.csv", index=False)
    words = ("--client", "shop", "--time", "day", "--window", "4", "--forecast", "sales")
    status, printed, _ = call("try", "shops.csv", *words, "--at", "smoke")
    assert status == 0
    assert "brought to mean 0 and spread 1 over all clients" in " ".join(printed.split())
    assert "1 of 4 have too few series" in " ".join(printed.split())


def test_marked_test_series_stay_if_each_client_is_scaled(asked):
    days = pd.date_range("2026-01-01", periods=40, freq="D").astype(str)
    for k, who in enumerate("ab"):
        for part, used in (("train", days[:30]), ("test", days[30:])):
            table = {"day": used, "sales": 100.0 * k + RNG.normal(size=len(used))}
            file = Path(f"shops/{who}/{part}.csv")
            file.parent.mkdir(parents=True, exist_ok=True)
            pd.DataFrame({**table, "kept": part == "test"}).to_csv(file, index=False)
    words = ("--pattern", "{client}/*.csv", "--time", "day", "--tested", "kept", "--window", "4")
    status, printed, _ = call("try", "shops", *words, "--forecast", "sales", "--at", "smoke")
    assert status == 0, printed
    recipe = Path("data/own/shops.import.yaml").read_text()
    assert "scale: client" in recipe
    assert "hold_out" not in recipe


def test_a_long_forecast_takes_fewer_windows_and_says_so(asked, monkeypatch):
    from fedreact.starting import costs, recipe

    monkeypatch.setattr(recipe, "FEWEST_WINDOWS", 20)
    monkeypatch.setattr(costs, "MINIROCKET", 0.5)
    hours = pd.date_range("2026-01-01", periods=100, freq="h").astype(str)
    pd.DataFrame({"hour": hours, "north": RNG.normal(size=100), "south": 0.5}).to_csv("wind.csv")
    words = ("try", "wind.csv", "--layout", "wide", "--time", "hour", "--channels", "north,south")
    words = (*words, "--window", "8", "--forecast", "value", "--at", "smoke")
    status, printed, _ = call(*words)
    assert status == 0
    assert "note: a window begins only every 4 steps" in printed
    assert "2 clients with 23 series" in printed
    recipe = Path("data/own/wind.import.yaml").read_text()
    assert "step: '4'" in recipe
    assert "notes:\n- a window begins only every 4 steps" in recipe
    status, printed, _ = call(*words)  # goes on
    assert status == 0
    assert "is there already" in printed
    with pytest.raises(UserError, match="was imported otherwise"):
        call(*words, "--step", "2")


SNAKEMAKE = """
import pathlib, signal, sys
try:
    print("begun", flush=True)
    signal.pause()
except KeyboardInterrupt:
    pathlib.Path("interrupted").touch()
sys.exit(1)
"""


@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN], ids=["alone", "in-a-script"])
def test_a_command_that_is_terminated_interrupts_its_run(tmp_path, before):
    """Snakemake ends its jobs and unlocks the folder only if it is interrupted itself.

    A shell script has its background commands ignore Ctrl-C.
    """
    program = tmp_path / "snakemake/__main__.py"
    program.parent.mkdir()
    program.write_text(SNAKEMAKE)
    program.with_name("__init__.py").touch()
    source = str(Path(try_.__file__).parents[3])
    build = "from fedreact.cli.commands import try_; try_._build('waves', 'smoke', 1)"
    process = subprocess.Popen(
        [sys.executable, "-c", build],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), source])},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, before),
    )
    assert process.stdout.readline() == "begun\n"
    process.terminate()
    assert process.wait(60) == 130
    assert (tmp_path / "interrupted").exists()
