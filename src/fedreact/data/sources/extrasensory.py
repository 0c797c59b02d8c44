"""ExtraSensory: what 60 people were doing, minute by minute (Vaizman et al. 2017).

Y. Vaizman, K. Ellis, G. Lanckriet (2017), "Recognizing Detailed Human Context in the Wild from
Smartphones and Smartwatches", IEEE Pervasive Computing 16(4):62-74. A row a minute of 225 features
of sensors of a phone and a watch, and of 51 labels that people gave themselves, of which several
may be true. Labels and features have gaps. Windows are of rows, as the files have them: where
nothing was recorded for hours, the next row is hours later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.streams import (
    Cells,
    Stream,
    StreamsOfPeople,
    assemble,
    filled,
    first_rows,
    read_columns,
    scaled,
    to_numbers,
)
from fedreact.errors import UserError
from fedreact.options import Count, Share

NAME = "extrasensory"
FEATURES, LABELS = 225, 51


@dataclass(frozen=True)
class ExtraSensory(StreamsOfPeople):
    """Windows of past minutes, each with the labels of a later one; an owner is a person.

    A value that is not known is the last one that was, and zero after scaling where there was none
    yet. A window is left out if no label at all is known of the minute that it is to predict.

    Attributes
    ----------
    rows
        Rows per person, the first ones.
    length
        Rows of a window.
    horizon
        Rows between a window's last row and its labels.
    past_labels
        Whether the labels of a window's rows are channels.
    unknown
        Missing labels: repeat the last known one (``forward``), or not true (``false``).
    train_share
        Share of a person's rows, the first ones, that defines the range by which features are
        scaled to [0, 1].
    """

    rows: Count = 3000
    length: Count = 20
    horizon: Count = 1
    past_labels: bool = True
    unknown: Literal["forward", "false"] = "forward"
    train_share: Share = 0.6

    def windows(self, paths: Sequence[Path]) -> SeriesDataset:
        """Make the dataset of the people's files, in the order of their numbers.

        Raises
        ------
        UserError
            A file is damaged, or not of this dataset.
        """
        names: list[str] = []
        streams = {}
        for number, path in self.numbered(paths).items():
            cells = read_columns(path)
            streams[number] = self._stream(cells, path)
            names = names or list(cells)
            if list(cells) != names:
                raise UserError(
                    f"{path}: has other columns than the file before it; download it again"
                )
        return assemble(NAME, streams, self.length, self.horizon)

    def _stream(self, cells: Cells, path: Path) -> Stream:
        labels = [name for name in cells if name.startswith("label:")]
        features = [n for n in cells if n not in (*labels, "timestamp", "label_source")]
        if "timestamp" not in cells or (len(features), len(labels)) != (FEATURES, LABELS):
            raise UserError(
                f"{path}: holds {len(features)} features and {len(labels)} labels, not "
                f"{FEATURES} and {LABELS} with a timestamp; download it again"
            )
        cells = first_rows(cells, "timestamp", self.rows, path)
        values = to_numbers(cells, labels, path)
        known = ~np.isnan(values)
        if not np.isin(values[known], (0, 1)).all():
            raise UserError(f"{path}: labels must be 0 or 1; download it again")
        true = (filled(values) if self.unknown == "forward" else values) == 1
        inputs = scaled(filled(to_numbers(cells, features, path)), self.train_share)
        if self.past_labels:
            inputs = np.concatenate([inputs, true.astype(np.float32)], axis=1)
        time = to_numbers(cells, ["timestamp"], path)[:, 0]
        return Stream(inputs, targets=true, time=time, wanted=known.any(axis=1))


SOURCE = ExtraSensory
