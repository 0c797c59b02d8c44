"""What matters to each claim on clustering: indices of all open choices, in the kept multiverse."""

import io
import json

import pandas as pd
from matplotlib.figure import Figure

from fedreact.multiverse import figures
from fedreact.multiverse.summary import MANY, Design
from fedreact.reference.keep import MULTIVERSE
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns
from fedreact.reference.pictures.multiverse import PAPER


def draw(runs: KeptRuns) -> Figure:
    """Draw indices of choices and pairs of choices, on settings that run in many universes."""
    run = runs.run(PAPER, having=f"{MULTIVERSE}/asked.json")
    design = Design.read(json.loads(run.text(f"{PAPER}/{MULTIVERSE}/asked.json")))
    matters, pairs = (
        pd.read_csv(io.StringIO(run.text(f"{PAPER}/{MULTIVERSE}/{file}")))
        for file in ("matters.csv", "pairs.csv.gz")
    )
    many = [setting for setting, n in design.settings.items() if n >= MANY]
    matters, pairs = (lines[lines["setting"].isin(many)] for lines in (matters, pairs))
    title = f"What matters to claims on clustering, scale {run.scale}"
    return figures.matrix(matters, pairs, design, title, marks.WIDTH)
