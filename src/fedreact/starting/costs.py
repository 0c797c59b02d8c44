"""Estimate what the comparison of a recipe costs, in CPU seconds of one seed.

``benchmarks/recipe.py`` shows these estimates beside what finished runs took. The constants come
from its output on one core of a server; a recipe needs them on no other machine, so that the same
data gives the same options everywhere.
"""

from fedreact.starting.facts import Facts
from fedreact.task import Kind

SECONDS_A_GFLOP, ENCODER_GFLOP = 0.06, 0.03
"""CPU seconds of one GFLOP: training of a model, and Fed-REACT's encoder."""
STEP, ENCODER_STEP = 1e-3, 2.2e-2
"""CPU seconds that each training step adds to its GFLOPs: of a model, and of the encoder."""
SCORING = 1.6e-2
"""CPU seconds that scoring all trained models on one client adds to its GFLOPs, each round."""
MINIROCKET, MINIROCKET_OWN = 1.5e-5, 0.13
"""CPU seconds of MiniRocket: its features for one time step, and one client's own regression."""
SUMMARIES, SUMMARIES_OWN = 3e-4, 0.25
"""CPU seconds of models on summaries: the pooled forest for one channel of one series, and one
client's own ridge and forest."""
FIT: dict[Kind, float] = {"classification": 3e-3, "multi-label": 3e-3, "regression": 8e-3}
"""CPU seconds of the task model that one client fits in one round."""
START = 2.4
"""CPU seconds until a job begins its work."""
JOBS = {"simple": 4, "clustered": 4, "encoder": 1, "trained": 6}
"""Number of jobs of one seed. Other jobs need no time to start."""
MODELS: dict[Kind, float] = {"classification": 7.5, "multi-label": 6.0, "regression": 6.0}
"""Cost of all trained methods, in trainings of one model. Alone and FedAvg take one each, Ditto and
fine-tuned FedAvg two, and FedProto, which needs labels, about one and a half."""
TRAINED = 5
"""Number of trained models that are scored after each round."""
ENCODER_BATCH = 4
"""Number of series in one training step of the encoder."""


def start() -> float:
    """Return the seconds of the start of all jobs."""
    return START * sum(JOBS.values())


def simple(facts: Facts, n_clients: int) -> float:
    """Return the seconds of ridge and forest on summaries, and of MiniRocket with ridge."""
    pooled = facts.series * (facts.channels * SUMMARIES + 2 * facts.steps * MINIROCKET)
    return pooled + n_clients * (SUMMARIES_OWN + MINIROCKET_OWN)


def features(facts: Facts) -> float:
    """Return the seconds of the encoder's features of all series."""
    return facts.series * facts.feature_gflops * ENCODER_GFLOP


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
