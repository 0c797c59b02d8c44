"""How much work a job is, and how fast this machine does it where no earlier run has shown it.

Trainings are measured in GFLOPs by the rule of :mod:`fedreact.costs`, Phase 2 in fits: rounds x
clients that take part x methods. Neither counts what does not grow with them, start-up above all.
"""

import shlex
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from fedreact.costs import contrastive_flops, flops, training_flops
from fedreact.federated.algorithms import ALGORITHMS
from fedreact.federated.engine import Job, Stacked, keep_heap
from fedreact.federated.fedavg import FedAvg
from fedreact.federated.local import LocalTraining
from fedreact.losses import ContrastiveLoss, SupervisedLoss
from fedreact.models.causal_cnn import VARIANTS
from fedreact.models.supervised import ARCHITECTURES
from fedreact.variants import split_variant
from fedreact.workflow.config import Plan

ENCODER, SUPERVISED, PHASE2 = (
    f"scripts/{name}.py" for name in ("train_encoder", "train_supervised", "run_phase2")
)

SHAPES = {"digits": (3, 100, 10), "eeg": (21, 160, 2), "sumo": (14, 100, 1)}
"""Channels, steps and outputs of each kind of data."""

KINDS = {"eegmmidb": "eeg", "eeg-sim": "eeg", "sumo-ev": "sumo"}
"""Kind of each source that is not of digits."""

SECONDS_A_FIT = 8e-5
"""CPU seconds: Phase 2 takes 20 s for 200 rounds, 100 clients and 13 methods (docs/design.md)."""


def options_of(command: str) -> tuple[str, dict[str, list[str]]]:
    """Script of a command line, and the words of each of its options."""
    words, options = shlex.split(command.split(" 2>&1")[0]), {}
    own = []
    for word in words[2:]:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            own = options.setdefault(name, [value] if value else [])
        else:
            own.append(word)
    return words[1], options


def kind_of(output: str) -> str:
    """Kind of data of a result, by its path."""
    names = [*Path(output).parts, Path(output).stem]
    return next((KINDS[name] for name in names if name in KINDS), "digits")


def model_of(script: str, options: dict[str, list[str]]) -> str:
    """What is trained, if anything is."""
    name = {ENCODER: "encoder", SUPERVISED: "architecture"}.get(script)
    return options[name][0] if name else ""


def work(script: str, options: dict[str, list[str]], output: str, plan: Plan) -> float | None:
    """GFLOPs of a training, or fits of Phase 2; ``None`` for what always takes about the same."""

    def number(name, otherwise=None):
        return float(options[name][0]) if name in options else otherwise

    if script not in (ENCODER, SUPERVISED, PHASE2):
        return None
    channels, length, n_out = SHAPES[kind_of(output)]
    name = Path(output).parts[4]
    if script == ENCODER:
        loss = contrastive(options["encoder"][0], channels)
        anchors = plan.n_clients(name) * number("rounds") * number("steps") * number("batch-size")
        return anchors * training_flops(contrastive_flops(loss, length)) / 1e9
    clients = plan.clients_of(name)
    if script == PHASE2:
        return clients * number("participation", 1.0) * number("rounds") * len(options["methods"])
    setting = plan.experiments["settings"][split_variant(name)[0]]
    samples = number("epochs") * setting["samples_per_round"]  # all of a client, in these settings
    if "steps" in options:
        samples = number("steps") * number("batch-size")
    models = sum(ALGORITHMS[algorithm].models for algorithm in options["algorithms"])
    architecture = ARCHITECTURES[options["architecture"][0]](channels, length, n_out)
    passes = clients * models * number("rounds") * samples
    return passes * training_flops(flops(architecture)) / 1e9


def contrastive(encoder: str, channels: int) -> ContrastiveLoss:
    """Objective of Phase 1."""
    return ContrastiveLoss(replace(VARIANTS[encoder], in_channels=channels))


def calibrate(script: str, model: str, device: str = "cpu") -> float:
    """Seconds a GFLOP, from a few training steps on random digits: of CPU time, or on a GPU.

    One client on the CPU, ten at once on a GPU; the first step is not counted. Steps of Phase 1
    are of random length, so more of them are measured.
    """
    channels, length, n_out = SHAPES["digits"]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, length, channels), dtype=np.float32)
    if script == ENCODER:
        objective, batch, y, steps = contrastive(model, channels), 10, None, 20
        start = objective.encoder.init
        gflops = training_flops(contrastive_flops(objective, length)) / 1e9
    else:
        architecture = ARCHITECTURES[model](channels, length, n_out)
        objective, batch, steps = SupervisedLoss(architecture), 50, 3
        y = rng.integers(0, n_out, len(X))
        start = architecture.init
        gflops = training_flops(flops(architecture)) / 1e9
    K = 1 if device == "cpu" else 10
    theta = start(torch.Generator().manual_seed(0)).numpy()
    torch.set_num_threads(1)
    keep_heap()
    clock = time.process_time if device == "cpu" else time.perf_counter

    def seconds(n):
        job = Job(LocalTraining(objective, n, batch), FedAvg(), X, [np.arange(len(X))] * K, 0, y)
        engine, begun = Stacked(job, device), clock()
        engine.round(theta, {}, 1, lambda *_: None)
        return clock() - begun

    seconds(1)
    return seconds(steps) / (steps * batch * K * gflops)
