"""The lead over IFCA, FLSC and FLACC in all universes, sorted, and what each universe chooses."""

import json

from matplotlib.figure import Figure

from fedreact.multiverse import figures, summary
from fedreact.multiverse.summary import Design
from fedreact.reference.keep import MULTIVERSE, UNIVERSES
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

PAPER, CLAIM, SETTING = "fed_react", "a1-beats-clustered-stationary", "stationary10"


def draw(runs: KeptRuns) -> Figure:
    """Draw the specification curve of the claim that the paper rests on."""
    run = runs.run(PAPER, having=f"{MULTIVERSE}/asked.json")
    design = Design.read(json.loads(run.text(f"{PAPER}/{MULTIVERSE}/asked.json")))
    universes = summary.read_kept(run.text(f"{PAPER}/{MULTIVERSE}/{UNIVERSES}.gz"), design)
    return figures.curve(universes, design, CLAIM, SETTING, run.scale, marks.WIDTH)
