"""Describe a dataset of your own, and warn of what would make results meaningless; run nothing.

Clients are those that the file names; without any, deal its series to clusters
(docs/howto/own_data.md).
"""

from pathlib import Path

import numpy as np

from fedreact.clients import checks as of_clients
from fedreact.clients.partitioners.owner import Owner
from fedreact.command import parser, run
from fedreact.data import checks as of_data
from fedreact.data import own
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError
from fedreact.kinds.clustered.spec import Options


def main(args):
    """Read it, deal its clients, print."""
    own.check_name(args.file.stem, load_registry(*(p for p in registries() if p.exists())))
    data = own.read(args.file, args.file.stem)
    task = data.task
    what = "targets" if task.kind == "regression" else "labels"
    print(
        f"{args.file}: {len(data.X)} series of {task.channels} channels and {task.steps} steps; "
        f"{task.kind}, {task.outputs} {what}"
    )
    sentences = of_data.findings(data)
    if data.owner is None:
        print("The data names no clients.")
    else:
        split = "random" if data.tested is None else "source"
        try:
            drawn = Owner(test_share=args.test_share, split=split).deal(data, 0)
        except UserError as error:
            raise UserError(f"{error} [in {args.file}]") from error
        sizes = np.array([len(samples) for samples in drawn.train])
        print(
            f"{len(sizes)} clients, with {sizes.min()} to {sizes.max()} train samples, "
            f"{np.median(sizes):.0f} in the median"
            + (", by its array tested (split: source)" if split == "source" else "")
        )
        sentences += of_clients.findings(drawn, data.y)
        if whole := of_clients.whole_train_sets(drawn, args.samples_per_round):
            sentences.append(
                f"A round of {args.samples_per_round} samples takes all that {whole} of "
                f"{len(sizes)} clients have: set samples_per_round to less."
            )
        sentences.append("The true clusters are unknown: set n_clusters to the number to find.")
    for sentence in sentences:
        print(f"note: {sentence}")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("file", type=Path, help="data/own/<name>.npz, or a file to place there")
    samples, share = Options().samples_per_round, Owner().test_share
    p.add_argument("--samples-per-round", type=int, default=samples, help="labelled ones")
    p.add_argument("--test-share", type=float, default=share, help="share of the test set")
    run(main, p)
