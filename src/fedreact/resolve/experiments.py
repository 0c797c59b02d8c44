"""What the configuration asks for: papers, their settings, the data, and how much is run.

The parts of :class:`fedreact.resolve.plan.Plan` read it. It knows none of them.
"""

import logging
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from fedreact import options
from fedreact.data import own
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError, unknown
from fedreact.resolve.cells import Cells
from fedreact.resolve.config import Config, chosen_papers, load_scale
from fedreact.resolve.datasets import Datasets
from fedreact.resolve.files import Files
from fedreact.resolve.papers import FOLDER, main_role, paper_names
from fedreact.resolve.searches import Searches
from fedreact.resolve.settings import Settings
from fedreact.resolve.workload import Workload

log = logging.getLogger("fedreact")


class Experiments:
    """All papers under a configuration.

    Parameters
    ----------
    config
        Content of ``config/config.yaml`` with the command line's changes.

    Attributes
    ----------
    config, scale, how_much
        The checked configuration, the name of its scale, and what that scale says.
    results
        Folder of the scale's results.
    datasets, settings, files
        Which data stands for each role, the options of all settings, and the paths of files.
    papers, names
        Papers that the configuration names, and all papers.
    main_role
        Role of data whose dataset is chosen by ``dataset``, not by ``<role>_dataset``.

    Raises
    ------
    UserError
        One line: which file, which key, what is wrong, what is allowed.
    """

    def __init__(self, config: Mapping[str, Any]):
        if not isinstance(config, Mapping):
            raise UserError("config/config.yaml: wanted keys and values")
        by_role = {k: v for k, v in config.items() if str(k).endswith("_dataset")}
        rest = {k: v for k, v in config.items() if k not in by_role}
        self.config = options.check(Config, rest, "config")
        self.scale = self.config.scale
        self.how_much = load_scale(self.scale)
        self.results = f"results/{self.scale}"
        self.main_role = main_role()
        self.datasets = self._datasets(by_role)
        self.files = Files(self.results, "+".join(self.datasets.others(self.how_much.datasets)))
        self.settings = Settings(self.scale, self.datasets, self.how_much.like)
        self.papers = chosen_papers(self.config.papers)
        self.names = self._names(
            named=[] if self.config.papers in ("all", ["all"]) else self.papers
        )
        self.papers = [name for name in self.papers if name in self.names]
        self._workloads: dict[str, Workload] = {}

    def _datasets(self, by_role: Mapping[str, Any]) -> Datasets:
        registry = load_registry(*registries())
        roles = {entry.role for entry in registry.values() if entry.role}
        chosen = {self.main_role: self.config.dataset} if self.main_role else {}
        for key, name in by_role.items():
            role = key.removesuffix("_dataset")
            if role not in roles or not isinstance(name, str):
                keys = [f"{role}_dataset" for role in sorted(roles)]
                raise UserError(
                    f"config: {unknown(key, keys)}; each is the name of a dataset, or auto"
                )
            chosen[role] = name
        for role, name in self.how_much.datasets.items():
            if chosen.get(role, "auto") == "auto":
                chosen[role] = name
        prepared = {path.stem for path in Path(self.results, "data").glob("*.npz")}
        return Datasets(
            registry,
            chosen,
            self.scale,
            self.how_much.like,
            Path(self.config.data_folder),
            self.config.mirrors,
            prepared,
        )

    # ---- Papers --------------------------------------------------------------------------------

    def _names(self, named: Any) -> list[str]:
        """Return the papers, but for comparisons of data that is gone, unless they are named."""
        names = []
        for name in paper_names():
            if name not in named and (why := self._without_data(name)):
                log.warning(
                    "%s is left out: %s. Bring the file back, or remove the folder.",
                    FOLDER / name,
                    why,
                )
            else:
                names.append(name)
        return names

    def _without_data(self, name: str) -> str | None:
        """Say which data of a user's own comparison is not there; ``None`` if all is."""
        paper = self.settings.paper(name)
        if not paper.about.is_own:
            return None
        for spec in paper.partitions.values():
            dataset = self.datasets.of_role(spec.data)
            file = own.path(self.datasets.data_folder, dataset)
            if self.datasets.is_own(dataset) and not file.is_file():
                return f"{file} is missing"
        return None

    def workload(self, paper: str) -> Workload:
        """Runs that a paper asks for."""
        if paper not in self._workloads:
            cells = Cells(self.settings, self.settings.paper(paper))
            self._workloads[paper] = Workload(cells, Searches(cells))
        return self._workloads[paper]

    def cells(self, paper: str) -> Cells:
        """Cells of a paper's tables, figures and searches."""
        return self.workload(paper).cells

    @cached_property
    def tables(self) -> dict[str, tuple[str, str]]:
        """All tables by the names of their targets: their paper, and its name for them."""
        return self._named("tables")

    @cached_property
    def figures(self) -> dict[str, tuple[str, str]]:
        """All figures by the names of their targets: their paper, and its name for them."""
        return self._named("figures")

    @cached_property
    def searches(self) -> dict[str, tuple[str, str]]:
        """All searches by the names of their targets: their paper, and its name for them."""
        return self._named("searches")

    def _named(self, what: str) -> dict[str, tuple[str, str]]:
        targets: dict[str, tuple[str, str]] = {}
        for paper in self.names:
            content = self.settings.paper(paper)
            for name in getattr(content, what):
                target = f"{content.prefix}{name}"
                if target in targets:
                    raise UserError(f"{FOLDER / paper}: {target!r} is another paper's, too")
                targets[target] = paper, name
        return targets

    # ---- How much is run -----------------------------------------------------------------------

    def seeds(self, paper: str, kind: str, setting: str = "") -> tuple[int, ...]:
        """Seeds of a kind of run of a paper, on settings without own seeds or on the one named."""
        scale = self.settings.paper(paper).scale
        of_kind = scale.seeds.get(kind, self.how_much.seeds)
        return scale.seeds_of.get(setting.split("+")[0], {}).get(kind, of_kind)

    def table_seeds(self, paper: str) -> list[int]:
        """Seeds of all kinds of run in the tables of a paper."""
        scale = self.settings.paper(paper).scale
        seeds = {*self.how_much.seeds}
        for by_kind in (scale.seeds, *scale.seeds_of.values()):
            seeds.update(*by_kind.values())
        return sorted(seeds)

    def minutes(self, kind: str) -> int:
        """Minutes of a training on a cluster: of a kind of run, or of the encoder."""
        limits = self.how_much.minutes
        return limits.get(kind, limits["default"])

    @property
    def gpus(self) -> int:
        """GPUs that a training asks a cluster for: one if ``device`` is ``cuda``, not ``auto``."""
        return int(self.config.device == "cuda")
