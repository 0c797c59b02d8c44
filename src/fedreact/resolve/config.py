"""What a user chooses: ``config/config.yaml``, and how much is run:
``config/scales/<scale>.yaml``."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fedreact import options
from fedreact.data import files
from fedreact.errors import UserError, known, unknown
from fedreact.reading import read_yaml
from fedreact.resolve.papers import paper_names

SCALES = Path("config/scales")


@dataclass(frozen=True)
class Config:
    """``config/config.yaml``, with the command line's changes.

    Attributes
    ----------
    papers
        Papers to build: names, one name, or ``all``.
    dataset
        Dataset of the main paper's role of data; ``<role>_dataset`` is that of another role.
    benchmark_kept
        Whether the benchmark's page takes its own tables from the kept run in ``reference/``, so
        that only what you have added is built.
    data_mirror
        Folders with copies of raw files, or one. Without any, those that the environment variable
        ``FEDREACT_DATA_MIRROR`` names.
    """

    scale: str
    papers: Any
    dataset: str = "auto"
    data_folder: str = "data"
    data_mirror: str | tuple[str, ...] | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    benchmark_kept: bool = False

    @property
    def mirrors(self) -> tuple[Path, ...]:
        """Folders with copies of raw files, the first to be looked in first.

        Raises
        ------
        UserError
            The path of one has the character that separates folders in the environment variable.
        """
        stated = self.data_mirror
        if not stated:
            return files.mirrors(os.environ.get(files.MIRRORS))
        folders = (stated,) if isinstance(stated, str) else stated
        if wrong := [folder for folder in folders if not folder or os.pathsep in folder]:
            raise UserError(
                f"config: data_mirror: {wrong[0]!r} is no folder; wanted a path without "
                f"{os.pathsep!r}, or a list of such paths"
            )
        return tuple(map(Path, folders))


@dataclass(frozen=True)
class Scale:
    """``config/scales/<scale>.yaml``.

    Attributes
    ----------
    seeds
        Seeds of every setting, unless its paper has others.
    threads
        Largest number of threads per training.
    minutes
        Limit of a training on a cluster, by kind of run, or ``default``.
    datasets
        Dataset by role, in place of ``auto``.
    about
        The first thing that a reader of the results must know.
    like
        Another scale: papers run as at that one, except for their own files of this scale.
    """

    seeds: tuple[options.Natural, ...]
    threads: options.Count
    minutes: dict[str, options.Count]
    datasets: dict[str, str] = field(default_factory=dict)
    about: str = ""
    like: str | None = None


def load_scale(name: str) -> Scale:
    """Read and check a scale."""
    path = SCALES / f"{name}.yaml"
    scales = sorted(path.stem for path in SCALES.glob("*.yaml"))
    if name not in scales:
        raise UserError(f"config: scale: {name!r} is unknown; known scales: {known(scales, name)}")
    scale = options.check(Scale, read_yaml(path), str(path))
    if not scale.seeds or len(set(scale.seeds)) < len(scale.seeds):
        raise UserError(f"{path}: seeds: wanted one or more, all different")
    if "default" not in scale.minutes:
        raise UserError(f"{path}: minutes: default is missing")
    if scale.like is not None and scale.like not in scales:
        raise UserError(f"{path}: like: {unknown(scale.like, scales)}")
    return scale


def chosen_papers(value: Any) -> list[str]:
    """Names of the papers that the configuration asks for."""
    there = paper_names()
    wanted = value.split(",") if isinstance(value, str) else value
    if wanted == ["all"]:
        return there
    if not isinstance(wanted, list | tuple) or not wanted:
        raise UserError(f"config: papers: wanted names or all, got {options.shown(value)}")
    for name in wanted:
        if name not in there:
            raise UserError(f"config: papers: {unknown(name, [*there, 'all'])}")
    return list(wanted)
