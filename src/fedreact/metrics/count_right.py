"""Share of rounds in which a criterion finds the right number of clusters; runs record it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Right number of clusters, share of rounds", better="higher", bounds=(0.0, 1.0)
)
