"""Fed-REACT: federated representation learning for heterogeneous and evolving time series.

The parts that are meant to be used by hand, by their names (docs/howto/notebook.md). Each is
loaded when it is asked for, so that ``import fedreact`` costs nothing.
"""

from importlib import import_module

PARTS = {
    "EvolutionaryClustering": "fedreact.clustering.evolutionary",
    "affect": "fedreact.clustering.affect",
    "agglomerative": "fedreact.clustering.hierarchical",
    "cosine_similarity": "fedreact.clustering.hierarchical",
    "weighted_mean": "fedreact.aggregation.mean",
    "running_mean": "fedreact.aggregation.temporal",
    "forgetting": "fedreact.aggregation.temporal",
    "KalmanSmoothing": "fedreact.aggregation.kalman",
    "Aggregation": "fedreact.aggregation.temporal",
    "Memory": "fedreact.aggregation.temporal",
    "SeriesDataset": "fedreact.data.dataset",
    "Partition": "fedreact.clients.partition",
    "Clock": "fedreact.clock.clock",
    "Flight": "fedreact.clock.clock",
    "Devices": "fedreact.clock.devices",
    "Network": "fedreact.clock.devices",
    "federate": "fedreact.kinds.synchronous.engine",
    "TrainingJob": "fedreact.engine.engine",
    "Place": "fedreact.engine.place",
    "weigh": "fedreact.claims.contrasts",
    "Evidence": "fedreact.claims.contrasts",
    "judge_every": "fedreact.claims.contrasts",
    "dataset": "fedreact.by_hand",
    "clients_of": "fedreact.by_hand",
    "features_of": "fedreact.by_hand",
    "compare": "fedreact.by_hand",
    "Comparison": "fedreact.by_hand",
    "algorithms_of": "fedreact.by_hand",
    "UserError": "fedreact.errors",
}
"""The module that each part lies in."""


def __getattr__(name: str):
    """Load a part when it is first asked for."""
    if name not in PARTS:
        raise AttributeError(f"module 'fedreact' has no part {name!r}; see fedreact.PARTS")
    return getattr(import_module(PARTS[name]), name)


def __dir__() -> list[str]:
    """Parts, and what else there is."""
    return sorted([*globals(), *PARTS])
