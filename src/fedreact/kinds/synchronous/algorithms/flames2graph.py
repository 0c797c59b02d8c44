"""FLAMES2Graph (Younis, Hakmeh and Ahmadi 2023), which is not rebuilt."""

from dataclasses import dataclass

from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.task import Task


@dataclass(frozen=True)
class Flames2Graph(Algorithm):
    """A method without averaged weights; it is listed but cannot be compared at equal cost.

    Clients train CNNs of their own and upload graphs of clustered subsequences that activate them;
    the server joins the graphs, and a boosted tree on embeddings of their nodes predicts.
    """

    @staticmethod
    def skip(task: Task) -> str | None:
        """Say why nothing can be run, on any task."""
        return (
            "FLAMES2Graph averages no model: clients upload graphs of subsequences, and boosted "
            "trees on embeddings of the joint graph predict (its code fits them on test labels)"
        )


ALGORITHM = Flames2Graph
