"""Phase 1: train the shared encoder by federated contrastive learning (Algorithm 1).

Writes its weights and name, and the local steps, GFLOPs and megabytes of a client's training.
Progress is kept after each round; the same command resumes an interrupted training and ends in the
same weights, bit for bit.
"""

from pathlib import Path

import numpy as np

from fedreact import npz, options, provenance
from fedreact.atomic import atomic
from fedreact.clients.partition import Partition
from fedreact.command import parser, run
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.spec import Options
from fedreact.encoding.train import train, work
from fedreact.engine.place import Place


def main(args):
    """Train, with a checkpoint after each round."""
    data = SeriesDataset.load(args.data)
    partition = Partition.load(args.partition, len(data.y))
    of_training = options.from_words(Options, args, "encoder")
    checkpoint = args.checkpoint or args.output.with_suffix(".checkpoint.npz")
    place = Place(args.device, args.workers, checkpoint)
    what = f"encoder {args.partition.parent.name}, seed {args.seed}"
    theta, costs = train(data, partition, of_training, args.seed, what, place)
    with atomic(args.output) as path:
        npz.save(path, theta=theta, encoder=np.array(of_training.encoder), costs=costs)
    place.clear()
    sizes = [len(partition.train[k]) for k in partition.members]
    provenance.note_work(work(of_training, data.task, sizes))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
    p.add_argument("--seed", type=int, required=True)
    options.add_arguments(p, Options)
    p.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--workers", type=int, default=1, help="number of processes on the CPU")
    p.add_argument(
        "--checkpoint", type=Path, help="checkpoint, kept while training (default: beside output)"
    )
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
