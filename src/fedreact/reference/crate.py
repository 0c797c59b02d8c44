"""A run as an RO-Crate: its results, its configuration and its records in one zip file.

The crate follows the profile Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5), so
archives and registries of workflows can read what was run, on which data, and what came of it. All
files keep their paths of the project, so the paths in the records lead to files of the crate.
"""

import io
import json
from pathlib import Path
from typing import Any, TypeAlias

from rocrate.model.computationalworkflow import ComputationalWorkflow
from rocrate.model.contextentity import ContextEntity
from rocrate.model.dataset import Dataset
from rocrate.model.file import File
from rocrate.rocrate import ROCrate

from fedreact import provenance
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError

Records: TypeAlias = dict[str, dict[str, Any]]
"""Records of steps by their paths."""

STEPS = ("data", "encoders", "features", "parts", "partitions", "runs", "studies")
"""Folders of results that only lead to others. They are large, or their data has its own licence,
so a crate has their records only."""
UNIVERSES = "multiverse/*/*/*/part*.csv"
"""Scores of universes, which only lead to others, too."""

WORKFLOW = "workflow/Snakefile"
BESIDE = ("workflow/rules/*.smk", "workflow/step.sh", "workflow/fork.py", "requirements.txt")
"""Further files of the workflow in a crate."""
CONTEXT = "https://w3id.org/ro/terms/workflow-run/context"
KINDS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".yaml": "application/yaml",
}
"""Media types of files by their endings; others are plain text."""
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
"""Names and versions of the profiles that a crate conforms to, by their addresses."""


README = """\
# Results of fedreact at scale {scale}

- `{results}/` has the tables, figures and claims.
- `{results}/provenance/` has a record of each step: command, inputs, outputs, machine and times.
- `config/` has the configuration that the steps read, and `workflow/` the workflow.
- `ro-crate-metadata.json` describes these files for programs (Workflow Run Crate 0.5).

The code is {commits} of the repository of fedreact. To build the tables again, check it out and
run:

    snakemake --cores all all_tables --config {choices}
"""


def crate(results: Path, licence: str, agent: tuple[str, str] | None = None) -> ROCrate:
    """Describe a run of the project in the current folder as an RO-Crate.

    Parameters
    ----------
    results
        Results of a scale, e.g. ``results/quick``.
    licence
        SPDX name of the licence of the results.
    agent
        ORCID iD and name of the person who ran the workflow.

    Raises
    ------
    UserError
        The run has no records of results, or a result has changed since it was recorded.
    """
    records = _records(results)
    files = _results(results, records)
    attempts = [attempt for record in records.values() for attempt in record["attempts"]]
    ended = max(attempt["ended"] for attempt in attempts if attempt["ended"])
    commits, choices = _commits(records), _choices(records)
    code = " and ".join(commits) or "no commit"

    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(CONTEXT)
    root = crate.root_dataset
    crate.name = f"Results of fedreact at scale {results.name}"
    crate.description = (
        f"Tables, figures and claims that fedreact built at scale {results.name}, with the "
        "configuration and a record of each step."
    )
    crate.datePublished = ended
    address = f"https://spdx.org/licenses/{licence}"
    crate.license = _add(crate, address, "CreativeWork", name=licence, url=address)
    root["conformsTo"] = [
        _add(crate, profile, "CreativeWork", name=name, version=version)
        for profile, (name, version) in PROFILES.items()
    ]

    workflow = _workflow(crate, commits)
    options = " ".join(f"{key}={value}" for key, value in choices.items())
    text = README.format(results=results, scale=results.name, commits=code, choices=options)
    about = {"name": "README.md", "encodingFormat": "text/markdown", "about": root}
    crate.add_file(io.StringIO(text), "README.md", properties=about)
    for path in [path for pattern in BESIDE for path in sorted(Path().glob(pattern))]:
        _file(crate, path)

    action = _add(crate, f"#run-{results.name}", "CreateAction")
    action["name"] = f"Run of the workflow at scale {results.name}"
    action["description"] = (
        f"{len(records)} steps ran with code of {code}. The record of each step has its command."
    )
    action["startTime"] = min(attempt["started"] for attempt in attempts)
    action["endTime"] = ended
    action["actionStatus"] = "http://schema.org/CompletedActionStatus"
    action["instrument"] = workflow
    action["object"] = [*_configuration(crate, records), *_data(crate, records)]
    action["result"] = [_file(crate, path, **properties) for path, properties in files.items()]
    for key, value in choices.items():
        slot = _add(crate, f"#choice-{key}", "FormalParameter", name=key, additionalType="Text")
        workflow.append_to("input", slot)
        choice = {"name": key, "value": str(value), "exampleOfWork": slot}
        action.append_to("object", _add(crate, f"#chosen-{key}", "PropertyValue", **choice))
    if agent:
        orcid = f"https://orcid.org/{agent[0].rpartition('/')[2]}"
        action["agent"] = root["author"] = _add(crate, orcid, "Person", name=agent[1])
    root["mentions"] = action

    folder = results / "provenance"
    content = "For each step: command, options, inputs, outputs, packages, machine and times."
    about = {"name": "Records of all steps", "description": content, "about": action}
    crate.add_dataset(folder, folder, properties=about)
    return crate


def _workflow(crate: ROCrate, commits: list[str]) -> ComputationalWorkflow:
    """Add the workflow, with its commit if there is only one."""
    workflow = crate.add_workflow(WORKFLOW, WORKFLOW, main=True, lang="snakemake")
    workflow["encodingFormat"] = "text/plain"
    workflow["name"] = "fedreact: papers on federated learning with time series, rebuilt"
    if len(commits) == 1:
        workflow["version"] = commits[0].removeprefix("commit ")
    return workflow


def _records(results: Path) -> Records:
    """Read the records of all steps that ended well, by their paths."""
    paths = sorted((results / "provenance").rglob("*.json"))
    records = {str(path): json.loads(path.read_text()) for path in paths}
    return {path: record for path, record in records.items() if "outputs" in record}


def _results(results: Path, records: Records) -> dict[Path, dict[str, str]]:
    """Return digest and size of each result that is not just a step to another one."""
    properties = {}
    for record in records.values():
        for name, file in record["outputs"].items():
            path = Path(name)
            if not (path.is_relative_to(results) and path.is_file()):
                continue
            if path.relative_to(results).parts[0] in STEPS or path.match(UNIVERSES):
                continue
            if provenance.sha256(path) != file["sha256"]:
                raise UserError(
                    f"{path} has changed since it was recorded; make it again: snakemake --cores 1 "
                    f"--forcerun {path} --config scale={results.name}"
                )
            properties[path] = {"sha256": file["sha256"], "contentSize": str(file["bytes"])}
    if not properties:
        raise UserError(
            f"{results}: no results with a record there; build some first: snakemake all_tables"
        )
    return properties


def _commits(records: Records) -> list[str]:
    """Return the commits of the code that ran, each marked if files differed from it."""
    commits = [record["commit"] for record in records.values() if record["commit"]]
    return sorted(
        {f"commit {commit['id']}{', changed' * bool(commit['changed'])}" for commit in commits}
    )


def _choices(records: Records) -> dict[str, Any]:
    """Return the user's choices in the step that ended last."""
    return max(records.values(), key=lambda record: record["attempts"][-1]["ended"])["config"]


def _configuration(crate: ROCrate, records: Records) -> list[File]:
    """Add files of configuration and of the user's code that steps read, if unchanged since."""
    inputs = {name: file for record in records.values() for name, file in record["inputs"].items()}
    paths = [
        Path(name)
        for name, file in sorted(inputs.items())
        if name.startswith("config/")
        and Path(name).is_file()
        and provenance.sha256(Path(name)) == file["sha256"]
    ]
    plugins = {name for record in records.values() for name in record.get("plugins", [])}
    own = [Path(name) for name in sorted(plugins) if name.startswith("own/")]
    return [_file(crate, path) for path in [*paths, *own] if path.is_file()]


def _data(crate: ROCrate, records: Records) -> list[Dataset]:
    """Add the pages of the datasets that were prepared, without their files."""
    registry = load_registry(*registries())
    names = {record["options"].get("dataset") for record in records.values()}
    entries = {entry.page: entry for name, entry in registry.items() if name in names}
    return [
        crate.add_dataset(
            page,
            properties={
                "name": entry.title,
                "conditionsOfAccess": entry.licence,
                "citation": entry.citation or entry.title,
            },
        )
        for page, entry in sorted((page, entry) for page, entry in entries.items() if page)
    ]


def _add(crate: ROCrate, id_: str, type_: str, **properties: Any) -> ContextEntity:
    """Add an entity that is not a file."""
    return crate.add(ContextEntity(crate, id_, properties={"@type": type_, **properties}))


def _file(crate: ROCrate, path: Path, **properties: Any) -> File:
    """Add a file, at its path."""
    kind = KINDS.get(path.suffix, "text/plain")
    about = {"name": path.name, "encodingFormat": kind}
    return crate.add_file(path, path, properties=about | properties)
