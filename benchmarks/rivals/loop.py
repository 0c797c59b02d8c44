"""A loop over clients in torch, one after the other, as most people write it."""

import copy

import torch

from rivals.case import flat


def run(job, orders):
    """Train with torch's threads on all cores."""
    case = job.case
    torch.set_num_threads(job.cores)
    model = case.module(job.theta)
    case.prepare()
    sizes = [len(case.client(k)) for k in range(case.clients)]
    while (t := orders.next(lambda: flat(model))) is not None:
        total = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
        for k, n in enumerate(sizes):
            local = copy.deepcopy(model)
            if t:
                case.train(local, k, t)
            for name, value in local.state_dict().items():
                total[name] += n * value
        model.load_state_dict({name: value / sum(sizes) for name, value in total.items()})
