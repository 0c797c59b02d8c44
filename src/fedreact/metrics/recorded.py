"""Metrics that runs record themselves: here is only how they are shown.

An edit of this table re-runs the tables, figures and claims that show one of them, and no run.
"""

from fedreact.metrics.contract import INF, Metric


def _megabytes(title: str) -> Metric:
    """Make a metric of traffic."""
    return Metric(title, better="lower", bounds=(0.0, INF), counted=True)


def _count(title: str) -> Metric:
    """Make a metric of things that are counted."""
    return Metric(title, decimals=0, counted=True)


RECORDED: dict[str, Metric] = {
    # What training takes, of a client on average; fedreact.studies.costs has the rules.
    "bytes": _megabytes("Megabytes between a client and the server, in all"),
    "bytes_up": _megabytes("Megabytes that a client uploads, in all"),
    "bytes_down": _megabytes("Megabytes that a client receives, in all"),
    # With models that nobody would train; each method of that table has its number of them.
    "bytes_down_heard": _megabytes(
        "Megabytes that a client receives, in all, counted as in Table 6.3 of FedConD"
    ),
    "gflops": Metric("GFLOPs of a client's training, in all", decimals=1, counted=True),
    "steps": _count("Gradient steps of a client's models, in all"),
    "minutes": Metric("Simulated minutes", better="lower", bounds=(0.0, INF), decimals=1),
    "n_weights": _count("Weights of all clients and the server"),
    "costs": Metric("Costs"),  # of a study without a run
    # What a setting consists of.
    "n_clients": _count("Clients"),
    "n_channels": _count("Channels"),
    "n_steps": _count("Steps per series"),
    "n_labels": _count("Labels"),
    "n_train": _count("Train series"),
    "n_test": _count("Test series"),
    # The clusters that a method finds.
    "rand": Metric("Rand score, mean over rounds", better="higher", bounds=(0.0, 1.0)),
    "n_clusters": Metric("Clusters found, mean over rounds", bounds=(1.0, INF), decimals=1),
    # FedConD's tests for drift.
    "drift_tests": Metric("Drift tests per client", bounds=(0.0, INF), decimals=1),
    "true_alarms": Metric(
        "Alarm rate of drift tests, drifting clients", better="higher", bounds=(0.0, 1.0)
    ),
    "false_alarms": Metric(
        "Alarm rate of drift tests, other clients", better="lower", bounds=(0.0, 1.0)
    ),
}
"""Metrics by name."""
