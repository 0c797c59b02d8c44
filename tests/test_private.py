"""The private parts of libraries that are used are there in the pinned versions."""

import subprocess
import sys
from types import SimpleNamespace

import torch
from snakemake.scheduling.job_scheduler import JobScheduler

from fedreact import private


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_exit_functions_run_before_a_process_ends_itself():
    code = "import atexit, os; from fedreact import private; atexit.register(print, 'closed'); "
    assert (
        run(code + "private.run_exit_functions(); import sys; sys.stdout.flush(); os._exit(0)")
        == "closed\n"
    )


def test_the_fork_server_ends():
    code = (
        "import multiprocessing, os, sys; from fedreact import private; private.stop_fork_server();"
        "context = multiprocessing.get_context('forkserver');"
        "worker = context.Process(target=os.getpid); worker.start(); worker.join();"
        "server = sys.modules['multiprocessing.forkserver']._forkserver;"
        "before = server._forkserver_pid; private.stop_fork_server();"
        "print(before is not None, server._forkserver_pid)"
    )
    assert run(code) == "True None\n"


def test_torch_has_the_product_of_onednn():
    linear = private.onednn_linear()
    assert linear is not None
    x, weight, bias = torch.ones(3, 2), torch.ones(4, 2), torch.ones(4)
    assert linear(x, weight, bias, "none", [], "").tolist() == [[3.0] * 4] * 3


def test_snakemake_has_a_limit_of_jobs_that_can_be_removed():
    assert "job_rate_limiter" in JobScheduler.__init__.__code__.co_names
    workflow = SimpleNamespace(scheduler=SimpleNamespace(job_rate_limiter=1))
    private.remove_job_rate_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is None
