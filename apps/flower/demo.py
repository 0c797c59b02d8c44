"""Show a federation on this machine: ten nodes, beside the simulation of the same plan.

    make federation

The clients are the ten people of the air digits, each with a file of their own. Where these digits
are not at hand (FEDREACT_DATA_MIRROR), ten clients of made series take their places.
"""

import argparse
import logging
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from local import Local

from fedreact.atomic import write_text
from fedreact.clients.partitioners.owner import Owner
from fedreact.data import files
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import load_registry, registries
from fedreact.data.sources.air_digits import NAME, PEOPLE, AirDigits
from fedreact.errors import UserError
from fedreact.federation.outcome import Outcome
from fedreact.federation.plan import plan_of
from fedreact.federation.simulation import Simulated, simulate
from fedreact.io.exports.npz import Npz

PLAN = {
    "kind": "clustered",
    "algorithm": "fed-react",
    "options": {"memory": "a1"},
    "run": {"rounds": 4, "samples_per_round": 64, "n_clusters": 3},
    "encoder": {"rounds": 1, "steps": 30, "batch_size": 10},
    "seed": 0,
}
HOUR = 3600.0


def main() -> int:
    """Run the simulation, then the federation, and print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("results/federation"))
    folder = parser.parse_args().folder
    logging.disable(logging.INFO)
    shutil.rmtree(folder, ignore_errors=True)
    begun = time.monotonic()
    data, names = clients()
    split = folder / "split"
    Npz().write(data, Owner(split="random", test_share=0.3).deal(data, 0), split)
    own = sorted(split.glob("*.npz"))
    plan = plan_of(PLAN)
    print(f"{len(own)} clients ({data.name}); the plan as a simulation ...", flush=True)
    simulated = simulate(plan, own)
    seconds = time.monotonic() - begun
    print(f"simulation: {seconds:.0f} s; now a SuperLink and {len(own)} nodes", flush=True)
    begun = time.monotonic()
    serving = {"wait": HOUR, "answer": HOUR / 3, "least": len(own)}
    with Local(folder, own, PLAN, serving) as here:
        here.start()
        here.run()
        done = follow(here)
    if not done:
        print(f"error: the federation has not ended; see {folder}/server/server.log")
        return 1
    seconds = time.monotonic() - begun
    outcome = Outcome.load(folder / "server")
    text = table(simulated, outcome, names)
    print(text)
    write_text(folder / "federation.md", text + "\n")
    print(f"\nfederation: {seconds:.0f} s")
    picture(outcome, names, folder / "clusters.png")
    print(f"table: {folder}/federation.md, clusters over rounds: {folder}/clusters.png")
    same = identical(simulated, outcome)
    return 0 if same else 1


def clients() -> tuple[SeriesDataset, list[str]]:
    """Return the air digits and their people, or made series of ten clients."""
    entry = load_registry(*(path for path in registries() if path.exists()))[NAME]
    source = AirDigits()
    wanted = source.wanted(entry)
    raw = files.locate(wanted, Path("data"), files.mirrors(os.environ.get(files.MIRRORS)))
    if raw is not None:
        return source.read(raw, wanted), list(PEOPLE)
    rng = np.random.default_rng(0)
    y, owner = np.tile(np.arange(5), 200), np.repeat(np.arange(10), 100)
    steps = np.linspace(0, 2 * np.pi, 50)
    phase = y[:, None] + rng.normal(0, 0.3, (1000, 1)) + (owner % 3)[:, None]
    X = np.stack([np.sin(steps + phase), np.cos((1 + y[:, None]) * steps)], 1).astype(np.float32)
    X += rng.normal(0, 0.2, X.shape).astype(np.float32)
    made = SeriesDataset("made series", X, np.full(1000, 50), y, owner)
    return made, [str(k) for k in range(10)]


def follow(here: Local) -> bool:
    """Show the last line of the server's log until it has ended."""
    said, shown, latest = 0, sys.stdout.isatty(), time.monotonic()
    print("waiting for the nodes", end="\r" if shown else "\n", flush=True)
    while True:
        log = here.log().splitlines()
        for line in log[said:]:
            print(f"\r{line[:100]:100}" if shown else line, end="" if shown else "\n", flush=True)
        latest = time.monotonic() if len(log) > said else latest
        said, line = len(log), log[-1] if log else ""
        if line.startswith(("error:", "the federation has ended")):
            print()
            return line.startswith("the federation")
        gone = here.superlink is None or here.superlink.poll() is not None
        if gone or time.monotonic() - latest > HOUR / 2:  # nothing more will come
            return False
        time.sleep(0.5)


def identical(simulated: Simulated, outcome: Outcome) -> bool:
    """Tell whether the models of both have the same bits."""
    pairs = [
        (simulated.outcome.encoder, outcome.encoder),
        (simulated.outcome.models, outcome.models),
    ]
    return all(a is not None and b is not None and a.tobytes() == b.tobytes() for a, b in pairs)


def table(simulated: Simulated, outcome: Outcome, names: list[str]) -> str:
    """Write simulation and federation side by side."""
    lines = ["| | simulation | federation |", "|---|---|---|"]
    before, after = simulated.outcome.scores[-1], outcome.scores[-1]
    for name, a, b in zip(names, before, after):
        lines.append(f"| accuracy of client {name} | {a:.3f} | {b:.3f} |")
    lines.append(f"| mean accuracy | {before.mean():.3f} | {np.nanmean(after):.3f} |")
    encoder, model = outcome.encoder, outcome.models
    if encoder is None or model is None:
        raise UserError("this was no clustered kind")
    measured = sum(outcome.traffic.values()) / len(names) / 1e6
    lines += [
        f"| megabytes of a client | {simulated.megabytes:.3f} | {measured:.3f} |",
        f"| of these: the encoder, once more after its training | | {encoder.nbytes / 1e6:.3f} |",
        "| of these: plan, facts, names and headers of arrays | | "
        f"{measured - simulated.megabytes - encoder.nbytes / 1e6:.3f} |",
        f"| models with the same bits | | {'yes' if identical(simulated, outcome) else 'NO'} |",
    ]
    return "\n".join(lines)


def picture(outcome: Outcome, names: list[str], path: Path) -> None:
    """Draw the clusters of the clients over the rounds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rounds, K = outcome.labels.shape
    figure, axes = pyplot.subplots(figsize=(1.5 + 0.5 * rounds, 1 + 0.3 * K), layout="constrained")
    axes.pcolormesh(outcome.labels.T, cmap="viridis", edgecolors="white", linewidth=1)
    for t, k in np.ndindex(rounds, K):
        axes.text(t + 0.5, k + 0.5, str(outcome.labels[t, k] + 1), ha="center", va="center", c="w")
    axes.set(xlabel="round", ylabel="client", title="Clusters over rounds")
    axes.set_xticks(np.arange(rounds) + 0.5, [str(t + 1) for t in range(rounds)])
    axes.set_yticks(np.arange(K) + 0.5, names)
    axes.invert_yaxis()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
