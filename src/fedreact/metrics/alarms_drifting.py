"""How often clients whose data changes find that it does."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Share of the tests that find drift, of clients that drift",
    better="higher",
    bounds=(0.0, 1.0),
)
