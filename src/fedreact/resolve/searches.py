"""Searches: which cells each compares, and which of its candidates the configuration takes."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from fedreact import options
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.cells import Cell, Cells
from fedreact.resolve.entries import SearchSpec


class Searches:
    """Searches of a paper.

    Parameters
    ----------
    cells
        Cells of the paper.
    """

    def __init__(self, cells: Cells):
        self.cells = cells

    def compared(self, name: str) -> list[Cell]:
        """Methods under all options that a search compares, on all its settings.

        Its jobs are its own, beside those of tables: they have other methods.
        """
        spec = self.cells.paper.searches[name]
        cells: list[Cell] = []
        try:
            for asked in spec.settings:
                setting = dict(asked) if isinstance(asked, Mapping) else {"setting": asked}
                if not isinstance(setting.get("setting"), str):
                    raise UserError(f"settings: {options.shown(asked)} names no setting")
                for kind, method in self._candidates(spec):
                    cells.append(self._searched(setting, name, kind, method))
        except UserError as error:
            raise UserError(f"{self.cells.where('search', name)}: {error}") from None
        return cells

    def _searched(
        self, asked: Mapping[str, Any], name: str, kind: str, method: runs.Method
    ) -> Cell:
        changes = {k: v for k, v in asked.items() if k not in variants.MARKS}
        of_run = self.cells.settings.run(self.cells.paper.name, kind, asked["setting"], changes)
        return self.cells.of_method(kind, asked["setting"], changes, method, of_run, f"{name}-")

    def taken(self, name: str) -> list[str]:
        """Variants of a search that the configuration takes."""
        names: list[str] = []
        for base, grid in self.cells.paper.searches[name].grids.items():
            kind, method = self.cells.method(base)
            spec = runs.part_of(kind, "spec")
            better = self.cells.paper.scale.tuned.get(spec.job(method, spec.Options()), {})
            own = runs.algorithm_options(kind, method.algorithm)
            values = options.defaults(spec.Options) | (options.defaults(own) if own else {})
            values |= {**method.options, **method.of_run, **better}
            chosen = {key: values[key] for key in grid if key in values}
            if len(chosen) == len(grid):
                names.append(variants.of_method(kind, method, chosen).name)
        return names

    def _candidates(self, spec: SearchSpec) -> Iterator[tuple[str, runs.Method]]:
        """Methods of a search with all combinations of options."""
        for name, grid in spec.grids.items():
            kind, method = self.cells.method(name)
            for values in itertools.product(*grid.values()):
                yield kind, variants.of_method(kind, method, dict(zip(grid, values)))
