"""Names of rows, columns and datasets for readers, by the data that is in them.

A csv keeps the labels of its paper, by which published values are found.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from fedreact.data.registry import DatasetEntry


def display(label: str, data: str, names_of_data: Mapping[str, str]) -> str:
    """Name a row or column by the dataset that its numbers come from.

    Parameters
    ----------
    label
        The paper's, e.g. ``"RTD - 10 clients"``.
    data
        Name of the dataset, e.g. ``"pendigits"``.
    names_of_data
        The paper's name of each role of data (``names_of_data`` of ``paper.yaml``).

    Returns
    -------
    str
        ``"Digits (pendigits; paper: RTD), 10 clients"``, or ``"RTD, 10 clients"`` of the paper's
        own data. A label without the paper's name for its data stays as it is.
    """
    names = {name: role for role, name in names_of_data.items()} | {data: data}
    for name in sorted(names, key=len, reverse=True):
        if match := re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", label):
            break
    else:
        return label
    shown, rest = _shown(name, names[name], data), label[match.end() :]
    if rest.startswith(" - "):
        rest = f", {rest[3:]}"
    elif shown != name and re.match(r" \w", rest):
        rest = f",{rest}"
    return label[: match.start()] + shown + rest


def _shown(name: str, role: str, data: str) -> str:
    """Name the data of a role in a label, and the dataset that stands in for the paper's."""
    base = data.split("+")[0]
    if _plain(name) == _plain(base):
        return name
    if role == base or _plain(role) == _plain(name):
        return f"{name} ({base})"
    return f"{role[0].upper()}{role[1:]} ({data}; paper: {name})"


def _plain(name: str) -> str:
    """Return a name in small letters, without what joins its words."""
    return re.sub(r"[-_ ]", "", name.lower())


@dataclass(frozen=True)
class Names:
    """Names of the data of a paper's tables.

    Attributes
    ----------
    of_roles
        The paper's name of each role of data.
    titles
        Title of each dataset, a few words.
    """

    of_roles: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def registered(
        cls, of_roles: Mapping[str, str], registry: "Mapping[str, DatasetEntry]"
    ) -> "Names":
        """Make names with the titles of all registered datasets."""
        return cls(of_roles, {name: entry.title for name, entry in registry.items()})

    def label(self, label: str, data: str) -> str:
        """Name a row or column, see :func:`display`."""
        return display(label, data, self.of_roles)

    def labels(self, cells: "pd.DataFrame", side: str) -> dict[str, str]:
        """Name the rows or columns of cells, by their labels there.

        Where rows hold several datasets, each row names its own.
        """
        rebuilt = cells[cells["n_seeds"] > 0]
        several = side == "row" and rebuilt["data"].nunique() > 1
        data_of = {label: list(dict.fromkeys(d)) for label, d in rebuilt.groupby(side)["data"]}
        names = {}
        for label in dict.fromkeys(cells[side]):
            data = data_of.get(label, [])
            names[label] = self.label(label, data[0]) if len(data) == 1 else label
            if several and data and not self._named(names[label], data):
                names[label] = f"{names[label]} ({', '.join(data)})"
        return names

    def _named(self, label: str, data: Sequence[str]) -> bool:
        """Say whether a label names its data, by whatever name."""
        known = [*data, *(name for role, name in self.of_roles.items() if role in data)]
        return any(_plain(name) in _plain(label) for name in known)

    def datasets(self, names: Iterable[str]) -> str:
        """Name datasets by their titles; these end at the first comma if there are several."""
        different = list(dict.fromkeys(names))
        titles = [self._dataset(name, short=len(different) > 1) for name in different]
        return " and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles)

    def _dataset(self, name: str, short: bool) -> str:
        title = self.titles.get(name.split("+")[0])
        if title is None:
            return name
        first = title.split(",")[0]
        shown = first if short else title
        return shown if _plain(first) == _plain(name) else f"{shown} ({name})"


UNNAMED = Names()
"""For tables whose paper does not name its data."""
