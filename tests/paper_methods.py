"""The clustered methods of Fed-REACT's papers, as its experiment.yaml says and a run makes them."""

from dataclasses import replace
from functools import partial

import yaml
from helpers import ROOT

from fedreact.kinds import contract
from fedreact.kinds.clustered.run import make

EXPERIMENT = yaml.safe_load((ROOT / "config/papers/fed_react/experiment.yaml").read_text())
OF_PAPER = EXPERIMENT["methods"]["clustered"]


def made(method, setting):
    """A method as a run makes it: some are told another number of clusters."""
    told = method.of_run.get("n_clusters")
    if isinstance(told, int):
        setting = replace(setting, n_clusters=told)
    return make(method, setting)


METHODS = {
    name: partial(made, contract.method("clustered", name, given, "experiment.yaml"))
    for name, given in OF_PAPER.items()
}
"""``METHODS[name](setting)``."""
