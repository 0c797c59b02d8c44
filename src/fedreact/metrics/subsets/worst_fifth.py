"""The fifth of the clients, rounded up, whose scores are worst."""

from fedreact.metrics.subsets.contract import ClientSubset
from fedreact.metrics.subsets.ranks import worst

SUBSET = ClientSubset("the worst fifth of the clients", worst(5))
