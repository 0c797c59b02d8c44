"""FedAvg (McMahan et al. 2017). Algorithm 1 of Fed-REACT is FedAvg on the contrastive loss."""

from dataclasses import dataclass

from fedreact.kinds.synchronous.contract import Algorithm


@dataclass(frozen=True)
class FedAvg(Algorithm):
    """Clients train the global model and keep nothing."""

    def local(self, training, sent, state, work):
        """Algorithm 1, lines 3-7; line 8 is the server's."""
        start = work.of_each(sent["theta"])
        return {"theta": training.descend(start, work, training.draw(work))}, state


ALGORITHM = FedAvg
