"""Options that a search chooses on each dataset, in the file that a paper's tables read."""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from fedreact.atomic import write_text
from fedreact.errors import UserError, unknown
from fedreact.resolve.plan import Plan
from fedreact.tables import search

HEAD = """\
# The best options of each method on each dataset, on held-out train samples: the result of the
# search {name} of {folder}/search.yaml.
# To write this file anew: fedreact search {paper} --scale {scale}
"""


def targets(plan: Plan, paper: str) -> list[str]:
    """Targets of a paper's searches by dataset.

    Raises
    ------
    UserError
        There is no such paper, or it has none.
    """
    if paper not in plan.settings.names:
        raise UserError(f"paper {unknown(paper, plan.settings.names)}")
    searches = plan.settings.paper(paper).searches
    found = [
        target
        for target, (owner, name) in plan.searches.items()
        if owner == paper and searches[name].by_dataset
    ]
    if not found:
        raise UserError(f"config/papers/{paper}/search.yaml: no search has by_dataset: true")
    return found


def write(plan: Plan, target: str) -> Path:
    """Write the best options of a search that has run to ``chosen/<scale>.yaml`` of its paper."""
    paper, name = plan.searches[target]
    searches, content = plan.experiments.workload(paper).searches, plan.settings.paper(paper)
    table = pd.read_csv(plan.files.summary("searches", target)[0])
    candidates = {one.name: one for one in searches.candidates(name)}
    chosen: dict[str, dict[str, dict[str, Any]]] = {}
    for setting, data in sorted(searches.by_dataset(name).items(), key=lambda pair: pair[1]):
        best = search.best(table, setting, content.searches[name].metric)
        taken = [candidates[variant] for variant in best.values()]
        chosen[data] = {one.key: dict(one.values) for one in taken}
    head = HEAD.format(name=name, folder=content.folder, paper=paper, scale=plan.scale)
    write_text(content.chosen_file, head + yaml.safe_dump(chosen, sort_keys=False, width=1000))
    return content.chosen_file
