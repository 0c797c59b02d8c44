"""Clients with files of their own, and plans of a federation that take a second."""

from small_synchronous import PARTITION, inputs

from fedreact.federation.client import Client
from fedreact.federation.memory import MemoryLink, no_fault
from fedreact.federation.plan import Serving, plan_of
from fedreact.federation.server import serve
from fedreact.io.exports.npz import Npz

RUN = {
    "architecture": "cnn-small",
    "rounds": 3,
    "steps": 3,
    "batch_size": 8,
    "learning_rate": 0.01,
}
ENCODER = {"rounds": 2, "steps": 3, "batch_size": 4, "negatives": 3}


def split(folder, kind="classification"):
    """The files of three clients."""
    Npz().write(inputs(kind).data, PARTITION, folder)
    return sorted(folder.glob("*.npz"))


def synchronous(algorithm, options=None, **run):
    return plan_of(
        {
            "kind": "synchronous",
            "algorithm": algorithm,
            "options": options or {},
            "run": RUN | run,
            "seed": 3,
        }
    )


def clustered(algorithm, options=None, encoder=ENCODER, **run):
    return plan_of(
        {
            "kind": "clustered",
            "algorithm": algorithm,
            "options": options or {},
            "run": {"rounds": 4, "samples_per_round": 16, "n_clusters": 2} | run,
            "encoder": encoder,
            "seed": 3,
        }
    )


def link(files, folder, fault=no_fault):
    clients = {k: Client(file, folder / f"client{k}") for k, file in enumerate(files)}
    return MemoryLink(clients, fault)


def serving(folder, **more):
    asked = {"clients": 3, "folder": str(folder / "server"), "wait": 0.2, "answer": 0.2}
    return Serving(**(asked | more))


def federated(plan, files, folder, fault=no_fault, **more):
    """The outcome of a plan, and the link that its messages went over."""
    over = link(files, folder, fault)
    return serve(plan, serving(folder, **more), over), over


def same(a, b):
    """Whether two arrays have the same bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
