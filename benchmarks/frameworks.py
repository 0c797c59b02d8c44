"""The same federation in this package and in other frameworks, side by side.

All of 100 clients take part in 5 rounds of 5 epochs in batches of 50:

* ``har``: a small CNN on windows in the shape of HAR (9 channels, 128 steps, 6 classes), SGD;
* ``fed-react``: the causal CNN of Fed-REACT's Table 1 (3 channels, 100 steps, 10 classes), Adam.

Windows are simulated, and clients hold 50 to 150 of them. All take the same batches in the same
order and average by the number of windows, so the weights agree up to rounding. Each framework runs
on all cores as its own documentation advises, in an environment of its own that is made at the
first call:

* ``ours``: this package, a process of one thread a core;
* ``loop``: modules of torch's own layers, one client after the other, on torch's threads;
* ``flower``: the simulation of Flower by its Message API and Ray, a core for each client;
* ``pfl``: the simulated backend of pfl, a process of one thread a core;
* ``flsim``: the synchronous trainer of FLSim, one client after the other, on torch's threads.

A run is a process of its own: a round 0, in which clients do all but train, the rounds, and rounds
0 again. The start-up lasts until the first round 0 has ended. Memory is that of the whole tree of
processes, looked at every 0.1 s in a run that is not timed; pages that processes share count once.
Timed runs go in turn, so that other work on the machine meets all frameworks. Then each runs once
more on one core. A framework that ends, or takes longer than ``--limit`` for a step, is a line that
says so.

    python benchmarks/frameworks.py [--case har] [--frameworks ours pfl]
    python benchmarks/frameworks.py --case har --clients 100 1000 10000 --rounds 1 --epochs 1 \\
        --turns 0 --csv FILE.csv
    python benchmarks/frameworks.py --csv FILE.csv --figure FILE.png
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from engine import QUIET, spread, timed
from matplotlib.figure import Figure
from rival import Rival, RivalEnded
from rivals import Job
from rivals.case import CASES
from tree import PeakMemory

from fedreact.figures.looks import look
from fedreact.figures.style import save_png, title_and_legend

ROOT = Path(__file__).parents[1]
PINS = dict(
    line.split("==") for line in (ROOT / "requirements.txt").read_text().split() if "==" in line
)
TORCH = f"torch=={PINS['torch']}"
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
COLUMNS = {
    "seconds": "seconds a round",
    "cpu_seconds": "CPU time a round",
    "idle_seconds": "seconds of a round 0",
    "start_seconds": "start-up",
    "megabytes": "peak memory",
}
"""What rows say of a framework."""

IDLE = 3
"""Rounds without training at the end of a run."""


@dataclass(frozen=True)
class Framework:
    """What an environment takes, and the packages whose versions are printed.

    Attributes
    ----------
    packages
        What pip installs beside torch; empty: the package's own environment is used.
    without_dependencies
        What pip installs last, without what it asks for.
    """

    packages: tuple[str, ...] = ()
    without_dependencies: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def commands(self) -> list[list[str]]:
        """List what pip is told, the first of which may fail: a small build of torch."""
        small = ["--retries", "0", "--timeout", "30", "--no-deps", "--index-url", CPU_BUILDS, TORCH]
        commands = [small, [TORCH, *self.packages]]
        if self.without_dependencies:
            commands.append(["--no-deps", *self.without_dependencies])
        return [["install", "--quiet", *words] for words in commands]

    def python(self, name: str, folder: Path) -> str:
        """Return the interpreter of its environment, which is made if there is none like it."""
        if not self.packages:
            return sys.executable
        home, commands = folder / name, self.commands()
        python, recipe = str(home / "bin/python"), home / "recipe.txt"
        words = "\n".join(" ".join(["pip", *command]) for command in commands) + "\n"
        if not recipe.is_file() or recipe.read_text() != words:
            print(f"{name}: makes {home}", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
            for i, command in enumerate(commands):
                subprocess.run([python, "-m", "pip", *command], check=i > 0)
            recipe.write_text(words)
        return python

    def versions(self, python: str) -> str:
        """Name what is installed."""
        code = "import sys, importlib.metadata as m\nfor p in sys.argv[1:]: print(p, m.version(p))"
        names = [*self.shown, "torch", "numpy"]
        done = subprocess.run([python, "-c", code, *names], capture_output=True, check=True)
        return ", ".join(done.stdout.decode().splitlines())


FRAMEWORKS = {
    "ours": Framework(shown=("fedreact",)),
    "loop": Framework(),
    "flower": Framework(("flwr[simulation]==1.42.0",), shown=("flwr", "ray")),
    "pfl": Framework(("pfl[pytorch]==0.6.0",), shown=("pfl",)),
    "flsim": Framework(
        ("opacus==1.6.0", "hydra-core==1.3.8", "pandas==3.1.1", "scikit-learn==1.9.1", "tqdm"),
        ("flsim==0.1.0",),
        ("flsim", "opacus"),
    ),
}


@dataclass
class Run:
    """What a run took: seconds, CPU seconds of its rounds, bytes; and its weights at the end."""

    start: float = 0.0
    rounds: list[tuple[float, float]] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    memory: int = 0
    theta: np.ndarray | None = None

    def per_round(self) -> tuple[float, float]:
        """Return the mean seconds and CPU seconds of a round."""
        seconds, cpu = np.mean(self.rounds, axis=0)
        return float(seconds), float(cpu)


def train(name, python, case, cores, args, watched=False):
    """Run a case in a framework; ``watched``: look at its memory, too."""
    result, started = Run(), time.perf_counter()
    job = Job(name, case, cores, case.theta())
    with Rival(name, python, "rivals.serve", job, args.limit, **QUIET) as rival:
        pid = rival.process.pid
        with PeakMemory(pid) if watched else nullcontext() as peak:
            rival.ask(0, "done")
            result.start = time.perf_counter() - started
            for t in range(1, args.rounds + 1):
                result.rounds.append(timed(lambda t=t: rival.ask(t, "done"), pid))
            result.theta = rival.ask("weights")
            for _ in range(IDLE):
                result.idle.append(timed(lambda: rival.ask(0, "done"), pid)[0])
        result.memory = peak.bytes if watched else 0
    return result


def digest(theta):
    """Return the first letters of the SHA-256 of weights."""
    return hashlib.sha256(np.ascontiguousarray(theta, np.float32).tobytes()).hexdigest()[:12]


@dataclass
class Runs:
    """All runs of a framework on a case; ``ended`` says why there are no more."""

    watched: Run | None = None
    timed: list[Run] = field(default_factory=list)
    one_core: Run | None = None
    ended: str = ""

    def same(self) -> str:
        """Say whether runs on all cores gave the same bytes."""
        digests = {digest(run.theta) for run in [self.watched, *self.timed] if run}
        n = len(self.timed) + (self.watched is not None)
        return "?" if n < 2 else "yes" if len(digests) == 1 else "no"

    def same_on_one(self) -> str:
        """Say whether a run on one core gave the bytes of the first run on all."""
        if self.one_core is None or self.watched is None:
            return "?"
        return "yes" if digest(self.one_core.theta) == digest(self.watched.theta) else "no"


def run_all(case, pythons, args):
    """Run a case in all frameworks: watched, in turn, and on one core."""
    all_runs = {name: Runs() for name in pythons}
    steps = ["watched", *["timed"] * args.turns, *["one core"] * (args.turns > 0)]
    for step in steps:
        for name, python in pythons.items():
            runs = all_runs[name]
            if runs.ended:
                continue
            cores = 1 if step == "one core" else args.cores
            try:
                run = train(name, python, case, cores, args, watched=step == "watched")
            except RivalEnded as error:
                runs.ended = f"{step}: {error}"
                continue
            if step == "watched":
                runs.watched = run
            elif step == "timed":
                runs.timed.append(run)
            else:
                runs.one_core = run
    return all_runs


def rows_of(case, all_runs, cores):
    """Make a row for each framework: medians over its timed runs, or those of the watched one."""
    for name, runs in all_runs.items():
        row = {"case": case.name, "clients": case.clients, "framework": name, "cores": cores}
        measured = runs.timed or [run for run in [runs.watched] if run]
        if measured:
            seconds, cpu = zip(*[run.per_round() for run in measured])
            row |= {
                "seconds": median(seconds),
                "cpu_seconds": median(cpu),
                "idle_seconds": median(s for run in measured for s in run.idle),
                "start_seconds": median(run.start for run in measured),
                "megabytes": runs.watched.memory / 2**20,
            }
        yield row | {"ended": runs.ended}


def report(case, all_runs, args):
    """Print a line for each framework, and how its weights compare."""
    print(
        f"\n{case.name}: {case.clients} clients x {case.epochs} epochs, batches of {case.batch}, "
        f"{len(case.theta())} weights, {args.rounds} rounds, {args.turns} turns, "
        f"{args.cores} cores, at most {args.limit:g} s for a start or a round"
    )
    print(f"{'':8s}{'s a round':22s}{'CPU s':>8s}{'idle s':>8s}{'start s':>8s}{'MB':>7s}")
    for row in rows_of(case, all_runs, args.cores):
        runs = all_runs[row["framework"]]
        if "seconds" in row:
            walls = spread([run.per_round()[0] for run in runs.timed or [runs.watched]])
            print(
                f"{row['framework']:8s}{walls:22s}{row['cpu_seconds']:8.2f}"
                f"{row['idle_seconds']:8.3f}{row['start_seconds']:8.1f}{row['megabytes']:7.0f}"
            )
        if row["ended"]:
            print(f"{row['framework']:8s}{row['ended']}")
    for line in orders(rows_of(case, all_runs, args.cores)):
        print(line)
    compare(case, all_runs)


def orders(rows):
    """Yield a line for each column: the frameworks from the least to the most."""
    measured = [row for row in rows if "seconds" in row]
    for column, title in COLUMNS.items():
        names = [row["framework"] for row in sorted(measured, key=lambda row: row[column])]
        yield f"{title}, from the least: {', '.join(names)}"


def compare(case, all_runs):
    """Print digests and losses, and how far weights are from those of the first framework."""
    watched = {name: runs.watched for name, runs in all_runs.items() if runs.watched}
    if not watched:
        return
    first, reference = next(iter(watched.items()))
    print(
        f"loss before the rounds {case.loss(case.theta()):.5f}; difference from {first}'s weights"
    )
    print(f"{'':8s}{'digest':14s}{'two runs':10s}{'1 core':8s}{'loss':>9s}{'difference':>12s}")
    for name, run in watched.items():
        runs, difference = all_runs[name], np.abs(run.theta - reference.theta).max()
        print(
            f"{name:8s}{digest(run.theta):14s}{runs.same():10s}{runs.same_on_one():8s}"
            f"{case.loss(run.theta):9.5f}{difference:12.1g}"
        )


def draw(rows):
    """Draw seconds and memory of a round over the number of clients; crosses: it ended."""
    figure = Figure(figsize=(7, 3), layout="constrained")
    panels = figure.subplots(1, 2)
    for place, name in enumerate(dict.fromkeys(rows["framework"])):
        own = rows[rows["framework"] == name].sort_values("clients")
        style = look(place)
        for axes, column in zip(panels, ("seconds", "megabytes")):
            done = own.dropna(subset=[column])
            axes.plot(
                done["clients"],
                done[column],
                color=style.colour,
                linestyle=style.line,
                marker=style.marker,
                markersize=4,
                label=name,
            )
        for clients in own.loc[own["seconds"].isna(), "clients"]:
            for axes in panels:  # at the upper edge
                axes.plot(
                    clients,
                    0.97,
                    "x",
                    color=style.colour,
                    transform=axes.get_xaxis_transform(),
                    clip_on=False,
                )
    for axes, title in zip(panels, (COLUMNS["seconds"], f"{COLUMNS['megabytes']} (MB)")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("clients")
        axes.set_title(title, fontsize="small", loc="left")
        axes.grid(linewidth=0.3)
    cases, cores = set(rows["case"]), set(rows["cores"])
    title = f"A round of {', '.join(cases)} on {', '.join(map(str, cores))} cores"
    title += " (crosses: no round ended)" if rows["seconds"].isna().any() else ""
    title_and_legend(figure, panels, title, columns=5)
    return figure


def measure(args):
    """Run all cases and print what they took."""
    pythons, rows = {}, []
    for name in args.frameworks:
        framework = FRAMEWORKS[name]
        pythons[name] = framework.python(name, args.environments.absolute())
        print(f"{name}: {framework.versions(pythons[name])}")
        for command in framework.commands()[1:] if framework.packages else []:
            print(f"    pip {' '.join(command)}")
    for name in args.case:
        for clients in args.clients:
            case = replace(CASES[name], clients=clients, epochs=args.epochs)
            all_runs = run_all(case, pythons, args)
            report(case, all_runs, args)
            rows += rows_of(case, all_runs, args.cores)
            if args.csv:  # what is done is kept, whatever comes
                pd.DataFrame(rows).to_csv(args.csv, index=False, float_format="%.4g")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--case", nargs="+", choices=CASES, default=[*CASES])
    p.add_argument("--frameworks", nargs="+", choices=FRAMEWORKS, default=[*FRAMEWORKS])
    p.add_argument("--clients", nargs="+", type=int, default=[100])
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--epochs", type=int, default=5, help="passes over its windows in a round")
    p.add_argument("--turns", type=int, default=3, help="timed runs; 0: the watched run's times")
    p.add_argument("--cores", type=int, default=os.cpu_count())
    p.add_argument("--limit", type=float, default=1800, help="seconds for a start or a round")
    p.add_argument("--environments", type=Path, default=ROOT / ".rivals", help="their folder")
    p.add_argument("--csv", type=Path, help="file of rows, a framework and number of clients each")
    p.add_argument("--figure", type=Path, help="draw the rows of --csv, and measure nothing")
    args = p.parse_args()
    if args.figure and not args.csv:
        p.error("--figure draws the rows of a file: name it by --csv")
    if args.figure:
        save_png(draw(pd.read_csv(args.csv)), args.figure)
    else:
        measure(args)


if __name__ == "__main__":
    main()
