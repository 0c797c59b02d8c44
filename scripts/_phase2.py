"""What the commands of Phase 2 read: samples, clients and the clients' task."""

from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.clustering.hierarchical import LINKAGES
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.partition import Partition
from fedreact.standardise import standardise
from fedreact.tasks import REGRESSORS, Classification, Regression


def add_arguments(p):
    """Add the arguments that both commands take."""
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--features", type=Path, required=True, help="features of all series, npz")
    p.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
    p.add_argument("--setting", required=True, help="name that the results carry")
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--feature-scaling", choices=["none", "standard"], default="none")
    p.add_argument("--C", type=float, default=1.0, help="of the SVM")
    p.add_argument("--loss", choices=["squared_hinge", "hinge"], default="squared_hinge")
    p.add_argument("--regressor", choices=REGRESSORS, default="ridge")
    p.add_argument("--penalty", type=float, default=1.0, help="of the linear regressor")
    p.add_argument("--linkage", choices=LINKAGES, default="ward")
    p.add_argument("--output", type=Path, required=True)


def read(args):
    """Read the dataset's name, features, targets, partition and task, and what Phase 1 took.

    For regression, features and targets are standardised over the clients' train samples.
    """
    data = SeriesDataset.load(args.data)
    drawn = Partition.load(args.partition)
    encoded = npz.load(args.features, "features file", ["features"])
    features, y = encoded["features"], data.y
    if features.dtype.kind != "f" or features.ndim != 2:
        raise UserError(
            f"{args.features}: features must be numbers [N, D], got {features.dtype} "
            f"{features.shape}"
        )
    largest = max(indices.max() for indices in drawn.train + drawn.test)
    if not largest < len(features) == len(y):
        raise UserError(
            f"{args.data}, {args.features} and {args.partition} are not of one dataset: they have "
            f"{len(y)}, {len(features)} and at least {largest + 1} series"
        )
    if not np.isfinite(features).all():
        bad = int(np.flatnonzero(~np.isfinite(features).all(1))[0])
        raise UserError(f"{args.features}: features of series {bad} are NaN or infinite")
    if args.feature_scaling == "standard" or data.regression:
        features, _ = standardise(features, drawn.train)
    if data.regression:
        y, unit = standardise(y, drawn.train)
        task = Regression(float(unit), args.penalty, args.regressor)
    else:
        task = Classification(int(y.max()) + 1, args.C, args.loss)
    return data.name, features, y, drawn, task, encoded.get("costs", [np.nan, np.nan])
