"""Size of a model."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Weights of all clients and the server", decimals=0, counted=True)
