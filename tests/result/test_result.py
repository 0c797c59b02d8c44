"""The page of a result on a user's own data, on a small result by hand (:mod:`fedreact.result`)."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_data import dataset

from fedreact import npz
from fedreact.clients.partition import Partition
from fedreact.errors import UserError
from fedreact.intervals import summarise
from fedreact.metrics.grammar import load_metric
from fedreact.notes.scores import MethodScores, Result
from fedreact.notes.sources import Comparison
from fedreact.resolve.benchmark import publication
from fedreact.result import content, plots
from fedreact.result.content import agree, clusterings, gains
from fedreact.result.page import page
from fedreact.result.sentences import sentences
from fedreact.result.sources import CardSource, ResultSource, SettingSource, TableSource
from fedreact.tables.sources import CellSource

WORST = load_metric("accuracy@worst_fifth").title
NAMES = ["Anna", "Ben", "Cleo", "Dan"]
ROLES = {"FedAvg": "federated", "Alone": "alone", "Constant": "trivial", "Ridge": "simple"}
SCORES = {
    "FedAvg": [[0.5, 0.6, 0.7], [0.8, 0.8, 0.8, 0.8]],
    "Alone": [[0.5, 0.5, 0.5], [0.4, 0.5, 0.6, 0.5]],
    "Constant": [[0.3], [0.3, 0.3, 0.3, 0.3]],
    "Ridge": [[0.6], [0.6, 0.6, 0.6, 0.6]],
}


def method(label, role, *by_seed, **more):
    return MethodScores(label, role, dict(enumerate(by_seed)), **more)


def result(*methods):
    ordered = sorted(methods, key=lambda one: -one.mean)
    return Result("people", "accuracy", ordered, NAMES, 0.01)


@pytest.fixture
def source(tmp_path):
    """A table of four methods with three seeds, on four people."""
    layout = []
    for label, (course, of_clients) in SCORES.items():
        folder = tmp_path / label
        folder.mkdir()
        layout.append(CellSource("People", label, str(folder), label))
        for seed in range(3):
            lines = ["setting,data,seed,method,round,accuracy,gflops,bytes"]
            lines += [
                f"people,made,{seed},{label},{t},{score + 0.01 * seed:.3f},{t},{2 * t}"
                for t, score in enumerate(course, start=1)
            ]
            (folder / f"seed{seed}.csv").write_text("\n".join(lines) + "\n")
            n = len(course)
            cluster = [0, 0, 1, 1] if label == "FedAvg" else [-1] * 4
            npz.save(
                folder / f"seed{seed}.clients.npz",
                method=np.array([label] * n),
                round=np.arange(1, n + 1),
                score=np.tile(np.float32(of_clients), (n, 1)),
                cluster=np.tile(np.int16(cluster), (n, 1)),
                n_train=np.array([8] * 4),
                n_test=np.array([2] * 4),
                name=np.array(NAMES),
                metric=np.array("accuracy"),
                findings=np.array(["3 of 8 test series are copies of train series <b>."]),
            )
    data = dataset(np.arange(40) % 2, label_names=np.array(["walks", "runs & jumps"]))
    data.save(tmp_path / "data.npz")
    each = np.arange(40).reshape(4, 10)
    Partition(
        np.zeros(4, int),
        [own[:8] for own in each],
        [own[8:] for own in each],
        np.zeros((1, 0), int),
        np.zeros((1, 1, 0)),
        np.zeros(0, int),
        names=np.array(NAMES),
    ).save(tmp_path / "partition.npz")
    setting = SettingSource(
        label="People",
        data=str(tmp_path / "data.npz"),
        partition=str(tmp_path / "partition.npz"),
        data_name="walks",
        dealt="by owner; split random, test share 0.2",
        imported="label activity, window 2s",
        import_notes=["dropped: 5 series without a label"],
        runs={"synchronous": "rounds 3"},
        rounds={"synchronous": (3, "config/papers/walks/experiment.yaml:5")},
        steps={"synchronous": 30},
    )
    table = TableSource(
        name="walks_methods",
        title="Methods compared",
        metrics=["accuracy"],
        last=True,
        methods_are="column",
        reference="Alone",
        trivial=["Constant"],
        layout=layout,
        scores=[f"{tmp_path}/{label}/seed{seed}.csv" for label in SCORES for seed in range(3)],
        compared=Comparison(ROLES, {}),
        settings=[setting],
        kinds=dict.fromkeys(SCORES, "synchronous"),
    )
    card = CardSource("src/a.py", "synchronous", "It averages.", "McMahan 2017, AISTATS.", {})
    return ResultSource(
        name="walks",
        title="People who walk",
        scale="quick",
        command="snakemake --cores all walks_page --config scale=quick",
        tables=[table],
        methods={"FedAvg": card},
        differences=["one encoder for all seeds"],
    )


# ---- Sentences -----------------------------------------------------------------------------------

ALONE = method("Alone", "alone", 0.5, 0.51, 0.52)
RIDGE = method("Ridge", "simple", 0.6, 0.61, 0.62)
CONSTANT = method("Constant", "trivial", 0.3, 0.3, 0.3)


def test_a_federated_method_that_is_better_is_named_with_its_interval():
    ours = method("FedAvg", "federated", 0.7, 0.72, 0.74)
    alone, simple, best = sentences(result(ours, ALONE, RIDGE, CONSTANT))
    assert alone == (
        "FedAvg is significantly better than Alone (0.510, each client alone): FedAvg by +0.210 "
        "(+0.185 to +0.235) (95% intervals over 3 seeds)."
    )
    assert "Ridge (0.610, a simple model of each client alone)" in simple
    assert best == "The best method is FedAvg 0.720: significantly better than each other one."


def test_what_intervals_do_not_show_is_not_said():
    ours = method("FedAvg", "federated", 0.45, 0.53, 0.61)
    alone, simple, best = sentences(result(ours, ALONE, RIDGE, CONSTANT))
    assert alone.startswith(
        "No federated method is significantly better than Alone (0.510, each client alone). The "
        "best one, FedAvg, differs by +0.020 (−0.154 to +0.194)"
    )
    assert "Only a difference of about 0.174 or more would have been significant." in alone
    assert simple.startswith("No federated method is significantly better than Ridge")
    assert best == "The best mean is that of Ridge 0.610; not significantly worse: FedAvg 0.530."


def test_a_method_with_the_scores_of_clients_alone_has_no_difference():
    same = method("Personal", "federated", 0.50, 0.51, 0.52)
    alone = sentences(result(same, ALONE, CONSTANT))[0]
    assert alone == (
        "No federated method is better than Alone (0.510, each client alone): Personal has the "
        "same scores."
    )


def test_a_simple_model_is_compared_even_if_a_trivial_one_is_ahead():
    ours = method("FedAvg", "federated", 0.45, 0.53, 0.61)
    ahead = method("Constant", "trivial", 0.9, 0.9, 0.9)
    simple = sentences(result(ours, ALONE, RIDGE, ahead))[1]
    assert "than Constant (0.900, it learns nothing)" in simple
    assert "No federated method is significantly better than Ridge (0.610" in simple


def test_what_could_have_been_seen_is_not_said_of_several_comparisons():
    # By itself, B is ahead: .03 +- .025, with p = .018. Of five methods, the first needs p < .005.
    b = method("B", "federated", 0.54, 0.53, 0.55)
    others = [method(f"M{i}", "federated", 0.3, 0.4, 0.3) for i in range(4)]
    (alone, *_) = sentences(result(b, *others, method("Alone", "alone", 0.51, 0.51, 0.51)))
    assert "B is not significantly better after Holm's correction for all 5" in alone
    assert "could not have been seen" not in alone


def test_the_best_method_is_called_worse_where_it_is():
    low = method("A", "federated", 0.40, 0.41, 0.42)  # .10, .09 and .08 below
    (alone, *_) = sentences(result(low, method("Alone", "alone", 0.5, 0.5, 0.5)))
    assert "The best one, A, is significantly worse: it differs by −0.090" in alone
    assert "could not have been seen" not in alone


def test_to_be_better_than_clients_that_have_learnt_nothing_says_little():
    ours, guess = (
        method("FedAvg", "federated", 0.7, 0.72, 0.74),
        method("C", "trivial", 0.5, 0.52, 0.5),
    )
    (alone, *_) = sentences(result(ours, ALONE, guess))
    assert alone.endswith(
        "But Alone is itself not significantly better than C, which learns "
        "nothing, so this says little."
    )


def test_one_seed_and_two_clients_allow_no_sentence():
    (alone, *_) = sentences(result(method("A", "federated", 0.7), method("Alone", "alone", 0.5)))
    assert alone.startswith("Whether a federated method is better than Alone (0.500")
    assert "cannot be judged" in alone


def test_missing_columns_are_asked_for():
    alone, simple, _ = sentences(
        result(method("A", "federated", 0.7), method("B", "federated", 0.6))
    )
    assert "fedst/alone" in alone
    assert "grand/ridge-alone" in simple


# ---- Content -------------------------------------------------------------------------------------


def test_gains_of_clients_are_ordered_by_the_best_method():
    alone = method("Alone", "alone", 0.5, clients={0: np.array([0.5, 0.4, 0.6, 0.5])})
    ours = method("A", "federated", 0.6, clients={0: np.array([0.6, 0.7, 0.5, 0.6])})
    found = gains(result(alone, ours), alone, [ours])
    assert [(one.client, round(one.gains[0], 3)) for one in found] == [
        ("Ben", 0.3),
        ("Anna", 0.1),
        ("Dan", 0.1),
        ("Cleo", -0.1),
    ]


def test_clusters_have_the_names_of_their_clients():
    by_seed = {0: np.array([1, 1, 1, 0]), 1: np.array([0, 0, 1, 1])}
    ours = method("A", "federated", 0.6, 0.6, clusters=by_seed)
    each = method("B", "federated", 0.6, clusters={0: np.arange(4)})
    (found,) = clusterings(result(ours, each))
    assert found.groups == [["Anna", "Ben", "Cleo"], ["Dan"]]
    # In both, Anna and Ben share a cluster, and Dan is in another. So three of six pairs agree.
    assert found.agreement == agree(*by_seed.values()) == 0.5


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0.84, 0.9, [0.84, 0.86, 0.88, 0.9]), (3, 3, [3])],
)
def test_ticks_are_round(low, high, wanted):
    assert plots.ticks(low, high) == wanted


def test_labels_of_curves_keep_apart_and_on_the_plot():
    placed = plots._apart([100, 101, 102, plots.HEIGHT, plots.HEIGHT])
    assert np.diff(placed).min() >= plots.APART
    assert placed[0] == 100
    assert placed[-1] <= plots.HEIGHT - 8


def test_the_publication_is_that_of_the_docstring():
    folder = "src/fedreact/kinds/synchronous/algorithms"
    assert publication(f"{folder}/ditto.py") == (
        'Li, Hu, Beirami and Smith 2021, "Ditto: Fair and robust federated learning through '
        'personalization", ICML, Algorithm 1.'
    )
    assert publication(f"{folder}/fedavg_finetuned.py").endswith("arXiv 1910.10252.")
    assert publication(f"{folder}/alone.py") == ""


# ---- The page ------------------------------------------------------------------------------------


def text_of(html):
    return " ".join(
        re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.S)).split()
    )


def test_the_page_says_what_follows_and_for_whom(source):
    html = page(source)
    text = text_of(html)
    for words in (
        "FedAvg is significantly better than Alone (0.510, each client alone): FedAvg by +0.200",
        "Still improving. The accuracy of one method still improves over the last third of 3",
        "Import: dropped: 5 series without a label.",
        "Imported with label activity, window 2s",
        "3 of 8 test series are copies of train series &lt;b&gt;.",
        "Synchronous training is short: 30 steps of each client in all, where 250 and more",
        "walks (20), runs &amp; jumps (20)",
        "Anna 0.400 +0.400",
        "Anna, Ben Cleo, Dan",
        "Two seeds agree on 100% of the pairs of clients (",
        "3 → 6 6 → 12 3 → 6",
        "config/papers/walks/experiment.yaml:5",
        "Cite: McMahan 2017, AISTATS.",
        "snakemake --cores all walks_page --config scale=quick",
        "1 channel; 1 step",
    ):
        assert words in text, words
    of_papers = ("published", "reproduced", "rebuilt", "the paper")
    assert not [words for words in of_papers if words in text.lower()]
    assert "<script" not in html
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)
    assert page(source) == html


def test_numbers_can_be_taken_away(source):
    sections = content.read(source)
    first, *_ = content.table_of_scores(sections).splitlines()[1:]
    assert first.startswith("People,FedAvg,federated,accuracy,0.71")
    assert sections[0].summaries[0] == summarise([0.7, 0.71, 0.72], (0.0, 1.0))


def test_without_a_metric_of_predictions_there_is_no_page(source):
    (table,) = source.tables
    with pytest.raises(UserError, match=r"config/papers/walks/tables.yaml: no table compares"):
        page(replace(source, tables=[replace(table, metrics=["bytes"])]))


def test_scores_by_other_metrics_are_columns(source):
    metrics = ["accuracy", "balanced_accuracy", "accuracy@worst_fifth", "bytes"]
    for file in source.tables[0].scores:
        head, *lines = Path(file).read_text().split()
        head += ",balanced_accuracy,accuracy@worst_fifth"
        lines = [f"{line},{'' if 'Ridge' in file else 0.25},0.125" for line in lines]
        Path(file).write_text("\n".join([head, *lines]) + "\n")
    text = page(replace(source, tables=[replace(source.tables[0], metrics=metrics)]))
    start = text.index("Methods of ")
    head, *rows = re.findall("<tr>.*</tr>", text[start : text.index("</table>", start)])
    columns = re.findall('scope="col"[^>]*>([^<]*)<', head)
    assert columns[2:6] == ["Accuracy", "95% interval", "Balanced accuracy", WORST]
    cells = {
        re.findall('scope="row">([^<]*)<', row)[0]: re.findall("<td[^>]*>([^<]*)</td>", row)
        for row in rows
    }
    assert cells["FedAvg"][3:5] == ["0.250", "0.125"]
    assert cells["Ridge"][3:5] == ["", "0.125"]
