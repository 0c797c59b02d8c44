"""Metrics that runs record themselves: here is only how they are shown.

An edit of this table re-runs the tables, figures and claims that show one of them, and no run.
"""

from fedreact.metrics.contract import INF, Metric

_MEGABYTES = {"better": "lower", "bounds": (0.0, INF), "counted": True}
_COUNT = {"decimals": 0, "counted": True}

RECORDED: dict[str, Metric] = {
    # What training takes, of a client on average; fedreact.studies.costs has the rules.
    "bytes": Metric("Megabytes between a client and the server, in all", **_MEGABYTES),
    "bytes_up": Metric("Megabytes that a client uploads, in all", **_MEGABYTES),
    "bytes_down": Metric("Megabytes that a client receives, in all", **_MEGABYTES),
    # With models that nobody would train; each method of that table has its number of them.
    "bytes_down_heard": Metric(
        "Megabytes that a client receives, in all, counted as in Table 6.3 of FedConD",
        **_MEGABYTES,
    ),
    "gflops": Metric("GFLOPs of a client's training, in all", decimals=1, counted=True),
    "steps": Metric("Gradient steps of a client's models, in all", **_COUNT),
    "minutes": Metric("Simulated minutes", better="lower", bounds=(0.0, INF), decimals=1),
    "n_weights": Metric("Weights of all clients and the server", **_COUNT),
    "costs": Metric("Costs"),  # of a study without a run
    # What a setting consists of.
    "n_clients": Metric("Clients", **_COUNT),
    "n_channels": Metric("Channels", **_COUNT),
    "n_steps": Metric("Steps per series", **_COUNT),
    "n_labels": Metric("Labels", **_COUNT),
    "n_train": Metric("Train series", **_COUNT),
    "n_test": Metric("Test series", **_COUNT),
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
"""By name."""
