"""Operations of a client's training; the rule is in :mod:`fedreact.studies.costs`."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="GFLOPs of a client's training, in all", decimals=1, counted=True)
