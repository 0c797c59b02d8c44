"""Kept runs: a compressed file each, below ``reference/<scale>/<paper>/runs/``.

A file has the scores of a run, with the records of all steps that led to them. Its name ends in the
run's identity, so runs of other code or options lie beside each other and are never mixed.
"""

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fedreact import provenance
from fedreact.atomic import write_text
from fedreact.campaign.queue import CampaignRun
from fedreact.errors import UserError
from fedreact.reference import store

RUNS = "runs"
"""The folder of kept runs, beside a paper's kept tables."""
SHOWN = 8
"""Digits of an identity in a file's name."""


class KeptRuns:
    """The kept runs of a paper at a scale.

    Parameters
    ----------
    folder
        ``reference/<scale>/<paper>``.
    results
        ``results/<scale>``.
    """

    def __init__(self, folder: Path, results: Path):
        self.folder, self.results = folder / RUNS, results

    def path(self, run: CampaignRun) -> Path:
        """Path of the file that keeps a run."""
        below = Path(run.output).relative_to(self.results / "runs")
        return self.folder / below.with_name(f"{below.stem}-{run.identity[:SHOWN]}.json.gz")

    def has(self, run: CampaignRun) -> bool:
        """Tell whether a run is kept."""
        return self.path(run).is_file()

    def keep(self, run: CampaignRun) -> None:
        """Keep the scores of a run that has ended, and the records of its steps."""
        records = provenance.upstream(self.results, [run.output])
        content = {
            "identity": run.identity,
            "output": run.output,
            "records": {path: _plain(record) for path, record in records.items() if record},
            "scores": Path(run.output).read_text(),
        }
        store.write(self.path(run), json.dumps(content, sort_keys=True))

    def restore(self, run: CampaignRun) -> None:
        """Write the scores of a kept run to where the workflow has them, with its records.

        Nothing is written where the same scores are.

        Raises
        ------
        UserError
            The file is damaged.
        """
        path = self.path(run)
        content = _read(path)
        if content.get("identity") != run.identity:
            raise UserError(
                f"{path}: it keeps another run; delete it, and start the campaign again"
            )
        output = Path(run.output)
        if output.exists() and output.read_text() == content["scores"]:
            return
        write_text(output, content["scores"])
        for made, record in content["records"].items():
            file = provenance.record_file(self.results, Path(made))
            if made == run.output or not file.exists():
                write_text(file, json.dumps(record, indent=1) + "\n")

    def touch(self, runs: Iterable[CampaignRun]) -> None:
        """Date the scores of runs now, so that no input is newer."""
        for run in runs:
            os.utime(run.output)

    def others(self, runs: Iterable[CampaignRun]) -> list[Path]:
        """Return the files of kept runs that are none of these: of other code or options."""
        own = {self.path(run) for run in runs}
        return [path for path in self._files() if path not in own]

    def _files(self) -> Iterator[Path]:
        yield from sorted(self.folder.rglob("*.json.gz"))


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(gzip.decompress(path.read_bytes())))
    except (OSError, EOFError, ValueError) as error:
        raise UserError(
            f"{path}: it cannot be read ({error}); delete it, and start the campaign again"
        ) from None


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without the name of the machine."""
    machine = record["machine"]
    system = str(machine["system"]).split("-")[0]
    return record | {"machine": machine | {"host": "a campaign's machine", "system": system}}
