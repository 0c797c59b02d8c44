# The checked configuration, and the helpers that the rules share.

import logging
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# Its scripts and papers are those of the folder that it runs in, so no other workflow can import it.
if not Path("scripts/run.py").is_file():
    raise WorkflowError(
        "error: this is not the project's folder; clone the project and run snakemake there (config/README.md)"
    )

# The project's folder, whichever Snakefile is run: the one there, or the one of workflow/.
ROOT = Path(workflow.current_basedir).parents[1]
sys.path.insert(0, f"{ROOT}/src")

from fedreact.digest import code_digest
from fedreact.errors import UserError
from fedreact import private
from fedreact.workflow import console, ending, failures, forks
from fedreact.workflow.account import Account
from fedreact.resolve.plan import Plan
from fedreact.workflow.start import check_times, check_writable, remove_parts

try:
    PLAN = Plan(config)
    # A job of a run that was checked when it began isn't the main process.
    if workflow.is_main_process:
        PLAN.check()
except UserError as error:
    raise WorkflowError(str(error)) from None

PLAN.export()
R, OUT, FILES = PLAN.results, PLAN.files.outputs, PLAN.files

# A prefix of one's own replaces Snakemake's, without which a failed step behind a pipe is a success.
# It is a file, since Snakemake prints the whole command of a step that has failed.
shell.prefix(f'. "{ROOT}/workflow/step.sh" "{ROOT}/src"; ')


# A job of a cluster is one of Snakemake's own processes, of which all that is said goes into files.
CONSOLE = console.Console(
    workflow.is_main_process and console.is_quiet(workflow.output_settings),
    targets=lambda: [rule.name for rule in workflow.rules],
    ending=lambda: ending.lines(PLAN, ACCOUNT.asked),
)
ACCOUNT = Account(PLAN, workflow, CONSOLE)
CONSOLE.listen(logger)


# Names in paths end in a digest of what is changed, if anything is: stationary10-1c9d0f22.
wildcard_constraints:
    paper="[A-Za-z0-9_]+",
    dataset="[a-z0-9-]+",
    part="[A-Za-z0-9_-]+",
    partition="[A-Za-z0-9._-]+",
    encoder="[A-Za-z0-9._-]+",
    kind="[a-z0-9_]+",
    setting="[A-Za-z0-9._-]+",
    job="[A-Za-z0-9._-]+",
    seed=r"\d+",


def get_ready():
    """What must be so before the first step."""
    failures.begin()
    try:
        check_writable(Path(R))
        check_times(Path(R), Path("config"), Path("src"))
        remove_parts(Path(R))
        ACCOUNT.begin()
    except UserError as error:
        raise WorkflowError(f"error: {error}") from None
    if workflow.local_exec:
        private.remove_job_rate_limit(workflow)
        forks.begin()


def job(rule, w):
    """The job of a rule, by its wildcards (src/fedreact/resolve/job.py)."""
    return PLAN.job(rule, **dict(w.items()))


def words(rule):
    """Words of the command line of a rule's job."""
    return lambda w: shlex.join(job(rule, w).words)


def words_by_file(rule):
    """The same, where they may exceed the 128 kB that Linux allows: a file holds them, one a line."""
    return lambda w: f"@<(printf '%s\\n' {shlex.join(job(rule, w).words)})"


def code(rule):
    """Digest of the code of a rule's job."""
    return lambda w: job(rule, w).code


def shown(path, kind, of):
    """An output that `snakemake --report` shows, too."""
    return report(
        path, category=kind, labels={"name": f"{{{of}}}", "as": Path(path).suffix}
    )
