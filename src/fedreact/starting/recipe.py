"""Choose how methods are compared on a dataset, from its size alone: a configuration to start from.

Rounds have to be many enough that scores hardly improve any more, else the order of methods is that
of their first steps. So each client trains for :data:`STEPS` steps, or for as many as fit into the
time. Every function returns options with the reason for them, and the same facts give the same
options on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from fedreact.errors import UserError
from fedreact.notes.words import counted
from fedreact.result.cautions import FEW_STEPS
from fedreact.starting import costs
from fedreact.starting.facts import Facts

SEEDS = (0, 1, 2)
"""With fewer, no difference is judged."""
TEST_SHARE = 0.25
FEWEST_SERIES, FEWEST_CLIENTS = 8, 2
"""Series that a client needs at least, and clients that a federation needs."""
SERIES_OF_TEN, SERIES_OF_FIVE = 400, 100
"""Series from which ten or five clients are simulated where data names none."""
ROUNDS, FEWEST_ROUNDS, STEPS = 50, 12, 600
"""Rounds, the fewest where scoring takes long, and local steps of a client over all rounds."""
SCORING_SHARE = 0.25
"""Share of the time for scoring the trained models after each round."""
FEWEST_WINDOWS = 100
"""Windows that every client keeps where there are more than fit into the time."""
BATCH, RATE = 16, 0.003
"""Series of a step, and the learning rate of Adam."""
ENCODER_ROUNDS, ENCODER_GFLOPS, FEW_GFLOPS = 10, 60.0, 15.0
"""Rounds of Fed-REACT's encoder, compute of a client beyond the features of its series, and that
below which its training is short."""
CLUSTERED_ROUNDS, CLUSTERED_SAMPLES, REGRESSION_SAMPLES = 30, 300, 150
"""Rounds of clustered methods, and most labelled series of a client in each: an exact fit takes
time that grows with their square, and that of a regression with their cube."""
CORES, MINUTES = 2, 5.0
"""Time that a run may take by default, and the cores that this is meant for."""
OUTSIDE = 75.0
"""Seconds that the import, the plan and the start of the run take, which no job counts."""
ENCODER_SHARE = 0.2
"""Share of the time for Phase 1, of what training has in all."""


@dataclass(frozen=True)
class Choice:
    """Options with the reason for them."""

    options: Mapping[str, Any]
    reason: str


@dataclass(frozen=True)
class Recipe:
    """All choices for a dataset, and the minutes that a run is estimated to take on 2 cores."""

    partition: Choice
    synchronous: Choice
    encoder: Choice
    clustered: Choice
    seeds: Choice
    minutes: float

    @property
    def reasons(self) -> list[str]:
        """Reasons, in the order of the files."""
        choices = (self.partition, self.synchronous, self.encoder, self.clustered, self.seeds)
        return [choice.reason for choice in choices]


def recipe(facts: Facts, minutes: float = MINUTES) -> Recipe:
    """Choose everything.

    Parameters
    ----------
    minutes
        Time that the run may take on 2 cores.

    Raises
    ------
    UserError
        The data has too few series or clients for a federation.
    """
    partition, sizes = clients(facts)
    of_jobs = jobs_seconds(minutes)
    fixed = fixed_seconds(facts, len(sizes))
    seconds = max(of_jobs - fixed, of_jobs / 4)
    synchronous, trained = training(facts, sizes, seconds * (1 - ENCODER_SHARE))
    encoder, encoded = phase1(facts, len(sizes), seconds * ENCODER_SHARE)
    expected = fixed + trained + encoded
    seeds = Choice(
        {
            "synchronous": list(SEEDS),
            "clustered": list(SEEDS),
            "simple": list(SEEDS),
            "facts": list(SEEDS),
        },
        f"{len(SEEDS)} seeds, which draw other first weights, and other test series unless the "
        "split is in time: with fewer, no difference between methods is judged.",
    )
    return Recipe(
        partition,
        synchronous,
        encoder,
        clusters(facts, sizes),
        seeds,
        (OUTSIDE + expected * len(SEEDS) / CORES) / 60,
    )


def clients(facts: Facts) -> tuple[Choice, list[int]]:
    """Choose who holds which series and what is tested, and count each client's series."""
    if not facts.clients:
        return simulated(facts)
    how, why, needed = split(facts)
    sizes = [n for n, units in zip(facts.clients, facts.units) if units >= needed]
    if len(sizes) < FEWEST_CLIENTS:
        raise UserError(
            f"{len(sizes)} of {len(facts.clients)} clients have {needed} series (or trials) or "
            f"more, and a federation needs {FEWEST_CLIENTS}; cut more series, or name other clients"
        )
    reason = f"Each of the {len(sizes)} clients that the data names is a client. {why}"
    options = {"by": "owner", **how}
    if small := len(facts.clients) - len(sizes):
        options["min_samples"] = least = min(sizes)
        reason += (
            f" {small} of {len(facts.clients)} have too few series to train and test on, so those "
            f"with fewer than {least} are left out (small: merge would make them one client)."
        )
        sizes = [n for n in facts.clients if n >= least]
    return Choice(options, reason), sizes


def simulated(facts: Facts) -> tuple[Choice, list[int]]:
    """Deal the series to clients of clusters of labels, where the data names no clients."""
    if facts.task != "classification":
        raise UserError(
            "the data names no clients, and only series with one label each can be dealt to "
            "simulated ones; import it with --client"
        )
    if facts.series < SERIES_OF_FIVE:
        raise UserError(
            f"the data names no clients and has {facts.series} series, too few to simulate some "
            f"({SERIES_OF_FIVE}); import it with --client"
        )
    of_clusters = [3, 3, 4] if facts.series >= SERIES_OF_TEN else [2, 3]
    each = facts.series // sum(of_clusters)
    options = {
        "by": "dirichlet",
        "cluster_sizes": of_clusters,
        "beta": 0.5,
        "samples_per_client": each,
        "test_share": TEST_SHARE,
        "min_samples": max(8, facts.series // len(of_clusters) // 4),
    }
    reason = (
        f"The data names no clients, so {sum(of_clusters)} with {each} series each are simulated, "
        f"in {len(of_clusters)} clusters that differ in how frequent labels are (Dirichlet, beta "
        "0.5). Real clients would tell more: import the data with --client."
    )
    return Choice(options, reason), [each] * sum(of_clusters)


def split(facts: Facts) -> tuple[dict[str, Any], str, int]:
    """Choose what is tested: options, the reason, and the series that a client needs."""
    if facts.tested:
        return {"split": "source"}, "Test series are those that the data marks.", FEWEST_SERIES
    share: dict[str, Any] = {"test_share": TEST_SHARE}
    quarter = f"{TEST_SHARE:.0%} of its"
    gap = 0 if facts.trials else facts.gap or 0
    if facts.labels and not facts.trials:
        left = f"; {gap} series next to them overlap with them and are left out" if gap else ""
        return (
            {"split": "chronological-by-label", **share, **({"gap": gap} if gap else {})},
            f"Its last {TEST_SHARE:.0%} of series of each label are for testing, since windows "
            f"that follow each other are alike{left}.",
            ceil((FEWEST_SERIES + gap * facts.labels) / (1 - TEST_SHARE)),
        )
    if facts.forecast or gap:
        why = "the future is predicted" if facts.forecast else "windows overlap"
        left = f", with {gap} series left out before them, which overlap" if gap else ""
        needed = ceil((FEWEST_SERIES + gap) / (1 - TEST_SHARE))
        return (
            {"split": "chronological", **share, **({"gap": gap} if gap else {})},
            f"Its last {TEST_SHARE:.0%} of series are for testing, since {why}{left}.",
            needed,
        )
    if facts.trials:
        return (
            {"split": "random", **share},
            f"A random {quarter} trials is for testing; series of a trial stay together.",
            4,
        )
    why = f"A random {quarter} series is for testing."
    if facts.gap is None:
        why += " Windows overlap in no order, so scores are too high: import with --trial."
    return {"split": "random", **share}, why, FEWEST_SERIES


def fixed_seconds(facts: Facts, n_clients: int) -> float:
    """Estimate the CPU seconds of a seed for what does not depend on the number of steps."""
    return (
        costs.start()
        + costs.simple(facts, n_clients)
        + costs.features(facts)
        + costs.clustered(facts.task, n_clients, CLUSTERED_ROUNDS)
    )


def jobs_seconds(minutes: float) -> float:
    """Return the CPU seconds that the jobs of a seed may take."""
    return max(minutes * 60 - OUTSIDE, minutes * 30) * CORES / len(SEEDS)


def window_step(facts: Facts, minutes: float = MINUTES) -> int:
    """Choose the steps from a window of a forecast to the next, if now there is one at each step.

    They are as few as let what has to be done for each series end in half of the time. Every client
    keeps :data:`FEWEST_WINDOWS`, and windows do not lie apart.
    """
    n_clients = max(1, len(facts.clients))

    def needed(series: int) -> float:
        scoring = costs.scoring(facts, TEST_SHARE * series, n_clients)
        return fixed_seconds(replace(facts, series=series), n_clients) + FEWEST_ROUNDS * scoring

    of_clients = needed(0)
    of_series = needed(facts.series) - of_clients
    spare = jobs_seconds(minutes) / 2 - of_clients
    most = min(facts.clients, default=facts.series) // FEWEST_WINDOWS
    return max(1, min(facts.steps, most, ceil(of_series / max(spare, 1.0))))


def training(facts: Facts, sizes: Sequence[int], seconds: float) -> tuple[Choice, float]:
    """Choose rounds and steps of the trained models, and estimate the CPU seconds of a seed."""
    n_clients = len(sizes)
    scoring = costs.scoring(facts, TEST_SHARE * sum(sizes), n_clients)
    rounds = int(min(ROUNDS, max(FEWEST_ROUNDS, SCORING_SHARE * seconds / scoring)))
    a_step = costs.step(facts, BATCH) * n_clients
    steps = int(min(STEPS, max(rounds, (seconds - rounds * scoring) / a_step)))
    in_round = max(1, steps // rounds)
    steps = in_round * rounds
    often = steps * BATCH * n_clients / sum(sizes) / (1 - TEST_SHARE)
    used = f"about {counted(round(often), 'time')}" if often >= 1 else "less than once on average"
    reason = (
        f"Each client takes {counted(in_round, 'step')} in each of {rounds} rounds, {steps} in "
        f"all, so that a train series is used {used}: "
    )
    if steps >= FEW_STEPS:
        reason += "by then scores hardly improve any more on most data."
    else:
        reason += "more steps do not fit into the time, and methods may still be improving."
    options = {
        "architecture": "cnn-strided",
        "rounds": rounds,
        "steps": in_round,
        "batch_size": BATCH,
        "learning_rate": RATE,
        "stacked": 8,
    }
    return Choice(options, reason), a_step * steps + scoring * rounds


def phase1(facts: Facts, n_clients: int, seconds: float) -> tuple[Choice, float]:
    """Choose the training of Fed-REACT's encoder, and estimate the CPU seconds of a seed."""
    a_gflop = costs.encoder_gflop(facts)
    fits = seconds / a_gflop / n_clients
    gflops = max(0.5, min(ENCODER_GFLOPS, fits))
    features = facts.series / n_clients * facts.feature_gflops
    reason = (
        f"Fed-REACT's encoder learns without labels for {gflops:.2g} GFLOPs of each client, "
        f"in {ENCODER_ROUNDS} rounds. The features of all series take {features:.2g} more."
    )
    if gflops < FEW_GFLOPS:
        reason += " That is little, so Fed-REACT may do better with more minutes."
    options = {
        "rounds": ENCODER_ROUNDS,
        "gflops": float(f"{gflops + features:.3g}"),
        "batch_size": costs.ENCODER_BATCH,
    }
    return Choice(options, reason), gflops * n_clients * a_gflop


def clusters(facts: Facts, sizes: list[int]) -> Choice:
    """Choose rounds, samples and the number of clusters of the clustered methods."""
    most = max(sizes) if facts.tested else int(max(sizes) * (1 - TEST_SHARE))
    used = min(most, REGRESSION_SAMPLES if facts.task == "regression" else CLUSTERED_SAMPLES)
    options: dict[str, Any] = {"rounds": CLUSTERED_ROUNDS, "samples_per_round": used}
    if facts.task == "regression":
        options["regressor"] = "ridge-cv"
    reason = "Clustered methods use all labelled series of a client in each round, as the others do"
    if used < most:
        reason = (
            f"Clustered methods draw {used} of a client's labelled series anew in each round, "
            "since an exact fit to more takes long"
        )
    if facts.task == "regression":
        reason += ", and fit a ridge regression to them, with the penalty that suits a client best"
    if not facts.clients:
        return Choice(options, f"{reason}, and know the number of clusters that are simulated.")
    if len(sizes) < 4:
        return Choice(options | {"n_clusters": 1}, f"{reason}. So few clients are one cluster.")
    reason += "; the silhouette estimates the number of clusters, since nobody knows it."
    return Choice(options | {"n_clusters": "silhouette"}, reason)
