"""Share of labels that are true and not predicted."""

from fedreact.metrics.confusion import samples
from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="False negatives, share of all labels of all windows",
    better="lower",
    bounds=(0.0, 1.0),
    decimals=4,
    kinds=("multi-label",),
    samples=samples,
    client=lambda means: means[..., 2],
)
