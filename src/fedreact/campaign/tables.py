"""Tables of what is kept: cells without a run yet are left out, and say so."""

import logging
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

from fedreact.atomic import write_text
from fedreact.errors import UserError
from fedreact.reference.keep import keep, names
from fedreact.resolve.plan import Plan

log = logging.getLogger("fedreact")


def make(plan: Plan, paper: str, outputs: Container[str], folder: Path) -> list[str]:
    """Make the tables of a paper that have scores, and keep them; return their names.

    Parameters
    ----------
    outputs
        Files of scores of the kept runs.
    folder
        ``reference/<scale>/<paper>``.

    Raises
    ------
    UserError
        A table cannot be made; the message has what its command said.
    """
    made = []
    for target in plan.outputs.chosen(plan.tables, [paper]):
        job = plan.outputs.table(target, there=lambda file: file in outputs)
        if not job.inputs["scores"] or not plan.outputs.cells(target):
            continue  # a study, or nothing of it is kept
        output = plan.files.table(target)[0]
        words = [*job.words, "--published", *job.inputs["published"]]
        words += ["--scores", *job.inputs["scores"], "--scale", plan.scale, "--output", output]
        # A file, since the system bounds the length of a word.
        write_text(Path(output).with_suffix(".words"), "\n".join(words))
        command = [sys.executable, job.script, f"@{Path(output).with_suffix('.words')}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        Path(output).with_suffix(".words").unlink()
        if done.returncode:
            raise UserError(f"{target}: {done.stderr.strip().splitlines()[-1]}")
        made.append(target)
    if made:
        targets = names(plan.settings.paper(paper).folder)
        # Kept tables of which no run counts any more are of other code.
        content = plan.settings.paper(paper)
        keep(Path(plan.results), folder, targets, [], targets, content.scale)
    return made
