"""What the rules of ``workflow/rules/report.smk`` ask."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedreact import plugins
from fedreact.metrics.contract import COMPARED
from fedreact.provenance import sha256
from fedreact.workflow.code import digest
from fedreact.workflow.files import ORIGINS

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class ReportSteps:
    """The report: all tables, figures, claims and ledgers of the chosen papers."""

    def __init__(self, plan: "Plan"):
        self.plan = plan

    def targets(self, what: str) -> list[str]:
        """Tables or figures of the report."""
        return self.plan.chosen(getattr(self.plan, what))

    def tables(self) -> list[str]:
        """Files of its tables, and what lies beside them."""
        found = [self.plan.files.table(name)[0] for name in self.targets("tables")]
        return found + [str(Path(csv).with_suffix(ORIGINS)) for csv in found]

    def tex(self) -> list[str]:
        """Files of its tables that a reader may take from the page."""
        return [self.plan.files.table(name)[1] for name in self.targets("tables")]

    def figures(self) -> list[str]:
        """Files of its figures."""
        return [self.plan.files.figure(name)[1] for name in self.targets("figures")]

    def claims(self) -> list[str]:
        """Files of its claims."""
        return self.plan.files.claims(n for n in self.plan.papers if n in self.plan.claims.papers())

    def entries(self) -> list[str]:
        """Ledgers and claims of its papers, as they are written."""
        folders = [self.plan.steps.paper(name).folder for name in self.plan.papers]
        files = [folder / f"{what}.yaml" for folder in folders for what in ("ledger", "claims")]
        return [str(path) for path in files if path.exists()]

    def words(self) -> list[str]:
        """Options of ``scripts/make_report.py``."""
        papers = [self._paper(name) for name in self.plan.papers]
        told = {"scale": self.plan.scale, "about": self.plan.how_much.about}
        told |= {"papers": papers, "datasets": self._datasets()}
        return ["--told", json.dumps(told, separators=(",", ":"), ensure_ascii=False, default=str)]

    def code(self) -> str:
        """Digest of the code that writes the report."""
        metrics = {
            metric
            for name in self.targets("tables")
            for metric in self._entry("tables", name)[2].metrics or ("costs",)
        }
        named = sorted({*metrics, *COMPARED})
        return digest("scripts/make_report.py", [("metrics", m, "METRIC") for m in named])

    # ---- One paper ------------------------------------------------------------------------------

    def _entry(self, what, target):
        """Paper of a table or figure, its name there, and its entry."""
        paper, short = getattr(self.plan, what)[target]
        content = self.plan.steps.paper(paper)
        return content, short, getattr(content, what)[short]

    def _paper(self, name: str) -> dict[str, Any]:
        plan, paper = self.plan, self.plan.steps.paper(name)
        tables, figures = (plan.chosen(of, [name]) for of in (plan.tables, plan.figures))
        ledger, effects = (
            paper.folder / "ledger.yaml",
            Path(plan.files.summary("assumptions", name)[0]),
        )
        return {
            "name": name,
            "title": paper.about.title,
            "called": paper.about.short or paper.about.title.split(":")[0],
            "cite": paper.about.cite,
            "margins": paper.about.margins,
            "differences": paper.scale.all_differences,
            "data": self._data(paper, [*tables, *figures]),
            "left_out": self._left_out(name),
            "tables": [self._table(target) for target in tables],
            "figures": [self._figure(target) for target in figures],
            "methods": self._methods(tables),
            "ledger": str(ledger) if ledger.exists() else None,
            # Measured when it is asked for: no part of all, so no input either.
            "effects": [str(effects), sha256(effects)] if effects.is_file() else None,
            "claims": self._claims(paper),
        }

    def _claims(self, paper):
        if paper.name not in self.plan.claims.papers():
            return None
        (csv,) = self.plan.files.claims([paper.name])
        return {"csv": csv, "yaml": f"{paper.folder}/claims.yaml"}

    def _table(self, target):
        paper, short, spec = self._entry("tables", target)
        methods = {"settings": "column", "methods": "row"}[spec.rows_are]
        if spec.study or len(spec.rows if methods == "row" else spec.columns) < 2:
            methods = None
        csv = self.plan.files.table(target)[0]
        of_table = {"csv": csv, "methods": methods, "names": paper.about.names_of_data}
        return {"name": target, "short": short, "title": spec.title, **of_table}

    def _figure(self, target):
        _, short, spec = self._entry("figures", target)
        places = self.plan.outputs.cells(target)
        panels, curves = (list(dict.fromkeys(p[i] for p in places if p[i])) for i in (0, 1))
        png = self.plan.files.figure(target)[1]
        told = {"title": spec.title, "panels": panels, "curves": curves}
        return {"name": target, "short": short, "png": png, **told}

    def _methods(self, tables):
        """What each label of a method stands for: the file of its algorithm, and its options."""
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for target in tables:
            spec = self._entry("tables", target)[2]
            for (row, column), cell in self.plan.outputs.cells(target).items():
                label = row if spec.rows_are == "methods" else column
                of = (f"algorithms/{cell.kind}", cell.method.algorithm, "ALGORITHM")
                if label not in found:
                    options = {**cell.method.of_run, **cell.method.options}
                    found[label] = str(plugins.source_file(plugins.find(*of))), options
        return found

    def _data(self, paper, targets):
        """What the paper calls each role of its data, and the dataset that stands for it here."""
        found: dict[str, str] = {}
        for target in targets:
            for cell in self.plan.outputs.cells(target).values():
                if not (cell.skipped or cell.role == cell.data in found):
                    known = paper.about.names_of_data.get(cell.role, cell.role)
                    found.setdefault(cell.data, known)
        return [[known, data] for data, known in found.items()]

    def _left_out(self, name):
        """Sentences on tables and figures of a paper that cannot be made here."""
        why: dict[str, list[str]] = {}
        for target, (paper, _) in (self.plan.tables | self.plan.figures).items():
            if paper == name and (reason := self.plan.outputs.missing(target)):
                what = "tables" if target in self.plan.tables else "figures"
                why.setdefault(reason, []).append(self._entry(what, target)[2].title)
        return [f"{'; '.join(titles)}: {reason}." for reason, titles in why.items()]

    def _datasets(self):
        """What is known of each dataset that the report shows."""
        found = {}
        for name in self.plan.outputs.datasets_shown():
            entry = self.plan.sources.registry.get(name.split("+")[0])
            if entry and not self.plan.sources.missing(name):
                found[name] = [entry.title, entry.citation or "", entry.licence, entry.page or ""]
        return found
