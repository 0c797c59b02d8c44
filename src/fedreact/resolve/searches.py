"""Searches: which cells each compares, and which of its candidates the configuration takes."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from fedreact import options
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.cells import Cell, Cells


@dataclass(frozen=True)
class Candidate:
    """A method of a search with one combination of the options of its grid.

    Attributes
    ----------
    name
        Name of the method with these options.
    key
        The grid's key: the method, with changes of its setting, if any.
    values
        These options.
    kind, method
        Its kind of run, and the method with those of the options that are its own.
    changes
        Changes of the setting: those of the key, and the other options.
    """

    name: str
    key: str
    values: Mapping[str, Any]
    kind: str
    method: runs.Method
    changes: Mapping[str, Any]


class Searches:
    """Searches of a paper.

    Parameters
    ----------
    cells
        Cells of the paper.
    """

    def __init__(self, cells: Cells):
        self.cells = cells

    def compared(self, name: str) -> dict[tuple[str, str], Cell]:
        """All candidates on all settings of a search, by the names of both.

        Its jobs are its own, beside those of tables: they have other methods.
        """
        return {(row, one.name): cell for row, one, cell in self._compared(name)}

    def by_dataset(self, name: str) -> dict[str, str]:
        """Datasets of a search by the names of its settings.

        Raises
        ------
        UserError
            Two settings are on one dataset.
        """
        found = {row: variants.parts(cell.data)[0] for row, _, cell in self._compared(name)}
        if len(set(found.values())) < len(found):
            raise UserError(
                f"{self.cells.where('search', name)}: two settings are on one dataset; with "
                "by_dataset: true each dataset has one setting"
            )
        return found

    def _compared(self, name: str) -> Iterator[tuple[str, Candidate, Cell]]:
        spec, settings = self.cells.paper.searches[name], self.cells.settings
        paper = self.cells.paper.name
        try:
            candidates = list(self.candidates(name))
            for asked in spec.settings:
                setting = dict(asked) if isinstance(asked, Mapping) else {"setting": asked}
                if not isinstance(base := setting.get("setting"), str):
                    raise UserError(f"settings: {options.shown(asked)} names no setting")
                own = {k: v for k, v in setting.items() if k not in variants.MARKS}
                for one in candidates:
                    changes = {**own, **one.changes}
                    of_run = settings.run(paper, one.kind, base, changes)
                    cell = self.cells.of_method(
                        one.kind, base, changes, one.method, of_run, f"{name}-"
                    )
                    if not cell.skipped:
                        yield settings.canonical(paper, one.kind, base, own), one, cell
        except UserError as error:
            raise UserError(f"{self.cells.where('search', name)}: {error}") from None

    def taken(self, name: str) -> list[str]:
        """Variants of a search that the configuration takes for all datasets."""
        names: list[str] = []
        if self.cells.paper.searches[name].by_dataset:
            return names
        for base, grid in self.cells.paper.searches[name].grids.items():
            kind, method = self.cells.method(base)
            spec = runs.part_of(kind, "spec")
            better = self.cells.paper.scale.tuned.get(spec.job(method, spec.Options()), {})
            own = runs.algorithm_options(kind, method.algorithm)
            values = options.defaults(spec.Options) | (options.defaults(own) if own else {})
            values |= {**method.options, **method.of_run, **better}
            chosen = {key: values[key] for key in grid if key in values}
            if len(chosen) == len(grid):
                names.append(variants.text(method.name, chosen) if chosen else method.name)
        return names

    def candidates(self, name: str) -> Iterator[Candidate]:
        """Methods of a search with all combinations of options, in the order of the grids.

        An option that neither the algorithm has nor a method may set for itself is one of the run:
        it changes the setting.
        """
        for key, grid in self.cells.paper.searches[name].grids.items():
            base, texts = variants.parts(key)
            changes = {k: yaml.safe_load(v) for k, v in texts.items()}
            kind, method = self.cells.method(base)
            own = variants.own_options(kind, method)
            shown = ", ".join([method.name, *(f"{k}={v}" for k, v in texts.items())])
            for combination in itertools.product(*grid.values()):
                values = dict(zip(grid, combination))
                of_method = {k: v for k, v in values.items() if k in own}
                of_setting = {k: v for k, v in values.items() if k not in own}
                yield Candidate(
                    variants.text(shown, values),
                    key,
                    values,
                    kind,
                    variants.of_method(kind, method, of_method),
                    {**changes, **of_setting},
                )
