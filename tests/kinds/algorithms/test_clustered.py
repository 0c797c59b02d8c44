"""The contract that every clustered algorithm keeps, and the limits in which methods coincide.

For each file of ``kinds/clustered/algorithms/``, the user's own too, and for each method of the
paper.
"""

import inspect
import pickle
from dataclasses import is_dataclass, replace

import numpy as np
import pytest
from paper_methods import METHODS, OF_PAPER
from sklearn.metrics import rand_score

from fedreact import options, plugins
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.clustered.algorithms.fed_react import FedReact
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.kinds.clustered.spec import Options
from fedreact.kinds.clustered.tasks import Classification, Regression
from fedreact.task import Task
from fedreact.task_models.descent import LocalClients
from fedreact.task_models.svm import fit_linear_svm

SIZES = (3, 3, 4)
TRUTH = np.repeat(np.arange(3), SIZES)
SHAPE = (4, 6)  # classes, features and intercept
ROUNDS = 8


FOLDER = ("kinds/clustered/algorithms", "ALGORITHM")
KINDS = {name: plugins.load(FOLDER[0], name, FOLDER[1]) for name in plugins.names(*FOLDER)}
ALL = {f"file: {name}": kind for name, kind in KINDS.items()} | METHODS
TASKS = {
    "classification": Task("classification", 4, 3, 20),
    "multi-label": Task("multi-label", 4, 3, 20),
    "regression": Task("regression", 4, 3, 20),
}


def setting(C=3, K=10, truth=None, **of_setting):
    truth = np.resize(TRUTH if truth is None else truth, K) % C
    return Setting(C, truth=np.tile(truth, (40, 1)), **of_setting)


def uploads(rounds=ROUNDS, noise=0.8, seed=0, K=10, order=None, present=None, classes=4):
    """Clients of three clusters with their own class means, fresh samples in each round."""
    rng = np.random.default_rng(seed)
    c, D = SHAPE[0], SHAPE[1] - 1
    centres = rng.normal(size=(3, c, D))
    order = np.arange(K) if order is None else order
    for t in range(1, rounds + 1):
        y = rng.integers(0, classes, (K, 16))
        X = centres[np.resize(TRUTH, K)[:, None], y] + noise * rng.normal(size=(K, 16, D))
        X, y = X[order].astype(np.float32), y[order]
        here = np.ones(K, bool) if present is None else present[t - 1][order]
        models = fit_linear_svm(X, y, c).reshape(K, -1)
        yield Uploads(t, t == rounds, models, np.full(K, 16), here, LocalClients(X, y, c))


def scalars(values, last):
    """Uploads of scalar models, one list a round."""
    for t, value in enumerate(values, start=1):
        models = np.array(value, dtype=float)[:, None]
        n = len(models)
        yield Uploads(t, t == last, models, np.full(n, 64), np.ones(n, bool), None)


def run(method, rounds, shape=SHAPE):
    rounds = list(rounds)
    state, seen = method.init(len(rounds[0].models), shape), []
    for upload in rounds:
        state, models, labels = method.round(state, upload)
        seen.append((models, labels))
    return seen


class Asked:
    """A client side that notes whether it is asked anything."""

    def __init__(self, clients):
        self.clients, self.asked = clients, False

    def __getattr__(self, name):
        self.asked = True
        return getattr(self.clients, name)


def trains(make):
    """Whether clients train from models of the server's."""
    (upload,) = uploads(1)
    clients = Asked(upload.clients)
    method = make(setting())
    method.round(method.init(10, SHAPE), replace(upload, clients=clients))
    return clients.asked


TRAINED = {name for name, make in ALL.items() if trains(make)}
FITTED = sorted(set(ALL) - TRAINED)


@pytest.fixture(params=ALL)
def make(request):
    return ALL[request.param]


OWN_FILES = "kinds/clustered/algorithms/*.py"


def test_all_files_and_methods_are_found():
    assert {"fed-react", "ifca", "flsc", "flacc", "fedavg", "oracle-fedavg"} <= set(KINDS)
    assert "contract" not in KINDS
    assert {"fed-react-a1", "sc-mma", "ec-mma-40", "local", "oracle-a1"} <= set(METHODS)
    known = {"ifca", "ifca-a1", "flsc", "flsc-a1", "flacc", "fedavg", "oracle-fedavg"}
    known.add("fed-react-descent")
    of_project = {"file: " + n for n in ("ifca", "flsc", "flacc", "fedavg", "oracle-fedavg")}
    own = {f"file: {path.stem.replace('_', '-')}" for path in plugins.OWN.glob(OWN_FILES)}
    assert TRAINED - own == known | of_project


def test_every_client_has_a_model_and_a_cluster_in_every_round(make):
    for models, labels in run(make(setting()), uploads()):
        assert models.shape == (10, 24)
        assert np.isfinite(models).all()
        assert labels is None or (labels.shape == (10,) and labels.min() >= 0)
        assert labels is None or labels.dtype.kind in "iu"


def test_only_references_that_say_so_look_at_the_true_clusters(make):
    other = np.random.default_rng(3).permutation(TRUTH)
    plain, moved = (run(make(setting(truth=truth)), uploads()) for truth in (TRUTH, other))
    same = all(a[0].tobytes() == b[0].tobytes() for a, b in zip(plain, moved))
    assert same != getattr(make(setting()), "knows_truth", False)


def test_same_uploads_same_bytes(make):
    first, second = (run(make(setting()), uploads()) for _ in range(2))
    for (m1, l1), (m2, l2) in zip(first, second):
        assert m1.tobytes() == m2.tobytes()
        assert l1 is l2 is None or l1.tobytes() == l2.tobytes()


def test_state_and_uploads_are_not_changed_in_place(make):
    method = make(setting())
    first, second = list(uploads(2))
    state, _, _ = method.round(method.init(10, SHAPE), first)
    before = pickle.dumps(state)
    arrays = [np.copy(a) for u in (first, second) for a in (u.models, u.n_samples, u.present)]
    once = method.round(state, second)
    again = method.round(state, second)
    assert once[1].tobytes() == again[1].tobytes()
    assert pickle.dumps(once[0]) == pickle.dumps(again[0])
    assert pickle.dumps(state) == before
    now = [a for u in (first, second) for a in (u.models, u.n_samples, u.present)]
    assert all(np.array_equal(a, b) for a, b in zip(arrays, now))


def test_the_first_state_is_not_changed_either(make):
    method = make(setting())
    state = method.init(10, SHAPE)
    before = pickle.dumps(state)
    (first,) = uploads(1)
    once, again = (method.round(state, first) for _ in range(2))
    assert once[1].tobytes() == again[1].tobytes()
    assert pickle.dumps(state) == before


@pytest.mark.parametrize("absent", [False, True])
def test_relabelling_clients_relabels_the_result_only(make, absent):
    if getattr(make(setting()), "has_places", False):
        pytest.skip("clients have places")
    order = np.random.default_rng(1).permutation(10)
    present = np.random.default_rng(2).random((ROUNDS, 10)) < 0.6 if absent else None
    seen = np.zeros(10, bool)
    plain = run(make(setting()), uploads(present=present))
    moved = run(make(setting(truth=TRUTH[order])), uploads(order=order, present=present))
    for t, ((models, labels), (models2, labels2)) in enumerate(zip(plain, moved)):
        seen |= present[t] if absent else True
        who = seen[order]
        np.testing.assert_allclose(models[order][who], models2[who], rtol=1e-3, atol=1e-3)
        assert (labels is None) == (labels2 is None)
        if labels is not None:
            assert rand_score(labels[order][who], labels2[who]) == 1


def test_one_client(make):
    for models, labels in run(make(setting(1, K=1)), uploads(K=1)):
        assert models.shape == (1, 24)
        assert labels is None or labels.tolist() == [0]


@pytest.mark.parametrize("C", [10, 12])
def test_as_many_clusters_as_clients_or_more(make, C):
    for models, _ in run(make(setting(C, truth=np.arange(10))), uploads()):
        assert np.isfinite(models).all()


@pytest.mark.parametrize("name", ["sc-mma", "ec-mma", "fed-react-a1", "local", "oracle-mma"])
def test_with_as_many_clusters_as_clients_each_is_alone(name):
    for _, labels in run(METHODS[name](setting(10, truth=np.arange(10))), uploads()):
        assert sorted(labels) == list(range(10))


def test_a_client_with_one_class(make):
    for models, _ in run(make(setting()), uploads(classes=1)):
        assert np.isfinite(models).all()


def test_a_client_that_comes_late_is_clustered_from_then_on(make):
    present = np.ones((ROUNDS, 10), bool)
    present[:3, 4] = False
    present[5:, :3] = False  # and a whole cluster that leaves
    for t, (models, labels) in enumerate(run(make(setting()), uploads(present=present))):
        who = np.arange(10) != 4 if t < 3 else np.ones(10, bool)
        assert np.isfinite(models[who]).all()
        assert labels is None or (labels[who] >= 0).all()


@pytest.mark.parametrize("name", FITTED)  # the others train from models of the server's
def test_identical_clients_get_their_own_model(name):
    model = np.arange(24, dtype=np.float32)
    everyone = np.ones(10, bool)
    rounds = [
        Uploads(t, t == 3, np.tile(model, (10, 1)), np.full(10, 64), everyone, None)
        for t in (1, 2, 3)
    ]
    models, _ = run(ALL[name](setting()), rounds)[-1]
    np.testing.assert_allclose(models, np.tile(model, (10, 1)), rtol=1e-6)


@pytest.mark.parametrize("name", FITTED)
def test_absent_clients_do_not_count(name):
    """Their fits are replaced by nonsense, and nothing changes for those that have been seen."""
    present = np.random.default_rng(0).random((ROUNDS, 10)) < 0.6
    plain = run(ALL[name](setting()), uploads(present=present))
    wrong = [
        replace(u, models=np.where(u.present[:, None], u.models, np.float32("nan")))
        for u in uploads(present=present)
    ]
    seen = np.zeros(10, bool)
    for t, (one, other) in enumerate(zip(plain, run(ALL[name](setting()), wrong))):
        seen |= present[t]
        np.testing.assert_array_equal(one[0][seen], other[0][seen])


@pytest.mark.parametrize("name", sorted(TRAINED))
def test_answers_of_absent_clients_do_not_count(name):
    present = np.random.default_rng(0).random((ROUNDS, 10)) < 0.6

    class Nonsense:
        """Clients of whom those that do not take part answer anything."""

        def __init__(self, clients, here):
            self.clients, self.here = clients, here[:, None]

        def losses(self, models):
            return np.where(self.here, self.clients.losses(models), np.float32("nan"))

        def train(self, start, learning_rate, steps):
            trained = self.clients.train(start, learning_rate, steps)
            return np.where(self.here, trained, np.float32("nan"))

    plain = run(ALL[name](setting()), uploads(present=present))
    wrong = [replace(u, clients=Nonsense(u.clients, u.present)) for u in uploads(present=present)]
    seen = np.zeros(10, bool)
    for t, (one, other) in enumerate(zip(plain, run(ALL[name](setting()), wrong))):
        seen |= present[t]
        np.testing.assert_array_equal(one[0][seen], other[0][seen])
        if one[1] is not None:
            np.testing.assert_array_equal(one[1], other[1])


def test_absent_clients_hold_the_model_of_their_cluster_and_are_clustered_by_their_last():
    present = np.ones((2, 10), bool)
    present[1, 0] = False
    first, second = uploads(2, noise=0.1, present=present)
    (_, before), (models, labels) = run(METHODS["sc-mma"](setting()), [first, second])
    assert labels.tolist() == before.tolist()
    mates = (labels == labels[0]) & second.present
    np.testing.assert_allclose(models[0], second.models[mates].mean(0), rtol=1e-5, atol=1e-6)


def test_sc_mma_is_the_mean_of_each_cluster_of_the_round():
    method = METHODS["sc-mma"](setting())
    for (models, labels), upload in zip(run(method, uploads()), uploads()):
        for k in range(10):
            expected = upload.models[labels == labels[k]].mean(0)
            np.testing.assert_allclose(models[k], expected, rtol=1e-5, atol=1e-6)


def test_references_are_the_means_of_what_they_say():
    rounds = list(uploads())
    fits = np.stack([u.models for u in rounds]).astype(float)
    so_far = np.cumsum(fits, axis=0) / np.arange(1, ROUNDS + 1)[:, None, None]
    for given, expected in (
        ("local", fits),
        ("global-mma", fits.mean(1, keepdims=True) + 0 * fits),
        ("global-a1", so_far.mean(1, keepdims=True) + 0 * fits),
        ("oracle-mma", np.stack([fits[:, c == TRUTH].mean(1) for c in TRUTH], axis=1)),
        ("oracle-a1", np.stack([so_far[:, c == TRUTH].mean(1) for c in TRUTH], axis=1)),
    ):
        found = np.stack([models for models, _ in run(METHODS[given](setting()), rounds)])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=given)


def test_ec_with_alpha_zero_is_sc(monkeypatch):
    monkeypatch.setattr("fedreact.clustering.affect.forgetting_factor", lambda *_: 0.0)
    ec, sc = (run(METHODS[name](setting()), uploads(noise=2)) for name in ("ec-mma", "sc-mma"))
    for (m1, l1), (m2, l2) in zip(ec, sc):
        assert np.array_equal(l1, l2)
        np.testing.assert_array_equal(m1, m2)


def test_methods_of_one_clustering_share_it():
    together = {n: METHODS[n](setting()) for n in ("ec-mma", "fed-react-a1", "fed-react-a3")}
    states = {n: m.init(10, SHAPE) for n, m in together.items()}
    for u in uploads():
        for n, m in together.items():
            states[n], _, _ = m.round(states[n], u)
    assert len({id(state.clusters) for state in states.values()}) == 1


def scripted(labels_by_round):
    """A clustering that is told its result: one list of labels a round."""
    rounds = iter(labels_by_round)
    return lambda *_, **__: np.array(next(rounds))


# Client 0 alone, clients 1 and 2 together, until client 2 leaves in round 3.
# Cluster means: rounds 1 and 2: (1, 3), (2, 5); rounds 3 and 4: (6, 5), (6, 6).
THIRD = [(1 + 2 + 6) / 3, (3 + 5 + 5) / 3]
FOURTH = [(1 + 2 + 6 + 6) / 4, (3 + 5 + 5 + 6) / 4]


@pytest.mark.parametrize(
    ("send", "unsent", "expected"),
    [
        # Round 1: no round before, so all keep their own model. Round 2: unchanged, means of two
        # rounds. Round 3: both clusters change, so nothing is sent. Round 4 is the last: sent.
        ("unchanged", "kept", [[1, 2, 4], [1.5, 4, 4], [1.5, 4, 4]]),
        ("unchanged", "own", [[1, 2, 4], [1.5, 4, 4], [3, 5, 9]]),
        ("always", "kept", [[1, 3, 3], [1.5, 4, 4], [THIRD[0], THIRD[1], THIRD[0]]]),
    ],
)
def test_line_10_of_algorithm_2(monkeypatch, send, unsent, expected):
    labels = [[0, 1, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]]
    monkeypatch.setattr(
        "fedreact.kinds.clustered.algorithms.fed_react.agglomerative", scripted(labels)
    )
    method = FedReact(Setting(2, send=send, unsent=unsent), False, "a1")
    rounds = scalars([[1, 2, 4], [2, 4, 6], [3, 5, 9], [6, 6, 6]], last=4)
    seen = [models[:, 0] for models, _ in run(method, rounds)]
    for got, want in zip(seen, [*expected, [FOURTH[0], FOURTH[1], FOURTH[0]]], strict=True):
        np.testing.assert_allclose(got, want)


def test_identity_by_client_remembers_what_each_client_met(monkeypatch):
    told = scripted([[0, 1, 1], [0, 0, 1]])
    monkeypatch.setattr("fedreact.kinds.clustered.algorithms.fed_react.agglomerative", told)
    method = FedReact(Setting(2, send="always", identity="client"), False, "a1")
    seen = run(method, scalars([[1, 2, 4], [2, 4, 6]], last=2))[-1][0][:, 0]
    # Models met: client 0: 1, 3; client 1: 3, 3; client 2: 3, 6.
    np.testing.assert_allclose(seen, [2, 3, 4.5])


def test_memory_helps_on_stationary_clusters():
    rounds = list(uploads(30, noise=0.5))
    mean = np.mean([u.models for u in rounds], axis=0)
    truth = np.stack([mean[c == TRUTH].mean(0) for c in TRUTH])
    error = {
        name: np.linalg.norm(run(METHODS[name](setting()), rounds)[-1][0] - truth)
        for name in ("fed-react-a1", "fed-react-a3", "ec-mma")
    }
    assert error["fed-react-a1"] < 0.5 * error["ec-mma"]
    assert error["fed-react-a3"] < 0.6 * error["ec-mma"]


def test_methods_are_made_from_a_setting():
    for name, make in METHODS.items():
        told = OF_PAPER[name].get("n_clusters", 2)
        expected = 1 if name == "fedavg" else told if isinstance(told, int) else 2
        assert make(setting(2)).setting.n_clusters == expected, name


@pytest.mark.parametrize(
    "wrong", [{"send": "never"}, {"identity": "clients"}, {"affect_start": "zero"}]
)
def test_a_choice_that_is_misspelt_is_refused(wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        options.check(Options, wrong, "setting")


def test_no_clusters_are_refused():
    with pytest.raises(UserError, match="at least one is needed"):
        Setting(0)


def test_oracle_fedavg_knows_the_clusters_and_fedavg_has_one():
    for _, labels in run(METHODS["oracle-fedavg"](setting()), uploads()):
        assert labels.tolist() == TRUTH.tolist()
    for models, labels in run(METHODS["fedavg"](setting()), uploads()):
        assert not labels.any()
        assert (models == models[0]).all()


# --- What the workflow asks of each file


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_it_says_before_which_tasks_it_cannot_run_on_and_runs_on_the_others(kind):
    if hasattr(kind, "skip"):
        assert isinstance(inspect.getattr_static(kind, "skip"), staticmethod)
    name = next(n for n in KINDS if KINDS[n] is kind)
    reasons = {of: runs.skipped("clustered", name, task) for of, task in TASKS.items()}
    assert None in reasons.values()
    for of, why in reasons.items():
        if hasattr(kind, "skip"):
            assert kind.skip(TASKS[of]) == why
        if why is not None:
            assert isinstance(why, str)
            assert why
            continue
        for models, labels in run(kind(setting()), of_task(of)):
            assert models.shape == (10, 24)
            assert np.isfinite(models).all()
            assert labels is None or labels.min() >= 0


def of_task(name, rounds=3):
    """Uploads of clients that fit several labels, one label, or several targets."""
    rng = np.random.default_rng(0)
    task = Regression(n_outputs=4) if name == "regression" else Classification(4)
    for t in range(1, rounds + 1):
        X = rng.normal(size=(10, 16, 5)).astype(np.float32)
        y = {
            "classification": rng.integers(0, 4, (10, 16)),
            "multi-label": rng.random((10, 16, 4)) < 0.4,
            "regression": rng.normal(size=(10, 16, 4)).astype(np.float32),
        }[name]
        models = task.fit(X, y, None if name == "classification" else np.ones((10, 16), bool))
        clients = task.clients(X, y, np.ones((10, 16), bool))
        everyone = np.ones(10, bool)
        yield Uploads(t, t == rounds, models.reshape(10, -1), np.full(10, 16), everyone, clients)


def test_algorithms_whose_clients_train_svms_skip_regressions():
    for name, kind in KINDS.items():
        why = runs.skipped("clustered", name, TASKS["regression"])
        assert (why is None) == (f"file: {name}" not in TRAINED), name
        if why is not None:
            with pytest.raises(UserError, match="classification only"):
                run(kind(setting()), of_task("regression"))


PROJECTS = [name for name in KINDS if (plugins.PACKAGE / FOLDER[0]).joinpath(
    f"{name.replace('-', '_')}.py").is_file()]  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_options_are_fields_of_a_frozen_dataclass(name):
    kind = KINDS[name]
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert options.names(kind)[0] == "setting"
    made, helps = kind(setting()), options.help_of(kind)
    for option in options.names(kind)[1:]:
        assert helps[option], f"{option} has no help text"
        default = options.defaults(kind)[option]
        assert getattr(made, option) == default
        assert runs.method("clustered", name, {option: default}, "here").options == {
            option: default
        }


@pytest.mark.parametrize("name", KINDS)
def test_options_that_there_are_not_are_refused(name):
    if not is_dataclass(KINDS[name]):  # a user's own may have any
        with pytest.raises(TypeError):
            KINDS[name](setting(), nonsense=1)
        return
    with pytest.raises(UserError, match="unknown option nonsense"):
        runs.method("clustered", name, {"nonsense": 1}, "here")
    with pytest.raises(UserError, match="unknown option setting"):
        runs.method("clustered", name, {"setting": 1}, "here")


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_the_paper_have_the_options_that_the_file_gives(name):
    given = dict(OF_PAPER[name])
    method = runs.method("clustered", name, given, "experiment.yaml")
    assert method.algorithm == given.pop("algorithm", name)
    made_here = METHODS[name](setting())
    assert isinstance(made_here, KINDS[method.algorithm])
    told = given.pop("n_clusters", None)
    assert method.of_run == ({} if told is None else {"n_clusters": told})
    assert given == method.options
    for option, value in given.items():
        assert getattr(made_here, option) == value


class Points:
    """Clients that know a model each; a step of training goes a tenth of the way to it."""

    def __init__(self, points):
        self.points = np.asarray(points, np.float32)

    def train(self, start, learning_rate, steps):
        return self.points + (start - self.points) * np.float32(0.9) ** steps


def descended(method, points, rounds):
    """Models that clients hold after rounds of descent towards their points."""
    points = np.asarray(points, np.float32)
    state = method.init(len(points), (1, points.shape[1]))
    for t in range(1, rounds + 1):
        here = np.ones(len(points), bool)
        sent = Uploads(t, t == rounds, points, np.full(len(points), 8), here, Points(points))
        state, held, labels = method.round(state, sent)
    return held, labels


TWO = [[1.0, 0.0], [1.0, 0.2], [-1.0, 0.0], [-1.0, -0.2]]


@pytest.mark.parametrize(("steps", "rounds"), [(1, 1), (3, 4)])
def test_fed_react_may_descend_from_the_model_of_its_cluster(steps, rounds):
    """Each cluster of two starts at zero; their mean goes to the mean of their points."""
    method = FedReact(setting(2, 4), memory="none", local="descent", steps=steps)
    held, labels = descended(method, TWO, rounds)
    assert (labels == [0, 0, 1, 1]).all()
    far = 1 - 0.9 ** (steps * rounds)
    expected = [[far, 0.1 * far]] * 2 + [[-far, -0.1 * far]] * 2
    np.testing.assert_allclose(held, expected, atol=1e-6)


@pytest.mark.parametrize("clusters", ["one", "each", "true"])
def test_given_clusters_may_descend_too(clusters):
    points = [[1.0], [1.0], [-1.0], [0.0]]
    of = Setting(2, truth=np.array([[0, 0, 1, 1]] * 9))
    method = KINDS["given-clusters"](of, clusters=clusters, local="descent", steps=2)
    held, _ = descended(method, points, 3)
    ends = {"one": [0.25] * 4, "each": [1, 1, -1, 0], "true": [1, 1, -0.5, -0.5]}[clusters]
    np.testing.assert_allclose(held[:, 0], (1 - 0.9**6) * np.array(ends), atol=1e-6)


@pytest.mark.parametrize("name", ["ifca", "flsc", "flacc", "fedavg"])
def test_with_exact_fits_baselines_merge_what_clients_upload(name):
    """With one cluster they are the mean over all clients, as Fed-REACT's is."""
    of, rounds = setting(1), list(uploads(3))
    fitted = run(KINDS[name](of, local="fit"), rounds)
    merged = run(KINDS["given-clusters"](of, clusters="one"), rounds)
    for (ours, _), (theirs, _) in zip(fitted, merged):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
