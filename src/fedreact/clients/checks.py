"""What of a partition makes results mean nothing, though it can be run."""

from fedreact.clients.partition import Partition


def findings(drawn: Partition) -> list[str]:
    """A sentence for each thing that is suspicious; none, if nothing is."""
    K, held = len(drawn.train), {samples.tobytes() for samples in drawn.train}
    if len(held) == K:
        return []
    return [f"{K} clients hold {len(held)} different train sets: some have identical samples."]


def whole_train_sets(drawn: Partition, samples_per_round: int) -> int:
    """Clients that have no more train samples than are drawn in a round."""
    return sum(len(samples) <= samples_per_round for samples in drawn.train)
