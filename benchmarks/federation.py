"""Ten nodes beside the simulation of the same plan, for eight algorithms: are the models the same?

Each client has a SuperNode of its own, with a key, which talks to the server over TLS
(apps/flower/local.py). The clients are the ten people of the air digits, or have made series where
these are not at hand. Compared are the bits of all that server and clients keep in the end: of the
clustered algorithms the encoder, the merged models and the clusters, of the others the server's
arrays and those of each client. The column of arrays counts them.

    python benchmarks/federation.py [--methods FedAvg Ditto ...]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "apps/flower"))

from demo import HOUR, clients
from local import Local

from fedreact.clients.partitioners.owner import Owner
from fedreact.federation.outcome import Outcome
from fedreact.federation.plan import plan_of
from fedreact.federation.simulation import Simulated, simulate
from fedreact.io.exports.npz import Npz

ROUNDS = 2
CLUSTERED = {
    "run": {"rounds": ROUNDS, "samples_per_round": 64, "n_clusters": 3},
    "encoder": {"rounds": 1, "steps": 5, "batch_size": 10},
}
SYNCHRONOUS = {
    "run": {
        "architecture": "cnn-small",
        "rounds": ROUNDS,
        "steps": 5,
        "batch_size": 16,
        "learning_rate": 0.003,
        "score": "last",
    }
}
METHODS = {
    "FedAvg": ("synchronous", "fedavg", {}),
    "Ditto": ("synchronous", "ditto", {}),
    "FedProto": ("synchronous", "fedproto", {}),
    "FedST": ("synchronous", "fedst", {}),
    "IFCA": ("clustered", "ifca", {}),
    "Fed-REACT A1": ("clustered", "fed-react", {"memory": "a1"}),
    "Fed-REACT A2": ("clustered", "fed-react", {"memory": "a2"}),
    "Fed-REACT A3": ("clustered", "fed-react", {"memory": "a3"}),
}


def main():
    """Run each plan in both ways, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, _ = clients()
        split = Path(folder, "split")
        Npz().write(data, Owner(split="random", test_share=0.3).deal(data, 0), split)
        files = sorted(split.glob("*.npz"))
        print(f"{len(files)} clients ({data.name}), {ROUNDS} rounds")
        print(f"{'algorithm':<14}{'same bits':>10}{'arrays':>8}{'accuracy':>10}")
        serving = {"wait": HOUR, "answer": HOUR / 3, "least": len(files)}
        with Local(Path(folder, "nodes"), files, {}, serving) as here:
            here.start()
            for method in asked.methods:
                print(f"{method:<14}{line(here, method)}", flush=True)


def line(here, method):
    """Run the plan of a method in both ways; return its line."""
    kind, algorithm, options = METHODS[method]
    more = CLUSTERED if kind == "clustered" else SYNCHRONOUS
    plan = {"kind": kind, "algorithm": algorithm, "options": options, "seed": 0, **more}
    simulated = simulate(plan_of(plan), here.files)
    before = set(here.folder.glob("node*/state/*.npz"))
    here.plan, here.results = plan, method.replace(" ", "-")
    here.run()
    if not here.wait(ended, HOUR):
        sys.exit(f"error: {method} has not ended: {here.log()[-500:]}")
    outcome = Outcome.load(here.folder / here.results)
    pairs = list(kept(simulated, outcome))
    if kind == "synchronous":
        pairs += of_clients(simulated, here, before)
    same = all(a is not None and b is not None and a.tobytes() == b.tobytes() for a, b in pairs)
    same = same and pairs != []
    score = np.nanmean(outcome.scores[-1])
    return f"{'yes' if same else 'NO':>10}{len(pairs):>8}{score:>10.3f}"


def ended(log):
    """Tell whether a server has ended, by its log."""
    last = log.splitlines()[-1] if log else ""
    return last.startswith(("error:", "the federation has ended"))


def kept(simulated: Simulated, outcome: Outcome):
    """Yield what the simulation and the server have in the end, pair by pair."""
    before = simulated.outcome
    if before.models is not None:
        yield before.encoder, outcome.encoder
        yield before.models, outcome.models
        yield before.labels, outcome.labels
    for name in before.server.keys() | outcome.server.keys():
        yield before.server.get(name), outcome.server.get(name)


def of_clients(simulated: Simulated, here: Local, before):
    """Yield what the simulation and each client have in the end, pair by pair."""
    for k in range(len(here.files)):
        new = [p for p in here.folder.glob(f"node{k}/state/*-state-model.npz") if p not in before]
        arrays = np.load(new[0]) if len(new) == 1 else {}
        for name, values in simulated.state.items():
            own = f"after_{name}"
            yield values[k], arrays[own][0] if own in arrays else None


if __name__ == "__main__":
    main()
