"""Which dataset stands for each role of data, and what is known of it before it is read."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fedreact import options, plugins
from fedreact.data import files, own
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError, known
from fedreact.resolve import variants
from fedreact.resolve.files import folder_of
from fedreact.task import Task

FOLDER = "data/sources"

V = TypeVar("V")


class Datasets:
    """The registered datasets, a user's own, and which of them is used for each role.

    Parameters
    ----------
    registry
        Registry of all papers' datasets.
    chosen
        Dataset by role, or ``auto``; a role that is missing is ``auto``.
    scale
        Name of the scale, which says how much is taken.
    like
        The scale that holds for a dataset of which nothing is said at ``scale``, or ``None``.
    data_folder, mirrors
        Where raw files are looked for.
    prepared
        Folders of datasets that are ready at this scale, as in their files' names.
    """

    def __init__(
        self,
        registry: Mapping[str, DatasetEntry],
        chosen: Mapping[str, str],
        scale: str,
        like: str | None,
        data_folder: Path,
        mirrors: Sequence[Path],
        prepared: set[str],
    ):
        self.registry, self.chosen, self.scale, self.like = registry, chosen, scale, like
        self.data_folder, self.mirrors, self.prepared = data_folder, tuple(mirrors), prepared
        self._of_role: dict[str, str] = {}
        self._tasks: dict[str, Task] = {}
        self._clients: dict[str, int | None] = {}
        self._missing: dict[str, str | None] = {}

    @property
    def roles(self) -> list[str]:
        """Roles that a registered dataset has, in their order."""
        return list(dict.fromkeys(e.role for e in self.registry.values() if e.role))

    def of_role(self, role: str) -> str:
        """Dataset that stands for a role, or the dataset of that name.

        Raises
        ------
        UserError
            Nothing has this role or name, or one of a dataset's files is missing.
        """
        if role not in self._of_role:
            self._of_role[role] = self._choose(role)
        return self._of_role[role]

    def _choose(self, role: str) -> str:
        """The one named, or the first that can be had: at hand, prepared before, or reachable.

        One that is prepared already can be had, so that a network that fails for once does not
        replace real data by simulated.
        """
        wanted = self.chosen.get(role, "auto")
        if wanted != "auto":
            self.check(wanted, f"config: the dataset of {role}")
            return wanted
        return self._by_itself(role)

    def _by_itself(self, role: str) -> str:
        candidates = [name for name, entry in self.registry.items() if entry.role == role]
        if (
            not candidates
        ):  # a dataset of this name, which may be missing: what needs it is left out
            return role
        return next((n for n in candidates if self._can_be_had(n)), candidates[-1])

    def others(self, of_scale: Mapping[str, str]) -> list[str]:
        """Datasets that were chosen by name and are none that would be taken by itself.

        ``of_scale`` are the datasets that the scale takes, by role.
        """
        chosen = [(role, name) for role, name in sorted(self.chosen.items()) if name != "auto"]
        return [n for role, n in chosen if n != (of_scale.get(role) or self._taken(role))]

    def _taken(self, role: str) -> str | None:
        try:
            return self._by_itself(role)
        except UserError:  # some of its files are missing
            return None

    def check(self, name: str, where: str) -> None:
        """Raise a ``UserError`` unless there is a dataset of this name, and as the scale says."""
        mine = own.names(self.data_folder)
        if name not in self.registry and name not in mine:
            names = [*self.registry, *mine]
            odd = own.misnamed(self.data_folder)
            raise UserError(
                f"{where}: {name!r} is unknown; known: {known(names, name)}; one of your own is "
                f"{own.path(self.data_folder, '<name>')}"
                + (f" (rename {', '.join(odd)}: names are of a-z, 0-9 and dashes)" if odd else "")
            )
        if name in self.registry:
            self.wanted(name)

    def _can_be_had(self, name: str) -> bool:
        entry = self.wanted(name)
        if not entry.files or files.locate(entry, self.data_folder, self.mirrors):
            return True
        first = next(iter(entry.files.values()))
        if first.url is None:
            folder = self.data_folder / name
            names = [n for file in entry.files.values() for n in file.names]
            if placed := [n for n in names if (folder / n).is_file()]:
                missing = files.missing_message(entry, self.data_folder, self.mirrors)
                raise UserError(f"{folder}: found {placed[0]}, but not all of {name}; {missing}")
        return folder_of(name) in self.prepared or (
            first.url is not None and files.reachable(first.url)
        )

    def missing(self, dataset: str) -> str | None:
        """Why a dataset cannot be had here; ``None`` if it can.

        One that the configuration names is wanted in any case: its own step says what is missing.
        """
        if dataset not in self._missing:
            self._missing[dataset] = self._why_missing(dataset)
        return self._missing[dataset]

    def _why_missing(self, dataset: str) -> str | None:
        name, _ = variants.parts(dataset)
        if folder_of(dataset) in self.prepared or name in self.chosen.values():
            return None
        if name not in self.registry:
            file = own.path(self.data_folder, name)
            known = ", ".join([*self.registry, *own.names(self.data_folder)])
            there = file.is_file()
            return (
                None if there else f"there is no dataset {name!r} (known: {known}), and no {file}"
            )
        if why := self.source(dataset).missing():
            return why
        if self._can_be_had(name):
            return None
        if any(file.url is None for file in self.wanted(dataset).files.values()):
            return f"{name} is not at hand; a person places its files (docs/howto/place_rtd.md)"
        return f"{name} cannot be downloaded now, nor is it at hand (docs/data.md)"

    def is_own(self, dataset: str) -> bool:
        """Whether a dataset is one of the user's own."""
        return variants.parts(dataset)[0] not in self.registry

    def entry(self, dataset: str) -> DatasetEntry:
        """Entry of a registered dataset."""
        return self.registry[variants.parts(dataset)[0]]

    def source(self, dataset: str) -> Source:
        """Reader of a registered dataset, with the options of the scale and its name's changes."""
        name, texts = variants.parts(dataset)
        cls = plugins.load(FOLDER, name, "SOURCE")
        where = f"{name}: options at scale {self.scale}"
        typed = {k: options.value_of(cls, k, v, where) for k, v in texts.items()}
        at_scale = self._at_scale(self.registry[name].scales) or {}
        return variants.apply(cls, at_scale, typed, where)

    def _at_scale(self, by_scale: Mapping[str, V]) -> V | None:
        if self.scale in by_scale or self.like is None:
            return by_scale.get(self.scale)
        return by_scale.get(self.like)

    def varied(self, dataset: str, changes: Mapping[str, Any]) -> str:
        """Name of a dataset whose reader has some options changed; those that it has are none.

        Raises
        ------
        UserError
            It has no such options.
        """
        if not changes:
            return dataset
        if self.is_own(dataset):
            raise UserError(f"data.{next(iter(changes))}: {dataset!r} has no options")
        before = self.source(dataset)
        where = f"data of {dataset}"
        now = variants.apply(type(before), options.vars_of(before), changes, where)
        return variants.text(dataset, options.changed(now, before))

    def wanted(self, dataset: str) -> DatasetEntry:
        """Entry of a registered dataset with the files that are needed."""
        entry = self.entry(dataset)
        try:
            return self.source(dataset).wanted(entry)
        except UserError as error:
            raise UserError(f"{dataset} at scale {self.scale}: {error}") from error

    def task(self, dataset: str) -> Task:
        """What a dataset is, as the registry or the headers of the user's file say."""
        if dataset not in self._tasks:
            name = variants.parts(dataset)[0]
            if name in self.registry:
                self._tasks[dataset] = self.registry[name].task
            else:
                file = own.path(self.data_folder, name)
                if not file.is_file():
                    raise UserError(
                        f"{file}: no such file; the dataset {name!r} would lie there. Import it "
                        "again, or remove what is about it from config/papers/"
                    )
                self._tasks[dataset] = own.task_of(file, name)
        return self._tasks[dataset]

    def owners(self, dataset: str) -> int | None:
        """Owners of series that a registered dataset has at this scale, if the registry says so."""
        entry = self.registry.get(variants.parts(dataset)[0])
        if entry is None:
            return None
        if self.scale in entry.scales:  # which may be of others than the scale that it is like
            return entry.owners.get(self.scale)
        return self._at_scale(entry.owners)

    def own_clients(self, dataset: str) -> int | None:
        """Clients that a dataset of the user's own names; ``None`` if it names none, or is gone."""
        name = variants.parts(dataset)[0]
        if name not in self._clients:
            file = own.path(self.data_folder, name)
            self._clients[name] = own.clients_of(file, name) if file.is_file() else None
        return self._clients[name]

    def options(self, dataset: str) -> dict[str, Any]:
        """Options of the reader that are not its defaults."""
        return {} if self.is_own(dataset) else options.changed(self.source(dataset))

    def pinned(self, dataset: str) -> str:
        """What the registry says of the files that a dataset is made of."""
        if self.is_own(dataset):
            return ""
        entry = self.wanted(dataset)
        return f"{entry.files} {entry.content_sha256}"

    def raw_digest(self, dataset: str) -> str | None:
        """SHA-256 of raw files that a person has placed and no registered digest pins."""
        name = variants.parts(dataset)[0]
        if name not in self.registry:
            paths = [own.path(self.data_folder, name)]
        else:
            entry = self.wanted(dataset)
            located = files.locate(entry, self.data_folder, self.mirrors) if entry.files else None
            pinned = entry.content_sha256 or all(f.sha256 for f in entry.files.values())
            if not located or pinned:
                return None
            paths = list(located.values())
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.read_bytes())
        return digest.hexdigest()
