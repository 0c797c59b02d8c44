"""The fifth of the clients, rounded up, whose scores are best."""

from fedreact.metrics.subsets.contract import ClientSubset
from fedreact.metrics.subsets.ranks import best

SUBSET = ClientSubset("the best fifth of the clients", best(5))
