"""Encode all series of a dataset with a trained encoder, once."""

from pathlib import Path

import numpy as np
import torch
from _cli import atomic, log, parser, run
from _encoders import make_encoder

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

BATCH = 128


def main(args):
    """Read dataset and encoder, write the features ``float32 [N, F]`` and what training took."""
    data = SeriesDataset.load(args.data)
    saved = npz.load(args.encoder, "encoder", ["theta", "encoder", "costs"])
    encoder = make_encoder(str(saved["encoder"]), data.X.shape[1])
    if saved["theta"].shape != (encoder.n_parameters,):
        raise UserError(f"{args.encoder}: trained for other data than {args.data}")
    theta = torch.from_numpy(saved["theta"])[None]
    torch.set_num_threads(1)
    X = torch.from_numpy(np.ascontiguousarray(data.X.transpose(2, 0, 1)))
    with torch.inference_mode():
        features = [
            encoder.encode(theta, X[None, :, first : first + BATCH])[0].numpy()
            for first in range(0, X.shape[1], BATCH)
        ]
    log.info("encoded %d series", X.shape[1])
    with atomic(args.output) as path:
        npz.save(path, features=np.concatenate(features), costs=saved["costs"])


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--encoder", type=Path, required=True, help="trained encoder, npz")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
