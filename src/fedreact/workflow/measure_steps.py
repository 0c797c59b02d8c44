"""What the rules of ``workflow/rules/outputs.smk`` ask of ledgers and searches."""

import json
from typing import TYPE_CHECKING, Any

from fedreact.metrics.contract import COMPARED, PRIMARY
from fedreact.workflow.code import digest

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class MeasureSteps:
    """What alternatives of ledgers change, by paper, and searches, by name."""

    def __init__(self, plan: "Plan"):
        self.plan = plan

    def measured(self, paper: str) -> list[dict[str, Any]]:
        """What of a paper's ledger is measured: each alternative beside what is taken."""
        of, found = self.plan.cells(paper), []
        jobs = of.jobs()
        for entry, given in of.paper.ledger.items():
            for setting, value, key in of.alternatives(entry):
                for kind, data, name, job in jobs:
                    other = of.changed(kind, setting, key, value) if name == setting else None
                    if (kind, data, other, job) not in jobs:
                        continue  # of another kind of run, or of a search
                    folders = (
                        self.plan.files.run(kind, paper, data, n, job) for n in (name, other)
                    )
                    files = [
                        [f"{folder}/seed{seed}.csv" for seed in self.plan.seeds(paper, kind)]
                        for folder in folders
                    ]
                    found.append(
                        {"assumption": entry, "taken": given.taken, "alternative": value}
                        | {"setting": setting, "with_taken": files[0]}
                        | {"with_alternative": files[1]}
                    )
        return found

    def ledger_json(self, paper: str) -> str:
        """The same as its command takes it."""
        return json.dumps(self.measured(paper), separators=(",", ":"), default=str)

    def ledger_inputs(self, paper: str) -> list[str]:
        """Files that the effects of a paper's ledger are measured on."""
        files = [
            file
            for one in self.measured(paper)
            for key in ("with_taken", "with_alternative")
            for file in one[key]
        ]
        return list(dict.fromkeys(files))

    def papers_measured(self) -> list[str]:
        """Chosen papers whose ledger has alternatives to measure."""
        return [
            paper
            for paper in self.plan.papers
            if any(e.measured_on for e in self.plan.steps.paper(paper).ledger.values())
        ]

    def search_inputs(self, target: str) -> list[str]:
        """Files of scores that a search compares."""
        paper, name = self.plan.searches[target]
        seeds = self.plan.steps.paper(paper).searches[name].seeds
        compared = self.plan.cells(paper).searches.compared(name)
        return self.plan.outputs.scores(paper, compared, seeds)

    def search_words(self, target: str) -> list[str]:
        """Options of ``scripts/measure_search.py``."""
        paper, name = self.plan.searches[target]
        of = self.plan.cells(paper)
        cells = {(cell.setting, cell.method.name): cell for cell in of.searches.compared(name)}
        found = ["--searches", f"{of.paper.folder}/search.yaml", "--name", name]
        taken = json.dumps(of.searches.taken(name))
        return [*found, "--layout", self.plan.outputs.layout(paper, cells), "--taken", taken]

    def code(self, script: str) -> str:
        """Digest of the code that compares scores by metrics."""
        metrics = dict.fromkeys([*COMPARED, *PRIMARY.values()])
        return digest(script, [("metrics", m, "METRIC") for m in metrics])
