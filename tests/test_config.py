"""The configuration: what is refused and with which words, and what each step is given."""

import os
import time
from pathlib import Path

import pytest
import yaml

from fedreact.data.sumo_ev.windows import LENGTH, STRIDE
from fedreact.errors import UserError
from fedreact.variants import split_variant
from fedreact.workflow.config import command_options, load_plan
from fedreact.workflow.reading import read_yaml
from fedreact.workflow.start import check_writable, mend_times, remove_parts

BASE = {
    "scale": "smoke",
    "dataset": "air-writing-sim",
    "eeg_dataset": "eeg-sim",
    "data_folder": "data",
    "data_mirror": None,
    "device": "auto",
}


def edit(path, change):
    """Change a YAML file in place."""
    content = read_yaml(Path(path))
    change(content)
    Path(path).write_text(yaml.safe_dump(content))


def refused(config=BASE):
    with pytest.raises(UserError) as caught:
        load_plan(config)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_defaults_of_the_project_are_valid(project):
    for scale in ("smoke", "quick", "paper"):
        assert load_plan(BASE | {"scale": scale}).scale == scale


def test_scale_paper_is_the_papers_protocol(project):
    plan = load_plan(BASE | {"scale": "paper", "dataset": "auto"})
    assert plan.dataset == "rtd"  # and never another
    assert plan.seeds == [0, 1, 2, 3, 4]
    phase1 = plan.phase1_options("clients10-beta1.5")
    assert (phase1["rounds"], phase1["steps"], phase1["batch_size"]) == (10, 500, 10)
    assert plan.phase2_options("stationary10")["rounds"] == 60
    assert plan.phase2_options("stationary100")["rounds"] == 200
    assert plan.phase2_options("stationary100")["samples_per_round"] == 64
    assert plan.phase2_options("visiting100")["drift_parameters"] == ["probability=0.05"]
    assert plan.phase2_options("migration100")["drift_parameters"] == ["probability=0.005"]
    assert plan.phase2_options("participation0.33")["participation"] == 0.33
    assert plan.phase2_options("switching10-0.1-0.1")["rounds"] == 100
    assert plan.partition_options("clients10-beta1.5")["samples_per_client"] == 2400
    assert plan.features("rtd", "stationary100", 3).endswith("clients100-beta1.5/seed3.npz")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scale": "huge"}, ["'huge' is unknown", "paper, quick, smoke"]),
        ({"dataset": "mnist"}, ["dataset", "mnist", "pendigits"]),
        ({"device": 7}, ["device", "7"]),
        ({"dtaset": "rtd"}, ["unknown key dtaset", "known keys", "dataset"]),
    ],
)
def test_wrong_user_settings(project, change, words):
    text = refused(BASE | change)
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        (
            "experiments",
            lambda c: c["phase2"].update(linkeage="ward"),
            ["config/experiments.yaml", "unknown key linkeage at phase2", "linkage"],
        ),
        (
            "experiments",
            lambda c: c["phase1"].update(rounds="ten"),
            ["phase1.rounds", "'ten'", "integer"],
        ),
        (
            "experiments",
            lambda c: c["partitions"]["clients10-beta1.5"].update(beta=0),
            ["partitions.clients10-beta1.5.beta", "0"],
        ),
        (
            "experiments",
            lambda c: c["partitions"]["clients10-beta1.5"].update(cluster_sizes=[3, 0]),
            ["cluster_sizes.1", "0"],
        ),
        (
            "experiments",
            lambda c: c["phase2"].update(samples_per_round=5000),
            ["samples_per_round", "5000", "216 train samples"],
        ),
        (
            "experiments",
            lambda c: c["settings"]["stationary10"].update(partition="clients7"),
            ["settings.stationary10.partition", "'clients7'"],
        ),
        (
            "experiments",
            lambda c: c["methods"].update(fedprox={}),
            ["methods", "'fedprox' is unknown", "sc-mma"],
        ),
        (
            "experiments",
            lambda c: c["settings"]["visiting100"]["drift"].update(p01=0.5),
            ["settings.visiting100.drift"],
        ),
        (
            "experiments",
            lambda c: c["partitions"]["disjoint100"].update(beta=1.0),
            ["partitions.disjoint100"],
        ),
        (
            "experiments",
            lambda c: c["search"]["grids"].update(ditto={"rate": [1]}),
            ["search.grids", "'ditto'"],
        ),
        (
            "outputs",
            lambda c: c["figures"]["fig10"]["settings"].update(extra="nowhere"),
            ["figures.fig10", "'nowhere'"],
        ),
        (
            "outputs",
            lambda c: c["tables"]["table05"]["rows"].update(extra="stationary1000"),
            ["tables.table05.rows", "'stationary1000'"],
        ),
        ("scales/smoke", lambda c: c.update(seeds=[1, 1]), ["scales/smoke.yaml", "seeds"]),
        ("scales/smoke", lambda c: c.update(seeds=[]), ["seeds"]),
        (
            "scales/smoke",
            lambda c: c["eeg"]["eegmmidb"].update(subjects=[1, 110]),
            ["scales/smoke.yaml", "eeg", "subject 110"],
        ),
        (
            "assumptions",
            lambda c: c["linkage"].update(measured_on=["nowhere"]),
            ["linkage", "'nowhere'"],
        ),
        (
            "assumptions",
            lambda c: c["smallest-cluster"].update(measured_on=["stationary10"]),
            ["smallest-cluster", "cannot be run"],
        ),
    ],
)
def test_wrong_files(project, file, change, words):
    edit(f"config/{file}.yaml", change)
    text = refused()
    assert all(word in text for word in words), text


def test_broken_yaml_names_file_and_line(project):
    Path("config/experiments.yaml").write_text("partition:\n  a: [1, 2\n")
    assert "config/experiments.yaml, line 3" in refused()


def test_digits_fall_back_in_order(project, monkeypatch):
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)
    auto = BASE | {"dataset": "auto"}
    assert load_plan(auto).dataset == "air-writing-sim"
    for name in ("pendigits-orig.tra", "pendigits-orig.tes"):
        path = Path("mirror/pendigits-orig") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert load_plan(auto).dataset == "air-writing-sim"
    assert load_plan(auto | {"data_mirror": "mirror"}).dataset == "pendigits"
    monkeypatch.setenv("FEDREACT_DATA_MIRROR", "mirror")
    assert load_plan(auto).dataset == "pendigits"
    Path("data/rtd").mkdir(parents=True)
    Path("data/rtd/features").touch()
    assert "found features alone" in refused(auto)
    Path("data/rtd/labels.pkl").touch()
    assert load_plan(auto).dataset == "rtd"
    assert load_plan(BASE).dataset == "air-writing-sim"


def test_data_that_was_prepared_is_not_replaced_by_simulated(project, monkeypatch):
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)
    Path("results/smoke/data").mkdir(parents=True)
    for name, chosen in (
        ("air-writing-sim", "air-writing-sim"),
        ("pendigits", "pendigits"),
        ("rtd", "rtd"),
    ):
        Path(f"results/smoke/data/{name}.npz").touch()
        assert load_plan(BASE | {"dataset": "auto"}).dataset == chosen


def test_eeg_is_recorded_where_it_can_be_had(project, monkeypatch):
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)
    auto = BASE | {"eeg_dataset": "auto"}
    assert load_plan(auto).datasets["eeg"] == "eeg-sim"
    Path("data/eegmmidb/S001").mkdir(parents=True)
    Path("data/eegmmidb/S001/S001R04.edf").touch()
    assert load_plan(auto).datasets["eeg"] == "eegmmidb"  # scale smoke wants this file alone
    assert load_plan(auto | {"scale": "quick"}).datasets["eeg"] == "eeg-sim"
    plan = load_plan(auto | {"scale": "paper"})
    assert plan.datasets["eeg"] == "eegmmidb"  # and never another
    assert command_options(plan.data_options("eegmmidb")) == "--runs 4 8 12"
    assert command_options(plan.data_options("rtd")) == ""
    plan = load_plan(BASE)
    assert command_options(plan.data_options("eeg-sim")) == "--n-subjects 2 --n-trials 15"
    assert command_options(plan.data_options("pendigits")) == "--per-label 60"
    assert plan.figure_inputs("eeg_trial") == ["results/smoke/data/eeg-sim.npz"]


def test_placed_files_are_told_apart_by_content(project):
    Path("data/rtd").mkdir(parents=True)
    digests = set()
    for content in (b"a", b"b"):
        Path("data/rtd/features").write_bytes(content)
        Path("data/rtd/labels").write_bytes(b"same")
        digests.add(load_plan(BASE).raw_digest("rtd"))
    assert len(digests) == 2
    assert load_plan(BASE).raw_digest("pendigits") is None


def test_the_ledger_says_what_the_configuration_does(project):
    plan = load_plan(BASE)
    for name, entry in plan.assumptions.items():
        where = entry["set_in"]
        if where.startswith("scale."):
            assert where.removeprefix("scale.") in plan.how_much, name
        elif "/" in where:
            assert Path(where).is_file(), name
        else:
            value = plan.experiments
            for key in where.split("."):
                value = value[key]
            if not isinstance(value, dict):
                assert entry["taken"] == value, name
        if "measured_on" in entry:
            assert entry["alternatives"], name
            assert entry["taken"] not in entry["alternatives"], name


def test_every_published_table_is_rebuilt_and_has_a_source(project):
    plan = load_plan(BASE)
    for path in Path("config/published").glob("*.yaml"):
        name, published = path.stem, read_yaml(path)
        assert published["source"]
        for row in published["rows"].values():
            assert len(row) == len(published["columns"]), name
        if name in plan.outputs["costs"]:
            continue
        assert set(published["columns"]) <= set(plan.outputs["tables"][name]["columns"])
        rows = {row for row in plan.outputs["tables"][name]["rows"] if "tuned" not in row}
        assert set(published["rows"]) <= rows
        for key in ("unstated", "data_of", "metric_of"):
            assert set(published.get(key, [])) <= rows
        if published["rows"] and not published.get("unlabelled"):
            assert rows == set(published["rows"])


def test_published_values_that_stand_in_two_tables_agree(project):
    tables = {p.stem: read_yaml(p) for p in Path("config/published").glob("*.yaml")}

    def row(table, label, columns):
        values = dict(zip(tables[table]["columns"], tables[table]["rows"][label]))
        return [values[column] for column in columns]

    columns = tables["table05"]["columns"]
    for C in (4, 5, 6, 7):
        label = f"{C} clusters"
        assert row("table03", label, columns) == row("table08", label, columns)
    for beta in (0.25, 0.5, 2.0):
        in_3, in_7 = f"beta = {beta}", f"beta = {beta:.2f}"
        assert row("table03", in_3, columns) == row("table07", in_7, columns)
    ours = {"SC (No Past Value)": "SC + MMA", "EC (No Past Value)": "EC + MMA"}
    shared = tables["iclr_table03"]["columns"]
    for label in tables["iclr_table03"]["rows"]:
        in_7 = f"beta = {float(label.split()[-1]):.2f}"
        assert row("iclr_table03", label, shared) == row(
            "table07", in_7, [ours.get(c, c) for c in shared]
        )


def test_the_grids_of_the_search_hold_what_is_taken(project):
    experiments = load_plan(BASE).experiments
    for method, grid in experiments["search"]["grids"].items():
        for option, values in grid.items():
            assert experiments["methods"][method][option] in values, (method, option)


def test_supervised_options_are_the_papers_and_tuning_changes_the_rate(project):
    plan = load_plan(BASE | {"scale": "paper"})
    options = plan.supervised_options("full10", "lstm")
    assert (options["rounds"], options["epochs"], options["batch_size"]) == (10, 100, 50)
    assert "steps" not in options
    assert "ditto.lam=0.0001" in options["algorithm_options"]
    tuned = plan.supervised_options("full10+tuned=true", "lstm")
    assert (
        tuned["learning_rate"] == plan.experiments["supervised"]["tuned"]["lstm"]["learning_rate"]
    )
    assert tuned["epochs"] == 100
    search = plan.supervised_options("full10+tune=true+learning_rate=0.01", "lstm")
    assert search["validate"] is True
    assert search["learning_rate"] == 0.01
    assert search["algorithms"] == ["fedavg"]


def test_what_tuning_does_not_change_is_not_trained_again(project):
    plan = load_plan(BASE)
    files = [path for path in plan.table_inputs("table01") if "full10+tuned=true" in path]
    assert {Path(path).parent.name for path in files} == {"timesnet", "causal-cnn"}
    untuned = [path for path in plan.table_inputs("table01") if "/full10/lstm/" in path]
    assert len(untuned) == len(plan.how_much["supervised"]["seeds"])


def test_dtssgd_has_its_own_rate_and_one_encoder_where_nothing_decays(project):
    plan = load_plan(BASE | {"scale": "paper"})
    encoder = plan.phase1_options("clients10-beta0.1+optimizer=dtssgd+window=3+decay=0.7")
    assert encoder["learning_rate"] == plan.experiments["phase1"]["dtssgd_learning_rate"]
    assert (encoder["optimizer"], encoder["window"], encoder["decay"]) == ("dtssgd", 3, 0.7)
    assert plan.phase1_options("clients10-beta0.1")["learning_rate"] == 0.001
    one, other = (
        plan.features("rtd", f"full10+optimizer=dtssgd+decay={decay}+window=1", 0)
        for decay in (0.7, 0.9)
    )
    assert one == other


def test_partitions_have_the_clients_that_their_names_say(project):
    plan = load_plan(BASE)
    for name, spec in plan.experiments["partitions"].items():
        if name.startswith(("eeg", "sumo")):
            assert plan.n_clients(name) == int(name.split("-")[0].lstrip("egsumo"))
            continue
        stated = [n for n in (100, 50, 10) if f"clients{n}-" in name or name.endswith(f"g{n}")]
        total = stated[0] if stated else 100
        assert sum(spec["cluster_sizes"]) == total, name
        if name.startswith("clusters"):
            assert len(spec["cluster_sizes"]) == int(name[-1])


def test_each_kind_of_data_has_its_source_partitions_and_encoders(project):
    plan = load_plan(BASE | {"scale": "quick"})
    assert plan.dataset_of("stationary10") == plan.dataset
    assert plan.dataset_of("sumo50-mean") == "sumo-ev"
    (path,) = {str(Path(p).parent) for p in plan.rounds(["eeg10"])}
    assert path == f"results/quick/rounds/{plan.datasets['eeg']}/eeg10"
    assert plan.partition_options("sumo50-chronological") == {
        "subjects": 50,
        "split": "chronological",
        "test_share": 0.1,
        "gap": 4,
    }
    assert plan.partition_options("eeg10")["labels"] == ["0", "1", "0,1"]
    # One encoder for all seeds, but not one for different data or different train sets.
    features = plan.features("sumo-ev", "sumo50-mean", 3)
    assert features == "results/quick/features/sumo-ev/sumo50/seed0.npz"
    features = plan.features("sumo-ev", "sumo50-chronological", 3)
    assert features == "results/quick/features/sumo-ev/sumo50-chronological/seed0.npz"
    assert plan.phase2_options("sumo50-mean")["regressor"] == "mean"
    assert plan.phase2_options("sumo50")["regressor"] == "ridge"
    # Windows before the test set that overlap with it are left out.
    assert plan.partition_options("sumo50-chronological")["gap"] == LENGTH // STRIDE - 1
    assert (
        plan.phase1_options("sumo50")["steps"] != plan.phase1_options("clients10-beta1.5")["steps"]
    )
    # Only the settings that show them run methods with a number of clusters of their own.
    assert "ec-mma+n_clusters=50" in plan.phase2_options("sumo50")["methods"]
    assert not any("n_clusters" in m for m in plan.phase2_options("eeg10-full")["methods"])


def test_short_trainings_ask_for_few_cores(project):
    quick, paper = (load_plan(BASE | {"scale": scale}) for scale in ("quick", "paper"))
    # 10 clients x 10 rounds x 40 steps; 10 x 5 x 5.
    assert quick.encoder_threads("clients10-beta1.5") == 4
    assert quick.encoder_threads("eeg10") == 1
    assert paper.encoder_threads("clients10-beta1.5") == 10
    assert paper.encoder_threads("clients100-beta1.5") == 32


def test_variants_change_one_option(project):
    plan = load_plan(BASE | {"scale": "quick"})
    taken = plan.phase2_options("stationary10")
    changed = plan.phase2_options("stationary10+linkage=average")
    assert {k for k in taken if taken[k] != changed[k]} == {"setting", "linkage"}
    assert plan.partition("d", "stationary10+linkage=average", 1) == plan.partition(
        "d", "stationary10", 1
    )
    # A change of Phase 1 needs another encoder; its own encoder is that of its seed.
    features = plan.features("d", "stationary10+negative_weighting=sum", 1)
    assert features.endswith("clients10-beta1.5+negative_weighting=sum/seed0.npz")
    assert (
        plan.phase1_options("clients10-beta1.5+negative_weighting=sum")["negative_weighting"]
        == "sum"
    )
    features = plan.features("d", "stationary10+encoder_from=own", 1)
    assert features.endswith("clients10-beta1.5/seed1.npz")


def test_split_variant():
    assert split_variant("a10") == ("a10", {})
    assert split_variant("a10+C=10.0+loss=hinge") == ("a10", {"C": 10.0, "loss": "hinge"})


def test_command_options():
    options = {"cluster_sizes": [3, 4], "beta": 0.1, "per_label": None}
    assert command_options(options) == "--cluster-sizes 3 4 --beta 0.1"
    assert command_options({"name": "two words"}) == "--name 'two words'"


def test_files_from_the_future_are_of_now(tmp_path):
    old, early = tmp_path / "a/old", tmp_path / "a/early"
    old.parent.mkdir()
    for path, age in ((old, -1000), (early, 1000)):
        path.touch()
        os.utime(path, (time.time() + age,) * 2)
    assert mend_times(tmp_path, tmp_path / "no folder") == 1
    assert old.stat().st_mtime < time.time() - 900
    assert abs(early.stat().st_mtime - time.time()) < 60


def test_only_old_parts_of_files_are_removed(tmp_path):
    old, fresh, whole = (tmp_path / f"a/{name}" for name in (".x.1.part", ".y.2.part", "z.npz"))
    old.parent.mkdir()
    for path, age in ((old, 90_000), (fresh, 10), (whole, 90_000)):
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    remove_parts(tmp_path)
    assert sorted(tmp_path.rglob("*.*")) == [fresh, whole]


def test_results_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="file/smoke: results cannot be written there"):
        check_writable(tmp_path / "file/smoke")
    check_writable(tmp_path / "new/smoke")
    assert list((tmp_path / "new/smoke").iterdir()) == []
