"""The private parts of libraries that this package uses, each with what is lost without it.

No public part does the same. A new version of a library may lack one of them, so all are here, and
``tests/test_private.py`` says which one is gone.
"""

import atexit
import sys
from collections.abc import Callable
from typing import Any


def run_exit_functions() -> None:
    """Run what is registered by ``atexit``, before a fork ends by ``os._exit``.

    Without it, a step that is a fork would leave open what it registered to close.
    """
    atexit._run_exitfuncs()


def stop_fork_server() -> None:
    """Stop the server that ``multiprocessing`` starts workers from, if there is one.

    The time of workers counts as that of children once their server has ended. Without it, records
    of steps lack the CPU time of workers.
    """
    module = sys.modules.get("multiprocessing.forkserver")
    stop = getattr(getattr(module, "_forkserver", None), "_stop", None)
    if stop is not None:
        stop()


def onednn_linear() -> Callable[..., Any] | None:
    """Return oneDNN's ``x w' + b`` of torch, or ``None`` where torch was built without it.

    Without it, products are torch's own: half as fast on processors of AMD.
    """
    import torch  # only what computes loads it

    return getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def remove_job_rate_limit(workflow: Any) -> None:
    """Let Snakemake start the jobs of this machine without a limit of 100 a second.

    For each job that ended, its limiter looks for jobs once more, each second, and asks for the
    parameters of all that are ready (snakemake/snakemake#3744): with 800 jobs, a sixth of a core.
    Without this, a run takes that time.
    """
    workflow.scheduler.job_rate_limiter = None
