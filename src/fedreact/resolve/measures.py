"""Jobs that compare alternatives of ledgers, and candidates of searches."""

import json
from typing import Any

from fedreact.metrics.contract import COMPARED, PRIMARY
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.outputs import Outputs


class Measures:
    """What alternatives of ledgers change, by paper, and searches, by name."""

    def __init__(self, experiments: Experiments, outputs: Outputs):
        self.experiments, self.outputs = experiments, outputs
        self.settings, self.files = experiments.settings, experiments.files

    def papers_measured(self) -> list[str]:
        """Chosen papers whose ledger has alternatives to measure."""
        ledgers = {name: self.settings.paper(name).ledger for name in self.experiments.papers}
        return [n for n, ledger in ledgers.items() if any(e.measured_on for e in ledger.values())]

    def ledger(self, paper: str) -> Job:
        """Measure what the alternatives of a paper's ledger change."""
        measured = self.measured(paper)
        files = [
            file
            for one in measured
            for key in ("with_taken", "with_alternative")
            for file in one[key]
        ]
        text = json.dumps(measured, separators=(",", ":"), default=str)
        script = "scripts/measure_ledger.py"
        scores = tuple(dict.fromkeys(files))
        return Job(script, ("--measured", text), {"scores": scores}, _code(script))

    def measured(self, paper: str) -> list[dict[str, Any]]:
        """Files of scores of each alternative, beside those of the value that is the default."""
        workload, lines = self.experiments.workload(paper), []
        jobs = workload.jobs()
        for entry, spec in workload.paper.ledger.items():
            for setting, value, key in workload.alternatives(entry):
                for kind, data, name, job in jobs:
                    other = workload.changed(kind, setting, key, value) if name == setting else None
                    if other is None or (kind, data, other, job) not in jobs:
                        continue  # of another kind of run, or of a search
                    ours, theirs = (
                        self._scores(kind, paper, data, one, job) for one in (name, other)
                    )
                    lines.append(
                        {"assumption": entry, "taken": spec.taken, "alternative": value}
                        | {"setting": setting, "with_taken": ours, "with_alternative": theirs}
                    )
        return lines

    def _scores(self, kind: str, paper: str, data: str, setting: str, job: str) -> list[str]:
        folder = self.files.run(kind, paper, data, setting, job)
        return [f"{folder}/seed{seed}.csv" for seed in self.experiments.seeds(paper, kind, setting)]

    def search(self, search: str) -> Job:
        """Compare the candidates of a search."""
        paper, name = self.experiments.searches[search]
        searches = self.experiments.workload(paper).searches
        content = self.settings.paper(paper)
        cells = searches.compared(name)
        words = ["--searches", f"{content.folder}/search.yaml", "--name", name]
        words += ["--layout", self.outputs.layout(paper, cells)]
        seeds = content.searches[name].seeds
        script = "scripts/measure_search.py"
        return Job(
            script,
            (*words, "--taken", json.dumps(searches.taken(name))),
            {"scores": tuple(self.outputs.scores(paper, cells.values(), seeds))},
            _code(script),
        )


def _code(script: str) -> str:
    """Digest of the code that compares scores by metrics."""
    metrics = dict.fromkeys([*COMPARED, *PRIMARY.values()])
    return digest(script, [("metrics", one, "METRIC") for one in metrics])
