"""CPU seconds of a seed that the recipe of `fedreact try` expects of each step, and that it took.

The folder must have been run once, on an otherwise idle machine, and be as `fedreact try` wrote it.
The constants of `src/fedreact/starting/costs.py` are set by what this prints for several datasets.

    python benchmarks/recipe.py wrist wind [--scale quick]
"""

from collections import defaultdict
from pathlib import Path

from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.io.opening import open_data
from fedreact.reading import read_json, read_yaml
from fedreact.starting import costs, recipe
from fedreact.starting.facts import facts_of


def step_of(path):
    """Name the step of the estimate that a record of a run belongs to; ``None`` for others."""
    kind = path.parts[0] if path.parts[0] != "runs" else path.parts[1]
    if kind == "synchronous":
        return "simple" if "minirocket" in path.parts[-2] else "trained"
    return {"encoders": "encoder"}.get(kind, kind)


def measured(records, paper):
    """Sum the CPU seconds of each step over the jobs of a seed, averaged over seeds."""
    seconds = defaultdict(float)
    for file in records.rglob("seed*.json"):
        path = file.relative_to(records)
        if paper in path.parts:
            record = read_json(file.read_text(), str(file))
            spent = sum(attempt["cpu_seconds"] for attempt in record["attempts"])
            seconds[step_of(path)] += spent / len(recipe.SEEDS)
    return seconds


def expected(paper, results):
    """Return the CPU seconds of each step that the recipe expects of a seed, with its start."""
    experiment = read_yaml(Path("config/papers", paper, "experiment.yaml"))
    setting = next(iter(experiment["settings"].values()))
    data = next(iter(experiment["partitions"].values()))["data"]
    facts = facts_of(open_data(str(results / "data" / f"{data}.npz"), results))
    _, sizes = recipe.clients(facts)
    training, encoder = setting["synchronous"], setting["encoder"]
    n, rounds = len(sizes), training["rounds"]
    scoring = costs.scoring(facts, recipe.TEST_SHARE * sum(sizes), n)
    features = facts.series * facts.feature_gflops
    trained = training["steps"] * n * costs.step(facts, training["batch_size"]) + scoring
    seconds = {
        "encoder": (encoder["gflops"] * n - features) * costs.encoder_gflop(facts),
        "features": costs.features(facts),
        "clustered": costs.clustered(facts.task, n, setting["clustered"]["rounds"]),
        "simple": costs.simple(facts, n),
        "trained": rounds * trained,
    }
    return {step: s + costs.START * costs.JOBS.get(step, 0) for step, s in seconds.items()}


def main(args):
    """Print a line for each dataset and step."""
    print(f"{'dataset':20s} {'step':10s} {'expected':>8s} {'measured':>8s}")
    for paper in args.papers:
        results = Path("results", args.scale)
        spent = measured(results / "provenance", paper)
        if not spent:
            raise UserError(f"{results} has no run of {paper}")
        needs = expected(paper, results)
        needs["all"] = sum(needs.values())
        spent["all"] = sum(spent.values())
        for step, seconds in needs.items():
            print(f"{paper:20s} {step:10s} {seconds:8.1f} {spent[step]:8.1f}")


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("papers", nargs="+", help="folders in config/papers")
    arguments.add_argument("--scale", default="quick", help="scale of the run")
    run(main, arguments)
