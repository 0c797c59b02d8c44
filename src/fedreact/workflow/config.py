"""Configuration of the workflow: reading, checking, and the slice that each step gets.

``config/config.yaml`` says what the user chooses, ``config/scales/<scale>.yaml`` how much is run,
``config/experiments.yaml`` what the papers ran, ``config/outputs.yaml`` what is made of it, and
``config/assumptions.yaml`` what had to be assumed.
"""

import hashlib
import itertools
import json
import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from fedreact.data import eegmmidb, files
from fedreact.data import own as own_data
from fedreact.data.sumo_ev.regions import REGIONS
from fedreact.errors import UserError
from fedreact.paper.layout import cells_of, untuned
from fedreact.provenance import TOLD
from fedreact.variants import assignments, split_variant
from fedreact.workflow import own
from fedreact.workflow.digest import code_digest, registered
from fedreact.workflow.reading import read_yaml

ALGORITHMS = registered("fedreact.federated.algorithms", "ALGORITHMS")
METHODS = registered("fedreact.methods", "METHODS")
VARIANTS = registered("fedreact.models.causal_cnn", "VARIANTS")
ARCHITECTURES = registered("fedreact.models.supervised", "ARCHITECTURES")

SCHEMAS = Path("workflow/schemas")

DIGITS = ("rtd", "pendigits", "air-writing-sim")
"""Sources of the digits."""

SCALED = ("eeg", "sumo")
"""Kinds of data of which a scale has sizes of their own; a user's data goes by those of digits."""

SHOWN = {"spectrogram": "eeg", "digits": "digits", "trip": "sumo", "thermometer": "sumo"}
"""Kind of data that figures of data show, by the figure's kind."""


def check(content: Any, schema: str, where: str, part: str | None = None) -> None:
    """Check content against ``workflow/schemas/<schema>.schema.yaml``, or a part of that.

    Raises
    ------
    UserError
        One line: which file, which key, what is wrong, what is allowed.
    """
    if (odd := _odd_key(content)) is not None:
        raise UserError(f"{where}: the key {odd} is not a text; put it in quotes")
    validator = _validator((SCHEMAS / f"{schema}.schema.yaml").resolve(), part)
    error = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if error is None:
        return
    key = ".".join(map(str, error.absolute_path)) or "the top level"
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))
        raise UserError(
            f"{where}: unknown key {', '.join(map(str, unknown))} at {key}; "
            f"known keys: {', '.join(known)}"
        )
    raise UserError(f"{where}: {key}: {error.message}")


def _odd_key(content):
    """A key that is not a string, anywhere; names of all kinds are strings."""
    if isinstance(content, list):
        return next((odd for c in content if (odd := _odd_key(c)) is not None), None)
    if not isinstance(content, dict):
        return None
    odd = [key for key in content if not isinstance(key, str)]
    return str(odd[0]) if odd else _odd_key(list(content.values()))


@cache
def _validator(path: Path, part: str | None) -> jsonschema.Draft202012Validator:
    schema = read_yaml(path)
    return jsonschema.Draft202012Validator(schema["properties"][part] if part else schema)


@dataclass(frozen=True)
class Plan:
    """The checked configuration of one run of the workflow.

    Attributes
    ----------
    scale
        Name of the scale.
    datasets
        Name of the source that is used, for each kind of data: ``digits``, ``eeg``, ``sumo``, and
        the names of the user's datasets that partitions use.
    registry
        Content of ``config/datasets.yaml``.
    data_folder, mirror
        Where raw files are looked for; ``mirror`` may be ``None``.
    how_much
        Content of the scale's file.
    experiments, outputs, assumptions
        Content of their files.
    device
        Where Phase 1 trains.
    """

    scale: str
    datasets: dict[str, str]
    registry: dict[str, files.DatasetEntry]
    data_folder: str
    mirror: str | None
    how_much: dict
    experiments: dict
    outputs: dict
    assumptions: dict
    device: str

    @property
    def dataset(self) -> str:
        """Name of the digits' source."""
        return self.datasets["digits"]

    def kind_of(self, partition: str) -> str:
        """Kind of data that a partition, or a variant of it, is of."""
        return self.experiments["partitions"][split_variant(partition)[0]].get("data", "digits")

    def dataset_of(self, setting: str) -> str:
        """Name of the source of a setting's data."""
        return self.datasets[self.kind_of(self.partition_name(setting))]

    def partition_name(self, setting: str) -> str:
        """Partition of a setting, or of a variant of one."""
        return self.experiments["settings"][split_variant(setting)[0]]["partition"]

    @property
    def results(self) -> str:
        """Folder of this scale's results."""
        return f"results/{self.scale}"

    @property
    def seeds(self) -> list[int]:
        """Seeds that every setting is run with."""
        return self.how_much["seeds"]

    def raw_digest(self, dataset: str) -> str | None:
        """SHA-256 of raw files that a person has placed and no registered digest pins."""
        if dataset not in self.registry:
            return hashlib.sha256(own_data.path(self.data_folder, dataset).read_bytes()).hexdigest()
        entry = self.registry[dataset]
        mirror = Path(self.mirror) if self.mirror else None
        found = files.locate(entry, Path(self.data_folder), mirror)
        if not found or entry.content_sha256:
            return None
        digest = hashlib.sha256()
        for path in found.values():
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def data_options(self, dataset: str) -> dict:
        """Options of ``scripts/prepare_data.py`` for a dataset; a user's is taken whole."""
        if dataset not in self.registry:
            return {}
        digits = {"per_label": self.how_much["per_label"]}
        return self.how_much["eeg"].get(dataset, digits)

    def partition_options(self, partition: str) -> dict:
        """Options of ``scripts/make_partition.py``."""
        spec, kind = dict(self.experiments["partitions"][partition]), self.kind_of(partition)
        spec.pop("data", None)
        if kind in SCALED:
            spec |= self.how_much[kind].get("partition", {})
        else:
            spec = self.experiments["partition"] | self.how_much["partition"] | spec
        if "labels" in spec:
            spec["labels"] = [",".join(map(str, own)) for own in spec["labels"]]
        return spec

    def phase1_options(self, encoder: str) -> dict:
        """Options of ``scripts/train_encoder.py`` for a partition or a variant of one."""
        changes = split_variant(encoder)[1]
        kind = self.kind_of(encoder)
        here = self.how_much[kind] if kind in SCALED else self.how_much
        options = self.experiments["phase1"] | here["phase1"]
        rate = options.pop("dtssgd_learning_rate")
        if changes.get("optimizer") == "dtssgd":
            options |= self.how_much["dtssgd"] | {"learning_rate": rate}
        return options | changes

    def phase2_options(self, setting: str) -> dict:
        """Options of ``scripts/run_phase2.py`` for a setting or a variant of one."""
        base, changes = split_variant(setting)
        spec, methods = self.experiments["settings"][base], self.experiments["methods"]
        drift = dict(spec.get("drift", {}))
        options = {
            "setting": setting,
            "methods": self.methods_shown(base),
            "method_options": _options_of(methods),
            "rounds": min(spec["rounds"], self.how_much["max_rounds"] or spec["rounds"]),
            "drift": drift.pop("kind", None),
            "drift_parameters": assignments(drift) or None,
            "participation": spec.get("participation"),
            "clusters": spec.get("clusters"),
            **self.experiments["phase2"],
        }
        options |= {key: spec[key] for key in ("samples_per_round", "regressor") if key in spec}
        if changes.pop("methods", None) == "search":
            options["methods"] = self.searched()
        return options | {key: value for key, value in changes.items() if key in options}

    def methods_shown(self, setting: str) -> list[str]:
        """Methods that a table or figure shows in a setting; all if none shows it."""
        shown = set()
        for spec in self.outputs["tables"].values():
            shown |= {m for s, m in cells_of(spec) if split_variant(s)[0] == setting}
        for spec in self.outputs["figures"].values():
            if setting in spec.get("settings", {}).values():
                shown |= {*spec["curves"].values(), spec.get("over")}
        return [
            method
            for method in self.experiments["methods"]
            if method in shown or (not shown and split_variant(method)[0] == method)
        ]

    def searched(self) -> list[str]:
        """Methods under all options that the best ones are searched among."""
        return [
            "+".join([method, *assignments(dict(zip(grid, values)))])
            for method, grid in self.experiments["search"]["grids"].items()
            for values in itertools.product(*grid.values())
        ]

    def search_inputs(self) -> list[str]:
        """Files of scores that the search compares."""
        search = self.experiments["search"]
        return [
            f"{self.results}/rounds/{self.dataset}/{setting}+methods=search/seed{seed}.csv"
            for setting in search["settings"]
            for seed in search["seeds"]
        ]

    def supervised_options(self, setting: str, architecture: str) -> dict:
        """Options of ``scripts/train_supervised.py`` for a setting or a variant of one."""
        base, changes = split_variant(setting)
        given = self.experiments["supervised"]
        names = ("rounds", "epochs", "batch_size", "learning_rate", "precision")
        options = {name: given[name] for name in names}
        options |= self.how_much["supervised"]["settings"].get(base, {})
        options["score"] = self.how_much["supervised"]["score"]
        algorithms = given["algorithms"]
        if changes.pop("tuned", False):
            options |= given["tuned"].get(architecture, {})
        if changes.pop("tune", False):
            algorithms = {given["tune"]["algorithm"]: algorithms[given["tune"]["algorithm"]]}
            options["validate"] = True
        return {
            "setting": setting,
            "architecture": architecture,
            "algorithms": list(algorithms),
            "algorithm_options": _options_of(algorithms),
            **options,
            **changes,
        }

    def supervised_methods(self) -> dict[str, str]:
        """Architecture of each supervised method, e.g. ``lstm-fedavg``."""
        given = self.experiments["supervised"]
        return {
            f"{architecture}-{algorithm}": architecture
            for architecture in given["architectures"]
            for algorithm in given["algorithms"]
        }

    def tune_inputs(self) -> list[str]:
        """Files of scores that learning rates of supervised baselines are chosen from."""
        tune = self.experiments["supervised"]["tune"]
        folder = f"{self.results}/supervised/{self.dataset}/{tune['setting']}+tune=true"
        variants = [
            "+".join([folder, *assignments(dict(zip(tune["grid"], values)))])
            for values in itertools.product(*tune["grid"].values())
        ]
        return [
            f"{variant}/{architecture}/seed{seed}.csv"
            for variant in variants
            for architecture in self.experiments["supervised"]["architectures"]
            for seed in tune["seeds"]
        ]

    def n_clusters_options(self, setting: str) -> dict:
        """Options of ``scripts/estimate_clusters.py``."""
        taken = ("feature_scaling", "C", "loss", "regressor", "penalty", "linkage")
        phase2 = {key: self.experiments["phase2"][key] for key in taken}
        spec = self.experiments["settings"][setting].get("n_clusters", {})
        return {"setting": setting} | self.experiments["n_clusters"] | spec | phase2

    def own_methods(self, setting: str) -> list[Path]:
        """Files of the user's methods that a setting or a variant of one runs."""
        methods = {split_variant(m)[0] for m in self.phase2_options(setting)["methods"]}
        return [own.file("methods", name) for name in sorted(methods - set(METHODS))]

    def own_encoder(self, encoder: str) -> list[Path]:
        """File of the user's encoder that a partition or a variant of one trains, if it does."""
        name = self.phase1_options(encoder)["encoder"]
        return [] if name in VARIANTS else [own.file("encoders", name)]

    def partition(self, dataset: str, setting: str, seed: int | str) -> str:
        """File of the clients' samples of a setting and seed."""
        name = self.partition_name(setting)
        return f"{self.results}/partitions/{dataset}/{name}/seed{seed}.npz"

    def features(self, dataset: str, setting: str, seed: int | str) -> str:
        """File of the features that a setting and seed use: of its own encoder or a shared one.

        Partitions of other data than the shared encoder's share one over their seeds alone.
        """
        _, changes = split_variant(setting)
        name, source = self.partition_name(setting), self.how_much["encoder_from"]
        if source != "own" and changes.pop("encoder_from", "shared") != "own":
            seed = source["seed"]
            if self.kind_of(name) == self.kind_of(source["partition"]):
                name = source["partition"]
        if changes.get("window") == 1:
            changes.pop("decay", None)  # nothing decays: the encoders are one
        for key, value in changes.items():
            if key in self.experiments["phase1"]:
                name += f"+{key}={value}"
        return f"{self.results}/features/{dataset}/{name}/seed{seed}.npz"

    def variants(self) -> list[str]:
        """Variants of settings that measure the ledger's alternatives.

        Where each partition and seed has its own encoder anyway, that is no alternative.
        """
        return [
            variant_name(setting, entry, value)
            for name, entry in self.assumptions.items()
            for setting in entry.get("measured_on", [])
            for value in entry["alternatives"]
            if not (name == "encoder-sharing" and self.how_much["encoder_from"] == value)
        ]

    def rounds(self, settings: Iterable[str]) -> list[str]:
        """Files of the scores of settings, over all seeds."""
        return [
            f"{self.results}/rounds/{self.dataset_of(setting)}/{setting}/seed{seed}.csv"
            for setting in settings
            for seed in self.seeds
        ]

    def table_inputs(self, table: str) -> list[str]:
        """Files of scores that a table is made of."""
        spec, supervised = self.outputs["tables"][table], self.supervised_methods()
        wanted = dict.fromkeys(cells_of(spec))
        settings = [s for s, method in wanted if method not in supervised]
        files = self.rounds(dict.fromkeys(untuned(s) for s in settings))
        trained = [
            (self.supervised_setting(s, supervised[m]), supervised[m])
            for s, m in wanted
            if m in supervised
        ]
        return files + [
            f"{self.results}/supervised/{self.dataset_of(setting)}/{setting}/{architecture}/seed{seed}.csv"
            for setting, architecture in dict.fromkeys(trained)
            for seed in self.how_much["supervised"]["seeds"]
        ]

    def supervised_setting(self, setting: str, architecture: str) -> str:
        """Setting whose training stands in a row: an architecture may be at its best untuned."""
        base = untuned(setting)
        options = self.supervised_options(base, architecture) | {"setting": setting}
        return base if options == self.supervised_options(setting, architecture) else setting

    def figure_inputs(self, figure: str) -> list[str]:
        """Files that a figure is made of."""
        spec = self.outputs["figures"][figure]
        if spec["kind"] in ("rand_score", "gain"):
            return self.rounds(spec["settings"].values())
        if spec["kind"] == "n_clusters":
            name = spec["setting"]
            folder = f"{self.results}/n_clusters/{self.dataset_of(name)}/{name}"
            return [f"{folder}/seed{seed}.csv" for seed in self.seeds]
        if spec["kind"] == "theorem1":
            return [f"{self.results}/theorem1.csv"]
        if spec["kind"] in ("trip", "thermometer"):
            regions = [spec["region"]] if "region" in spec else REGIONS
            return [f"{self.results}/sumo/{region}.npz" for region in regions]
        if spec["kind"] in SHOWN:
            return [f"{self.results}/data/{self.datasets[SHOWN[spec['kind']]]}.npz"]
        name = spec["partition"]
        folder = f"{self.results}/partitions/{self.datasets[self.kind_of(name)]}/{name}"
        return [f"{folder}/seed{self.seeds[0]}.npz"]

    def figure_sources(self, figure: str) -> str:
        """Sources of a figure's data, for its title."""
        spec = self.outputs["figures"][figure]
        settings = [*spec.get("settings", {}).values(), *filter(None, [spec.get("setting")])]
        partitions = [self.partition_name(setting) for setting in settings]
        partitions += filter(None, [spec.get("partition")])
        kinds = [SHOWN[spec["kind"]]] if spec["kind"] in SHOWN else map(self.kind_of, partitions)
        return ", ".join(dict.fromkeys(self.datasets[kind] for kind in kinds))

    def assumption_inputs(self) -> list[str]:
        """Files of scores that the effects of assumptions are measured on."""
        variants = self.variants()
        return self.rounds(sorted({name.split("+")[0] for name in variants}) + variants)

    def table_files(self, table: str) -> list[str]:
        """The forms that a table is written in."""
        return [f"{self.results}/tables/{table}{suffix}" for suffix in (".csv", ".tex", ".md")]

    def figure_files(self, figure: str) -> list[str]:
        """The forms that a figure is written in."""
        return [f"{self.results}/figures/{figure}{suffix}" for suffix in (".pdf", ".png")]

    def named_outputs(self) -> dict[str, list[str]]:
        """Files of each table and figure."""
        return {name: self.table_files(name) for name in self.table_names()} | {
            name: self.figure_files(name) for name in self.outputs["figures"]
        }

    def table_names(self) -> list[str]:
        """All tables, those of costs among them."""
        return [*self.outputs["tables"], *self.outputs["costs"]]

    def errors(self) -> list[str]:
        """Lines in the logs of steps that say what went wrong, each with its log's path."""
        return [
            f"{line}  ({path})"
            for path in sorted(Path(self.results, "logs").rglob("*.log"))
            for line in path.read_text(errors="replace").splitlines()
            if line.startswith("error: ")
        ]

    def export(self) -> None:
        """Tell the steps, through the environment, where raw files are and what to record.

        Not through a rule's parameters: neither must re-run anything.
        """
        scripts = map(str, sorted(Path("scripts").glob("[a-z]*.py")))
        code = {script: code_digest(script) for script in scripts}
        told = {"results": self.results, "config": self.chosen(), "code": code}
        os.environ[TOLD] = json.dumps(told)
        os.environ["FEDREACT_DATA_FOLDER"] = self.data_folder
        if self.mirror:
            os.environ["FEDREACT_DATA_MIRROR"] = self.mirror

    def chosen(self) -> dict[str, str]:
        """What ``--config`` has to say for the same scale, sources and device again."""
        return {
            "scale": self.scale,
            "dataset": self.datasets["digits"],
            "eeg_dataset": self.datasets["eeg"],
            "device": self.device,
        }

    def encoder_threads(self, encoder: str) -> int:
        """Cores that training an encoder asks for: one for each 1,000 local steps, at most.

        Several short trainings side by side make better use of cores than one after the other. On
        a GPU all clients are one batch.
        """
        if self.gpus:
            return 1
        n, options = self.n_clients(encoder), self.phase1_options(encoder)
        worth = -(-n * options["rounds"] * options["steps"] // 1000)
        return min(n, worth, self.how_much["threads"]["encoder"])

    def supervised_threads(self, setting: str) -> int:
        """Cores that training a baseline asks for."""
        return (
            1
            if self.gpus
            else min(self.clients_of(setting), self.how_much["threads"]["supervised"])
        )

    @property
    def gpus(self) -> int:
        """GPUs that a training asks a cluster for: one if ``device`` is ``cuda``, not ``auto``."""
        return int(self.device == "cuda")

    def clients_of(self, setting: str) -> int:
        """Clients of a setting."""
        return self.n_clients(self.partition_name(setting))

    def n_clients(self, encoder: str) -> int:
        """Clients that train an encoder."""
        spec = self.experiments["partitions"][split_variant(encoder)[0]]
        return spec["subjects"] if "subjects" in spec else sum(spec["cluster_sizes"])


def load_plan(config: dict) -> Plan:
    """Check the user's configuration, read the rest, and choose the dataset.

    Parameters
    ----------
    config
        Content of ``config/config.yaml`` with the command line's changes.
    """
    check(config, "config", "config")
    scale = config["scale"]
    scale_file = Path(f"config/scales/{scale}.yaml")
    if not scale_file.exists():
        known = ", ".join(sorted(path.stem for path in scale_file.parent.glob("*.yaml")))
        raise UserError(f"config: scale: {scale!r} is unknown; known scales: {known}")
    how_much = read_yaml(scale_file)
    check(how_much, "scale", str(scale_file))
    experiments = read_yaml(Path("config/experiments.yaml"))
    check(experiments, "experiments", "config/experiments.yaml")
    outputs = read_yaml(Path("config/outputs.yaml"))
    check(outputs, "outputs", "config/outputs.yaml")
    assumptions = read_yaml(Path("config/assumptions.yaml"))
    check(assumptions, "assumptions", "config/assumptions.yaml")
    _check_names(experiments, outputs, how_much, scale_file)
    for name, entry in assumptions.items():
        for setting in entry.get("measured_on", []):
            if setting not in experiments["settings"]:
                raise UserError(f"config/assumptions.yaml: {name}: unknown setting {setting!r}")
            key = entry["set_in"].split(".")[-1]
            if key not in experiments["phase1"] | experiments["phase2"] | {"encoder_from": None}:
                raise UserError(
                    f"config/assumptions.yaml: {name}: alternatives of {entry['set_in']} cannot be "
                    "run; only those of phase1, phase2 and encoder_from can"
                )

    mirror = config["data_mirror"] or os.environ.get("FEDREACT_DATA_MIRROR") or None
    mirror_folder = Path(mirror) if mirror else None
    folder = config["data_folder"]
    registry = files.load_registry(Path("config/datasets.yaml"))
    placed = [name for name in own_data.names(Path(folder)) if name not in registry]
    kinds = {spec.get("data", "digits") for spec in experiments["partitions"].values()}
    mine = sorted(kinds - {"digits", *SCALED})
    hint = f"; one of your own is {own_data.path(Path(folder), '<name>')}"
    for name in mine:
        kinds = ["digits", *SCALED, *placed]
        _known(name, kinds, "config/experiments.yaml: partitions: data", hint)
    _known(config["dataset"], ["auto", *DIGITS, *placed], "config: dataset", hint)
    wanted = config["dataset"] if config["dataset"] != "auto" else how_much["dataset"]
    prepared = {path.stem for path in Path(f"results/{scale}/data").glob("*.npz")}
    eeg = config["eeg_dataset"] if config["eeg_dataset"] != "auto" else how_much["eeg_dataset"]
    try:
        recordings = [r.file for r in eegmmidb.recordings(**how_much["eeg"]["eegmmidb"])]
    except UserError as error:
        raise UserError(f"{scale_file}: eeg: {error}") from error
    return Plan(
        scale=scale,
        datasets={
            "digits": choose_dataset(wanted, registry, Path(folder), mirror_folder, prepared),
            "eeg": choose_eeg(eeg, registry, recordings, Path(folder), mirror_folder, prepared),
            "sumo": "sumo-ev",
            **{name: name for name in mine},
        },
        registry=registry,
        data_folder=folder,
        mirror=mirror,
        how_much=how_much,
        experiments=experiments,
        outputs=outputs,
        assumptions=assumptions,
        device=config["device"],
    )


def _check_names(experiments, outputs, how_much, scale_file):
    """Names that one file uses must be defined in another; sizes must be possible."""
    where = "config/experiments.yaml"
    partitions, settings = experiments["partitions"], experiments["settings"]

    known = _known
    for method in experiments["methods"]:
        names = [*METHODS, *own.names("methods")]
        known(split_variant(method)[0], names, f"{where}: methods")
    encoders = [*VARIANTS, *own.names("encoders")]
    known(experiments["phase1"]["encoder"], encoders, f"{where}: phase1.encoder")
    for method in experiments["search"]["grids"]:
        known(method, experiments["methods"], f"{where}: search.grids")
    for setting in experiments["search"]["settings"]:
        known(setting, settings, f"{where}: search.settings")
    for name, setting in settings.items():
        known(setting["partition"], partitions, f"{where}: settings.{name}.partition")
    of_clients = experiments["partition"] | how_much["partition"]
    sampled = of_clients["samples_per_client"]
    train = sampled - round(sampled * of_clients["test_share"])
    if experiments["phase2"]["samples_per_round"] > train:
        raise UserError(
            f"{where}: phase2.samples_per_round: "
            f"{experiments['phase2']['samples_per_round']} is more than the {train} train samples "
            "of a client (partition.samples_per_client less the test share)"
        )
    if how_much["encoder_from"] != "own":
        known(how_much["encoder_from"]["partition"], partitions, f"{scale_file}: encoder_from")
    supervised = experiments["supervised"]
    for architecture in [*supervised["architectures"], *supervised["tuned"]]:
        known(architecture, ARCHITECTURES, f"{where}: supervised.architectures")
    for algorithm in [*supervised["algorithms"], supervised["tune"]["algorithm"]]:
        known(algorithm, ALGORITHMS, f"{where}: supervised.algorithms")
    for setting in [*supervised["settings"], supervised["tune"]["setting"]]:
        known(setting, settings, f"{where}: supervised.settings")
    trained = [f"{a}-{b}" for a in supervised["architectures"] for b in supervised["algorithms"]]
    for name, table in outputs["tables"].items():
        place = f"config/outputs.yaml: tables.{name}"
        in_rows, in_columns = "rows", "columns"
        if table.get("columns_are") == "settings":
            in_rows, in_columns = in_columns, in_rows
        for setting, method in cells_of(table):
            known(split_variant(setting)[0], settings, f"{place}.{in_rows}")
            known(method, [*experiments["methods"], *trained], f"{place}.{in_columns}")
            _check_changes(setting, experiments, f"{place}.{in_rows}")
    if twice := {*outputs["tables"], *outputs["costs"]} & set(outputs["figures"]):
        raise UserError(f"config/outputs.yaml: {sorted(twice)[0]!r} is a table and a figure")
    for name, figure in outputs["figures"].items():
        place = f"config/outputs.yaml: figures.{name}"
        if "partition" in figure:
            known(figure["partition"], partitions, place)
        if "region" in figure:
            known(figure["region"], REGIONS, place)
        for setting in (
            [figure["setting"]] if "setting" in figure else figure.get("settings", {}).values()
        ):
            known(setting, settings, place)
        over = [figure["over"]] if "over" in figure else []
        for method in [*figure.get("curves", {}).values(), *over]:
            known(method, experiments["methods"], place)


def _check_changes(setting, experiments, place):
    """What a variant of a setting changes must be there to be changed, and allowed."""
    changes = split_variant(setting)[1]
    known = [*experiments["phase1"], *experiments["phase2"], "encoder_from", "tuned"]
    for key in changes:
        _known(key, known, f"{place}: {setting!r}")
    for part in ("phase1", "phase2"):
        if changed := {key: changes[key] for key in experiments[part] if key in changes}:
            check(experiments[part] | changed, "experiments", f"{place}: {setting!r}", part)
    if "encoder" in changes:
        _known(changes["encoder"], [*VARIANTS, *own.names("encoders")], place)


def _known(name, names, place, hint=""):
    if name not in names:
        raise UserError(f"{place}: {name!r} is unknown; known: {', '.join(names)}{hint}")


def choose_dataset(
    wanted: str,
    registry: dict[str, files.DatasetEntry],
    folder: Path,
    mirror: Path | None,
    prepared: set[str],
) -> str:
    """Choose the digits' source: the one named, or the first of the three that can be had.

    RTD can be had if the user has placed it, pendigits if its files are at hand or its address
    answers, and the simulator always. One that is ``prepared`` already can be had too, so that a
    network that fails for once does not replace real data by simulated.

    Raises
    ------
    UserError
        Only one of RTD's two files is there.
    """
    if wanted != "auto":
        return wanted
    rtd, pendigits = registry["rtd"], registry["pendigits"]
    if files.locate(rtd, folder, mirror):
        return "rtd"
    names = [name for file in rtd.files.values() for name in file.names]
    if placed := [name for name in names if (folder / "rtd" / name).is_file()]:
        raise UserError(
            f"{folder / 'rtd'}: found {placed[0]} alone; RTD is two files, features and labels"
        )
    if "rtd" in prepared:
        return "rtd"
    if (
        files.locate(pendigits, folder, mirror)
        or "pendigits" in prepared
        or files.reachable(pendigits.files["tra"].url)
    ):
        return "pendigits"
    return "air-writing-sim"


def choose_eeg(
    wanted: str,
    registry: dict[str, files.DatasetEntry],
    recordings: list[str],
    folder: Path,
    mirror: Path | None,
    prepared: set[str],
) -> str:
    """Choose the source of motor imagery: the one named, or recordings if they can be had.

    They can be had if the files of ``recordings`` are at hand or their address answers, or if they
    are ``prepared`` already; else there is the simulator.
    """
    if wanted != "auto":
        return wanted
    entry = registry["eegmmidb"].only(recordings)
    if (
        files.locate(entry, folder, mirror)
        or "eegmmidb" in prepared
        or files.reachable(entry.files[recordings[0]].url)
    ):
        return "eegmmidb"
    return "eeg-sim"


def variant_name(setting: str, entry: dict, value: Any) -> str:
    """Name of a setting under an alternative of an entry of the assumption ledger."""
    return f"{setting}+{entry['set_in'].split('.')[-1]}={value}"


def _options_of(methods: dict[str, dict]) -> list[str]:
    """Write the options of methods as ``method.option=value`` words."""
    return assignments(
        {f"{m}.{key}": v for m, given in methods.items() for key, v in given.items()}
    )


def command_options(options: dict) -> str:
    """Write options as a command line's, e.g. ``--cluster-sizes 3 3 4``; ``None`` is left out."""
    words = []
    for name, value in options.items():
        if value is True:
            words.append(f"--{name.replace('_', '-')}")
        elif value is not None:
            values = value if isinstance(value, list) else [value]
            words += [f"--{name.replace('_', '-')}", *(shlex.quote(str(v)) for v in values)]
    return " ".join(words)
