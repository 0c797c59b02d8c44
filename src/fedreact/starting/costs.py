"""Estimate what the comparison of a recipe costs, in CPU seconds of one seed.

``benchmarks/recipe.py`` shows these estimates beside what finished runs took. The constants come
from its output on one core of a server; a recipe needs them on no other machine, so that the same
data gives the same options everywhere.
"""

from fedreact.starting.facts import Facts
from fedreact.task import Kind

SECONDS_A_GFLOP, ENCODER_GFLOP = 0.06, 0.03
"""CPU seconds of a GFLOP of training, of a model of the table and of Fed-REACT's encoder."""
STEP, ENCODER_STEP = 1e-3, 2.2e-2
"""Of a step of training beside its multiplications, of each of the two."""
SCORING = 1.6e-2
"""Of the predictions of a client by all trained models after a round, beside multiplications."""
MINIROCKET, MINIROCKET_OWN = 1.5e-5, 0.13
"""Of its features for each step of a series, and of each client's own regression on them."""
SUMMARIES, SUMMARIES_OWN = 3e-4, 0.25
"""Of the pooled forest for each series and channel, and of the models of a client of its own."""
FIT: dict[Kind, float] = {"classification": 3e-3, "multi-label": 3e-3, "regression": 8e-3}
"""Of the fit of a client to its features in a round of the clustered methods."""
START = 2.4
"""Of the start of a job."""
JOBS = {"simple": 4, "clustered": 1, "encoder": 1, "trained": 6}
"""Jobs of a seed that do not start at once."""
MODELS: dict[Kind, float] = {"classification": 7.5, "multi-label": 6.0, "regression": 6.0}
"""Trainings of one model that the methods of the table are worth: Alone and FedAvg one, Ditto and
fine-tuned FedAvg two, FedProto, which needs labels, about one and a half."""
TRAINED = 5
"""Models of which a round's predictions are made."""
ENCODER_BATCH = 4
"""Series of a step of the encoder."""


def start() -> float:
    """Return the seconds of the start of all jobs."""
    return START * sum(JOBS.values())


def simple(facts: Facts, n_clients: int) -> float:
    """Return the seconds of ridge and forest on summaries, and of MiniRocket with ridge."""
    pooled = facts.series * (facts.channels * SUMMARIES + 2 * facts.steps * MINIROCKET)
    return pooled + n_clients * (SUMMARIES_OWN + MINIROCKET_OWN)


def features(facts: Facts) -> float:
    """Return the seconds of the encoder's features of all series."""
    return facts.series * 2 * facts.encoder_multiply_adds / 1e9 * ENCODER_GFLOP


def clustered(task: Kind, n_clients: int, rounds: int) -> float:
    """Return the seconds of the fits of the clustered methods."""
    return n_clients * rounds * FIT[task]


def step(facts: Facts, batch: int) -> float:
    """Return the seconds of a step of one client in all trained methods of the table."""
    gflops = batch * 6 * facts.multiply_adds / 1e9
    return (gflops * SECONDS_A_GFLOP + STEP) * MODELS[facts.task]


def scoring(facts: Facts, tested: float, n_clients: int) -> float:
    """Return the seconds of scoring the trained models after a round."""
    gflops = TRAINED * tested * 2 * facts.multiply_adds / 1e9
    return gflops * SECONDS_A_GFLOP + n_clients * SCORING


def encoder_gflop(facts: Facts) -> float:
    """Return the seconds of a GFLOP of the encoder's training."""
    gflops = ENCODER_BATCH * 6 * facts.anchor_multiply_adds / 1e9
    return ENCODER_GFLOP + ENCODER_STEP / gflops
