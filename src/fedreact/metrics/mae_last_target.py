"""Mean absolute error of the last target."""

from fedreact.metrics.mae import METRIC as OF_ALL
from fedreact.metrics.of_targets import of_target

METRIC = of_target(OF_ALL, "last")
