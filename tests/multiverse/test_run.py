"""What a universe runs, and which options a tuned method chooses."""

from types import SimpleNamespace

import numpy as np
import pytest

from fedreact.errors import Diverged
from fedreact.multiverse import run
from fedreact.multiverse.run import Universe

METHODS = {"a": {"algorithm": "x"}, "b": {"algorithm": "y", "steps": 5}}


@pytest.fixture
def asked(monkeypatch):
    """Runs score their steps, less 10 where they validate; all that was run."""
    calls = []

    def score(kind, data, methods, universe, metric):
        calls.append((universe, methods))
        return {
            name: one.get("steps", 0) - 10.0 * (universe.seed > 9) for name, one in methods.items()
        }

    monkeypatch.setattr(run, "_run", score)
    return calls


def test_a_drawn_universe_runs_methods_with_its_options(asked):
    universe = Universe(3, 1, "p.npz", methods={"a": {"steps": 2}})
    table = run.scores("clustered", "d.npz", METHODS, [universe], "accuracy")
    assert table.values.tolist() == [[3, 1, "a", "", 2], [3, 1, "b", "", 5]]
    assert len(asked) == 1


@pytest.mark.parametrize(("metric", "best"), [("accuracy", 7), ("rmse", 1)])
def test_a_tuned_method_has_its_best_candidate_by_validation(asked, metric, best):
    candidates = {"b": [{"steps": 1}, {"steps": 7}, {"steps": 7, "rate": 2}]}
    validation = {"seed": 100, "partition": "q.npz", "options": {"validate": True}}
    universe = Universe(0, 1, "p.npz", candidates=candidates, validation=validation)
    table = run.scores("clustered", "d.npz", METHODS, [universe], metric)
    assert table.values.tolist() == [[0, 1, "a", "", 0], [0, 1, "b", f'{{"steps": {best}}}', best]]
    (where, compared), (tested, _) = asked
    assert (where.seed, where.partition, where.options) == (100, "q.npz", {"validate": True})
    assert list(compared) == ["b 0", "b 1", "b 2"]
    assert (tested.seed, tested.partition) == (1, "p.npz")


def test_a_method_that_diverges_has_no_score_and_others_keep_theirs(monkeypatch):
    def score(kind, data, methods, universe, metric):
        if any(one.get("steps") == 100 for one in methods.values()):
            raise Diverged("b: diverged")
        return dict.fromkeys(methods, 0.5)

    monkeypatch.setattr(run, "_scores", score)
    drawn = Universe(0, 1, "p.npz", methods={"b": {"steps": 100}})
    table = run.scores("clustered", "d.npz", METHODS, [drawn], "accuracy").set_index("method")
    assert table.loc["a", "accuracy"] == 0.5
    assert np.isnan(table.loc["b", "accuracy"])
    tuned = Universe(0, 1, "p.npz", candidates={"b": [{"steps": 100}, {"steps": 1}]})
    table = run.scores("clustered", "d.npz", METHODS, [tuned], "accuracy").set_index("method")
    assert table.loc["b", "options"] == '{"steps": 1}'
    assert table.loc["b", "accuracy"] == 0.5


def test_a_universe_leaves_no_checkpoint(monkeypatch, tmp_path):
    """Runs on the simulated clock save their progress, and several universes run at once."""

    def train(inputs, of_run, methods, computed, seed, place):
        place.named("a").checkpoint.write_bytes(b"progress")
        return [SimpleNamespace(index=("a",), values={"accuracy": 0.5})]

    parts = {"spec": SimpleNamespace(Options=None), "run": SimpleNamespace(run=train)}
    monkeypatch.setattr(run.runs, "part_of", lambda kind, part: parts[part])
    monkeypatch.setattr(run.options, "check", lambda *given: None)
    monkeypatch.setattr(
        run, "_inputs", lambda *given: SimpleNamespace(data=SimpleNamespace(task=None))
    )
    monkeypatch.setattr(run.jobs, "read_methods", lambda *given: {})
    monkeypatch.chdir(tmp_path)
    universe = Universe(0, 1, "p.npz")
    table = run.scores("asynchronous", "d.npz", {"a": {}}, [universe], "accuracy")
    assert table["accuracy"].tolist() == [0.5]
    assert list(tmp_path.iterdir()) == []
