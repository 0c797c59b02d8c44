# The checked configuration, and the helpers that the rules share.

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, f"{workflow.basedir}/src")

from fedreact.data.sumo_ev.regions import REGIONS
from fedreact.errors import UserError
from fedreact.variants import split_variant
from fedreact.workflow.config import command_options, load_plan
from fedreact.workflow.digest import code_digest
from fedreact.workflow.start import check_writable, mend_times, remove_parts

try:
    PLAN = load_plan(config)
except UserError as error:
    raise WorkflowError(str(error)) from None

PLAN.export()
R = PLAN.results

# A prefix of one's own replaces Snakemake's, without which a failed step behind a pipe is a success.
# It is a file, since Snakemake prints the whole command of a step that has failed.
shell.prefix(f'. "{workflow.basedir}/workflow/step.sh" "{workflow.basedir}/src"; ')


wildcard_constraints:
    dataset=r"[a-z0-9-]+",
    partition=r"[a-z0-9.-]+",
    encoder=r"[A-Za-z0-9.+=_-]+",
    setting=r"[A-Za-z0-9.+=_-]+",
    architecture=r"[a-z0-9-]+",
    seed=r"\d+",


def get_ready():
    """What must be so before the first step."""
    try:
        check_writable(Path(R))
        remove_parts(Path(R))
    except UserError as error:
        raise WorkflowError(f"error: {error}") from None
    if n := mend_times(Path(R), Path("config"), Path("src")):
        print(
            f"{n} files are from the future (was the clock set back?): their times are now's."
        )


def encoder_code(script, wildcards):
    """Digest of a script and of the user's encoder, if it is one."""
    return code_digest(script, *PLAN.own_encoder(wildcards.encoder))
