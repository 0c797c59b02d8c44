"""Encode all series of a dataset with a trained encoder, once."""

from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.command import log, parser, run
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.train import encode, gflops_of_features, make_encoder
from fedreact.errors import UserError


def main(args):
    """Read dataset and encoder, write the features ``float32 [N, F]``, and what they took."""
    data = SeriesDataset.load(args.data)
    saved = npz.load(args.encoder, "encoder", ["theta", "encoder", "costs"])
    encoder = make_encoder(str(saved["encoder"]), data.task.channels)
    theta = saved["theta"]
    if theta.shape != (encoder.n_parameters,):
        raise UserError(f"{args.encoder}: trained for other data than {args.data}")
    if theta.dtype != np.float32 or not np.isfinite(theta).all():
        raise UserError(f"{args.encoder}: weights must be float32, and finite")
    features = encode(data, encoder, theta)
    log.info("encoded %d series", len(features))
    with atomic(args.output) as path:
        each = gflops_of_features(encoder, data.task.steps)
        npz.save(path, features=features, costs=np.append(saved["costs"], each))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--encoder", type=Path, required=True, help="trained encoder, npz")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
