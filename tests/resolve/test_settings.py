"""The options of steps under settings, changes and scales, and the files of their results."""

import re

import pytest
from helpers import edit_yaml, make_plan, write_paper

from fedreact import options
from fedreact.data.sumo.windows import LENGTH, STRIDE
from fedreact.errors import UserError
from fedreact.resolve import variants
from fedreact.resolve.scales import GIVEN_ENCODER

PAPER = "fed_react"


@pytest.fixture(scope="module")
def plans(unchanged):
    """Plans by their scale."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(unchanged)
        paper = make_plan(scale="paper", dataset="rtd", eeg_dataset="eegmmidb")
        return {"quick": make_plan(scale="quick"), "paper": paper}


@pytest.fixture
def quick(plans, unchanged, monkeypatch):
    monkeypatch.chdir(unchanged)
    return plans["quick"]


@pytest.fixture
def paper(plans, unchanged, monkeypatch):
    monkeypatch.chdir(unchanged)
    return plans["paper"]


def run(plan, setting, kind="clustered", **changes):
    return plan.settings.run(PAPER, kind, setting, changes)


def encoder(plan, setting, **changes):
    """Name and seed of a setting's encoder."""
    changes = {name.replace("__", "."): value for name, value in changes.items()}
    return plan.settings.encoder_of(PAPER, setting, changes)[1:]


def threads(plan, encoder):
    """Cores that the training of an encoder asks for."""
    data = plan.settings.dataset(PAPER, encoder)
    return plan.job("train_encoder", paper=PAPER, dataset=data, encoder=encoder, seed="0").threads


def canonical(plan, setting, changes, kind="clustered"):
    return plan.settings.canonical(PAPER, kind, setting, changes)


def run_job(plan, paper, setting):
    """Job that runs a setting on digits with the seed 1."""
    place = {"kind": "clustered", "paper": paper, "dataset": "air-writing-sim"}
    return plan.job("run", **place, setting=setting, job="all", seed="1")


# ---- Scales -------------------------------------------------------------------------------------


def test_scale_paper_is_the_papers_protocol(paper):
    assert paper.datasets.of_role("digits") == "rtd"
    assert paper.experiments.seeds(PAPER, "clustered") == (0, 1, 2, 3, 4)
    phase1 = paper.settings.encoder(PAPER, "clients10-beta1.5")
    assert (phase1.rounds, phase1.steps, phase1.batch_size) == (10, 500, 10)
    assert phase1.learning_rate == 0.001
    assert run(paper, "stationary10").rounds == 60
    assert run(paper, "stationary100").rounds == 200
    assert run(paper, "stationary100").samples_per_round == 64
    assert run(paper, "visiting100").drift == {"kind": "visiting", "probability": 0.05}
    assert run(paper, "migration100").drift == {"kind": "migration", "probability": 0.005}
    assert run(paper, "participation0.33").participation == 0.33
    assert run(paper, "switching10-0.1-0.1").rounds == 100
    assert paper.settings.partition(PAPER, "clients10-beta1.5")[1].samples_per_client == 2400
    assert encoder(paper, "stationary100") == ("clients100-beta1.5", None)  # of its seed
    supervised = run(paper, "full10", "synchronous")
    assert (supervised.rounds, supervised.epochs, supervised.batch_size) == (10, 100, 50)
    assert supervised.steps is None


def test_a_scale_goes_from_defaults_to_roles_to_settings_to_bounds(project):
    def change(scale):
        scale["defaults"]["clustered"] = {"C": 2.0, "penalty": 3.0, "rounds": 5}
        scale["of"]["eeg"]["clustered"] = {"penalty": 4.0}
        scale["settings"]["eeg10"] = {"clustered": {"penalty": 5.0}}
        scale["at_most"]["clustered"] = {"rounds": 3}

    edit_yaml("config/papers/fed_react/scales/smoke.yaml", change)
    plan = make_plan()
    found = {name: run(plan, name) for name in ("stationary10", "eeg10-full", "eeg10")}
    assert [found[name].C for name in found] == [2.0, 2.0, 2.0]
    assert [found[name].penalty for name in found] == [3.0, 4.0, 5.0]
    assert [found[name].rounds for name in found] == [3, 3, 3]
    # Changes come last, and none goes beyond the bounds.
    assert run(plan, "eeg10", penalty=6.0, rounds=2).penalty == 6.0
    assert run(plan, "eeg10", rounds=2).rounds == 2
    with pytest.raises(
        UserError, match=r"rounds 50 is more than scale smoke allows \(3, in .*smoke"
    ):
        run(plan, "eeg10", rounds=50)


def test_settings_may_train_encoders_of_their_own_where_others_share_one(quick):
    name, seed = encoder(quick, "full10")
    assert name.startswith("clients10-beta0.1+encoder.")
    assert seed is None
    assert encoder(quick, "full10-alone") == ("clients10-beta1.5", None)


def test_a_scale_may_change_a_partition(quick, paper):
    def samples(plan, name):
        return plan.settings.partition(PAPER, name)[1].samples_per_client

    assert samples(quick, "clients50-beta0.1") == 60
    assert samples(quick, "clients50-beta0.1+test_share=0.2") == 60
    assert samples(quick, "clients100-beta0.1") == samples(paper, "clients50-beta0.1") == 2400


def test_what_a_scale_does_otherwise_is_said_of_the_cells_of_which_it_is_true(paper):
    cells = paper.outputs.cells("table01")
    (said,) = cells["RTD 10 clients (acc)", "LSTM FedAvg"].unlike
    assert "the GFLOPs of Phase 1" in said
    assert cells["RTD 10 clients (acc)", "Fed-REACT"].unlike == ()
    assert said in paper.outputs.layout(PAPER, cells)


def test_each_kind_of_data_has_its_source_partitions_and_encoders(quick):
    settings = quick.settings
    assert settings.dataset(PAPER, "sumo50") == "sumo-ev"
    eeg = quick.outputs.cells("table02")["EEG - 10 clients", "Fed-REACT w/ A1"]
    folder = quick.outputs.folder(PAPER, eeg)
    assert folder == "results/quick/runs/clustered/fed_react/eeg-sim/eeg10/all"
    dealer = settings.partition(PAPER, "sumo50-chronological")[1]
    assert options.changed(dealer) == {
        "clients": 50,
        "split": "chronological",
        "gap": 4,
    }
    # Windows before the test set that overlap with it are left out.
    assert dealer.gap == LENGTH // STRIDE - 1
    assert settings.partition(PAPER, "eeg10")[1].labels == ((0,), (1,), (0, 1))
    # One encoder for all settings, but not for different data or different train sets. On digits
    # each seed has its own.
    assert encoder(quick, "sumo50-mean") == ("sumo50", 0)
    assert encoder(quick, "sumo50-chronological") == ("sumo50-chronological", 0)
    assert encoder(quick, "stationary100") == ("clients10-beta1.5", None)
    assert run(quick, "sumo50-mean").regressor == "mean"
    assert run(quick, "sumo50").regressor == "sgd"
    digits = settings.encoder(PAPER, "clients10-beta1.5")
    assert settings.encoder(PAPER, "sumo50").steps != digits.steps


def test_a_table_says_where_intervals_are_given_one_encoder(project):
    def change(scale):
        scale["encoder_from"]["each_seed"] = ["digits"]

    edit_yaml("config/papers/fed_react/scales/smoke.yaml", change)
    smoke = make_plan()
    cells = smoke.outputs.cells("table02")
    shared = cells["EEG - 10 clients", "Fed-REACT w/ A1"]
    own = cells["RTD - 10 clients (Strategy 1)", "Fed-REACT w/ A1"]
    assert encoder(smoke, shared.setting) == ("eeg10", 0)
    assert encoder(smoke, own.setting) == ("clients10-beta1.5", None)
    assert GIVEN_ENCODER in shared.unlike
    assert GIVEN_ENCODER not in own.unlike
    # Supervised baselines have no encoder.
    beside = smoke.outputs.cells("table01")["RTD 10 clients (acc)", "LSTM FedAvg"]
    assert GIVEN_ENCODER not in beside.unlike


def test_short_trainings_ask_for_few_cores(quick, paper):
    # 10 clients x 4 rounds x 20 steps; 10 x 4 x 5.
    assert threads(quick, "clients10-beta1.5") == 1
    assert threads(quick, "eeg10") == 1
    assert threads(paper, "clients10-beta1.5") == 10
    assert threads(paper, "clients100-beta1.5") == 32


def test_a_gpu_takes_all_clients_at_once(project):
    plan = make_plan(scale="paper", dataset="rtd", eeg_dataset="eegmmidb", device="cuda")
    assert plan.experiments.gpus == 1
    assert threads(plan, "clients100-beta1.5") == 1


# ---- Changes ------------------------------------------------------------------------------------


def test_a_change_of_the_run_changes_that_option_alone(quick):
    taken = options.vars_of(run(quick, "stationary10"))
    changed = options.vars_of(run(quick, "stationary10", linkage="average"))
    assert {k for k in taken if taken[k] != changed[k]} == {"linkage"}
    assert canonical(quick, "stationary10", {"linkage": "average"}) == (
        "stationary10+linkage=average"
    )
    assert encoder(quick, "stationary10", linkage="average") == encoder(quick, "stationary10")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"linkage": "ward"},  # as it is
        {"rounds": 20},
        {"encoder.rounds": 4},
        {"encoder.optimizer": {"kind": "adam"}},
        {"partition.beta": 1.5},
        {"encoder_from": "shared"},
    ],
)
def test_a_change_that_changes_nothing_is_the_same_job(quick, changes):
    assert canonical(quick, "stationary10", changes) == "stationary10"


def test_a_change_of_the_encoder_needs_another_encoder(quick):
    change = {"encoder.negative_weighting": "sum"}
    name, seed = encoder(quick, "stationary10", **change)
    assert (name, seed) == ("clients10-beta1.5+encoder.negative_weighting=sum", None)
    assert quick.settings.encoder(PAPER, name).negative_weighting == "sum"
    assert canonical(quick, "stationary10", change) == (
        "stationary10+encoder.negative_weighting=sum"
    )
    # Its own encoder is that of its seed.
    assert encoder(quick, "stationary10", encoder_from="own") == ("clients10-beta1.5", None)
    # The supervised baselines have no encoder, so nothing changes for them.
    assert canonical(quick, "full10", change, "synchronous") == "full10"


def test_a_change_back_to_what_other_settings_take_is_one(quick):
    """The setting has a rate of its own; the change brings it to that of all others."""
    change = {"encoder.learning_rate": 0.001}
    name, _ = encoder(quick, "full10-dtssgd", **change)
    assert quick.settings.encoder(PAPER, name).learning_rate == 0.001
    there = canonical(quick, "full10-dtssgd", change)
    assert there == "full10-dtssgd+encoder.learning_rate=0.001"
    parsed = quick.settings.parsed(PAPER, "clustered", there)[1]
    assert encoder(quick, "full10-dtssgd", **parsed) == encoder(quick, "full10-dtssgd", **change)


def test_a_change_of_the_partition_needs_another_partition(quick):
    change = {"partition.beta": 0.5}
    assert quick.settings.partition_of(PAPER, "stationary10", change) == (
        PAPER,
        "clients10-beta1.5+beta=0.5",
    )
    assert quick.settings.partition(PAPER, "clients10-beta1.5+beta=0.5")[1].beta == 0.5
    assert canonical(quick, "stationary10", change) == "stationary10+partition.beta=0.5"
    with pytest.raises(UserError, match="no table, figure, search or ledger of fed_react asks"):
        run_job(quick, PAPER, "stationary10+partition.beta=0.5")


@pytest.mark.parametrize(
    "changes",
    [
        {"linkage": "average", "rounds": 3},
        {"participation": 0.25, "drift": {"kind": "visiting", "probability": 1e-05}},
        {"n_clusters": "elbow"},
        {"encoder.learning_rate": 1e-05, "encoder.optimizer.kind": "dtssgd"},
        {"partition.cluster_sizes": [5, 5], "partition.beta": 0.25},
        {"encoder_from": "own"},
    ],
)
def test_names_in_paths_stand_for_the_same_options(quick, changes):
    name = canonical(quick, "stationary10", changes)
    setting, parsed = quick.settings.parsed(PAPER, "clustered", name)
    assert setting == "stationary10"
    assert canonical(quick, setting, parsed) == name
    assert run(quick, setting, **parsed) == run(quick, setting, **changes)
    assert quick.settings.encoder_of(PAPER, setting, parsed) == quick.settings.encoder_of(
        PAPER, setting, changes
    )
    assert quick.settings.partition_of(PAPER, setting, parsed) == quick.settings.partition_of(
        PAPER, setting, changes
    )


def test_dtssgd_has_its_own_rate_and_one_encoder_where_nothing_decays(paper):
    name, _ = encoder(
        paper,
        "full10-dtssgd",
        **{"encoder__optimizer.window": 3, "encoder__optimizer.decay": 0.7},
    )
    found = paper.settings.encoder(PAPER, name)
    assert found.learning_rate == 0.01
    assert found.optimizer == {"kind": "dtssgd", "window": 3, "decay": 0.7}
    assert paper.settings.encoder(PAPER, "clients10-beta0.1").learning_rate == 0.001
    one, other = (
        encoder(
            paper,
            "full10-dtssgd",
            **{"encoder__optimizer.window": 1, "encoder__optimizer.decay": decay},
        )
        for decay in (0.7, 0.9)
    )
    assert one == other


def test_what_tuning_does_not_change_is_not_trained_again(project):
    smoke = make_plan()
    files = smoke.job("make_table", table="table01").inputs["scores"]
    jobs = {path.split("/")[-2] for path in files if "/full10/" in path}
    tuned = {re.sub("-[0-9a-f]{8}$", "", job) for job in jobs if re.search("-[0-9a-f]{8}$", job)}
    assert tuned == {"timesnet", "causal-cnn"}
    untuned = [path for path in files if "/full10/lstm/" in path]
    assert len(untuned) == len(smoke.experiments.seeds(PAPER, "synchronous"))


def test_a_scale_leaves_out_one_kind_of_run_of_a_setting(quick):
    """Table 1 at quick has no baselines, which stay at chance level, nor a row of tuned ones."""
    cells = quick.outputs.cells("table01")
    assert "chance level" in cells["RTD 10 clients (acc)", "LSTM FedAvg"].skipped
    assert cells["RTD 10 clients (acc)", "Fed-REACT"].skipped is None
    assert cells["RTD 10 clients, baselines tuned", "Fed-REACT"].skipped
    shown, searched = (
        quick.job("make_table", table="table01"),
        quick.job("measure_search", search="tune"),
    )
    assert not any("runs/synchronous/" in file for file in shown.inputs["scores"])
    assert any("runs/synchronous/" in file for file in searched.inputs["scores"])


def test_methods_with_other_options_are_others_of_one_job(quick):
    """Methods that are told a number of clusters run beside those that are told the true one."""
    jobs = quick.experiments.workload(PAPER).jobs()
    methods = jobs["clustered", "sumo-ev", "sumo50", "all"].methods
    assert "ec-mma-50" in methods
    eeg = jobs["clustered", "eeg-sim", "eeg10-full", "all"].methods
    assert not any(name.startswith("ec-mma-") for name in eeg)


@pytest.mark.parametrize("name", ["a10", "a10+C=10.0+loss=hinge", "a+encoder.optimizer=kind:sgd"])
def test_parts_of_names(name):
    base, texts = variants.parts(name)
    assert variants.text(base, texts) == name
    assert variants.parts("a10+C=10.0+loss=hinge") == ("a10", {"C": "10.0", "loss": "hinge"})


@pytest.mark.parametrize("name", ["a10+", "a10+C", "a10+=3"])
def test_parts_of_what_is_no_name(name):
    with pytest.raises(UserError, match="is not key=value"):
        variants.parts(name)


# ---- Several papers -----------------------------------------------------------------------------


@pytest.fixture
def cites(project):
    """A paper that has a setting and a table, and the rest of Fed-REACT."""
    write_paper(
        "second",
        paper={"title": "Second", "cite": "Nobody (2026)"},
        settings={
            "mine": {
                "partition": "fed_react/clients10-beta1.5",
                "encoder": {"negatives": 3},
                "clustered": {"rounds": 2},
            }
        },
        tables={
            "t": {
                "title": "T",
                "rows": {"theirs": "fed_react/stationary10", "mine": "mine"},
                "columns": {"A2": "fed_react/fed-react-a2"},
                "metrics": ["accuracy"],
            }
        },
    )
    return make_plan(papers="all")


def test_a_paper_cites_another(cites):
    cells = cites.outputs.cells("second_t")
    theirs, mine = (cells[row, "A2"] for row in ("theirs", "mine"))
    assert theirs.setting == "fed_react.stationary10"
    assert theirs.method.name == mine.method.name == "fed_react.fed-react-a2"
    assert cites.settings.run("second", "clustered", "fed_react/stationary10", {}) == (
        cites.settings.run(PAPER, "clustered", "stationary10", {})
    )
    # Runs are of the paper that asks; what they are made from is of the paper that says it.
    (theirs_0, *_), (mine_0, *_) = (
        cites.outputs.scores("second", [cell]) for cell in (theirs, mine)
    )
    assert theirs_0.startswith("results/smoke/runs/clustered/second/air-writing-sim/")
    inputs = run_job(cites, "second", mine_0.split("/")[-3]).inputs
    below = "fed_react/air-writing-sim/clients10-beta1.5"
    assert inputs["partition"] == (f"results/smoke/partitions/{below}/seed1.npz",)
    (features,) = inputs["features"]
    assert re.fullmatch(f"results/smoke/features/{below}-[0-9a-f]{{8}}/seed0.npz", features)


def test_targets_of_all_papers_are_known_whatever_is_chosen(cites):
    assert "second_t" in cites.targets()
    plan = make_plan(papers=["second"])
    assert plan.outputs.chosen(plan.tables) == ["second_t"]
    assert {"table05", "fed_react", "second"} <= set(plan.targets())
    assert plan.targets()["second"] == plan.files.table("second_t")
