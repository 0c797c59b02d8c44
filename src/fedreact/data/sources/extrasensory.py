"""ExtraSensory: what 60 people were doing, minute by minute (Vaizman et al. 2017).

Y. Vaizman, K. Ellis, G. Lanckriet (2017), "Recognizing Detailed Human Context in the Wild from
Smartphones and Smartwatches", IEEE Pervasive Computing 16(4):62-74. A row a minute of 225 features
of sensors of a phone and a watch, and of 51 labels that people gave themselves, of which several
may be true. Labels and features have gaps. Windows are of rows, as the files have them: where
nothing was recorded for hours, the next row is hours later.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.sources.contract import Source
from fedreact.data.streams import (
    Stream,
    assemble,
    chosen,
    columns,
    filled,
    first_rows,
    numbered,
    numbers,
    scaled,
)
from fedreact.errors import UserError
from fedreact.options import Count, Natural, Share

NAME = "extrasensory"
FEATURES, LABELS = 225, 51


@dataclass(frozen=True)
class ExtraSensory(Source):
    """Windows of past minutes, each with the labels of a later one; an owner is a person.

    A value that is not known is the last one that was, and zero after scaling where there was none
    yet. A window is left out if no label at all is known of the minute that it is to predict.

    Attributes
    ----------
    people
        Numbers of people from 0 on, in the order of the registered files' names; ``null``: all.
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

    people: tuple[Natural, ...] | None = None
    rows: Count = 3000
    length: Count = 20
    horizon: Count = 1
    past_labels: bool = True
    unknown: Literal["forward", "false"] = "forward"
    train_share: Share = 0.6

    def wanted(self, entry):
        """Of the listed files those of the people."""
        return entry.only(chosen(entry, self.people))

    def read(self, raw, entry):
        """Read the files."""
        return self.windows(raw.values())

    def windows(self, paths) -> SeriesDataset:
        """The dataset of the people's files, in the order of their numbers.

        Raises
        ------
        UserError
            A file is damaged, or not of this dataset.
        """
        names, streams = None, {}
        for who, path in numbered(paths, self.people).items():
            cells = columns(path)
            streams[who] = self._stream(cells, path)
            names = names or list(cells)
            if list(cells) != names:
                raise UserError(
                    f"{path}: has other columns than the file before it; download it again"
                )
        return assemble(NAME, streams, self.length, self.horizon)

    def _stream(self, cells, path):
        labels = [name for name in cells if name.startswith("label:")]
        features = [n for n in cells if n not in (*labels, "timestamp", "label_source")]
        if "timestamp" not in cells or (len(features), len(labels)) != (FEATURES, LABELS):
            raise UserError(
                f"{path}: holds {len(features)} features and {len(labels)} labels, not "
                f"{FEATURES} and {LABELS} with a timestamp; download it again"
            )
        cells = first_rows(cells, "timestamp", self.rows, path)
        said = numbers(cells, labels, path)
        known = ~np.isnan(said)
        if not np.isin(said[known], (0, 1)).all():
            raise UserError(f"{path}: labels must be 0 or 1; download it again")
        true = (filled(said) if self.unknown == "forward" else said) == 1
        inputs = scaled(filled(numbers(cells, features, path)), self.train_share)
        if self.past_labels:
            inputs = np.concatenate([inputs, true.astype(np.float32)], axis=1)
        time = numbers(cells, ["timestamp"], path)[:, 0]
        return Stream(inputs, true, time, known.any(axis=1))


SOURCE = ExtraSensory
