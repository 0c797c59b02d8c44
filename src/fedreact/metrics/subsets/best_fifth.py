"""The fifth of the clients, rounded up, whose scores are best."""

from fedreact.metrics.subsets.contract import Clients
from fedreact.metrics.subsets.ranks import best

SUBSET = Clients("the best fifth of the clients", best(5))
