"""Table 12 and what travels in a round: parameters, FLOPs, milliseconds, bytes."""

import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from _cli import atomic, log, parser, run

from fedreact import costs
from fedreact.models.supervised import ARCHITECTURES
from fedreact.paper import cells, origins, render
from fedreact.workflow.reading import read_yaml

COLUMNS = {
    "Causal CNN": "causal-cnn",
    "LSTM": "lstm",
    "Patch TST": "patchtst",
    "Times Net": "timesnet",
}
SERIES = (3, 100, 10)  # channels, steps and classes of RTD


def main(args):
    """Count, measure, write both tables."""
    outputs = read_yaml(args.outputs)["costs"]
    published = read_yaml(args.published)
    made = {name: make(*SERIES) for name, make in ARCHITECTURES.items()}
    tables = {
        "table12": pd.DataFrame(table12(made, published, args.batch_size), columns=cells.COLUMNS),
        "communication": pd.DataFrame(
            communication(made, args.features, args.clusters), columns=cells.COLUMNS
        ),
    }
    for output in args.outputs_csv:
        name = output.stem
        source = published["source"] if name == "table12" else "nothing"
        text = f"{outputs[name]['title']}. Published: {source}."
        notes = outputs[name]["notes"]
        forms = {
            ".csv": tables[name].to_csv(index=False, float_format="%.6f", lineterminator="\n"),
            ".tex": render.latex(tables[name], name, text, notes),
            ".md": render.markdown(tables[name], text, notes),
        }
        for suffix, content in forms.items():
            with atomic(output.with_suffix(suffix)) as path:
                path.write_text(content)
        came_from = origins.origins(
            name, tables[name], published, str(args.published), output.with_suffix(".csv")
        )
        with atomic(output.with_suffix(origins.SUFFIX)) as path:
            path.write_text(json.dumps(came_from, indent=1) + "\n")
        log.info("%s", forms[".md"])


def table12(made, published, batch_size):
    """Parameters and FLOPs beside the published ones, and what a training step takes here."""
    quantities = {
        "Number of Parameters (K)": lambda a: a.n_parameters / 1e3,
        "FLOPs (M)": lambda a: costs.flops(a) / 1e6,
        f"Milliseconds a training step of {batch_size} series, one core": lambda a: (
            1e3 * seconds_a_step(a, batch_size)
        ),
        "Sent and received by a client in a round (MB)": lambda a: (
            costs.bytes_per_round(a.n_parameters) / 1e6
        ),
    }
    for row, count in quantities.items():
        known = dict(zip(published["columns"], published["rows"].get(row, [])))
        for column, name in COLUMNS.items():
            value = known.get(column)
            yield line("table12", row, column, count(made[name]), value)


def line(table, row, column, ours, value=None):
    """Make a cell; a published number is reproduced if ours rounds to it."""
    verdict, difference = "not-comparable", None
    if value is not None:
        decimals = len(str(value).split(".")[1])
        difference = ours - value
        verdict = "reproduced" if round(ours, decimals) == value else "differs"
    cell = [table, row, column, "costs", "computed", ours, np.nan, np.nan, 1]
    return [*cell, value, difference, verdict]


def communication(made, features, C):
    """Kilobytes that a client receives and sends in a round (arXiv, section 4.2 and K.2)."""
    task_model = made["lstm"].n_out * (features + 1)
    encoder = made["causal-cnn"].encoder.n_parameters
    methods = {
        "Phase 1 of Fed-REACT (encoder)": (encoder, encoder),
        "Phase 2 of Fed-REACT, FLACC, FedAvg (task model)": (task_model, task_model),
        f"IFCA, FLSC ({C} clusters; task models)": (C * task_model, task_model),
    }
    for label, name in COLUMNS.items():
        P = made[name].n_parameters
        methods[f"{label} by FedAvg, FedProx, Ditto, APFL"] = (P, P)
    for row, ways in methods.items():
        for column, n in zip(("Received (KB)", "Sent (KB)"), ways):
            yield line("communication", row, column, 4 * n / 1e3)


def seconds_a_step(architecture, batch_size, repeats=5):
    """CPU seconds of a forward and backward pass, the median of some."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    theta = architecture.init(generator)[None].requires_grad_()
    x = torch.randn(1, batch_size, SERIES[1], SERIES[0], generator=generator)
    taken = []
    for _ in range(repeats):
        started = time.process_time()
        architecture.forward(theta, x).square().sum().backward()
        taken.append(time.process_time() - started)
    return sorted(taken)[repeats // 2]


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--outputs", type=Path, default=Path("config/outputs.yaml"))
    p.add_argument("--published", type=Path, default=Path("config/published/table12.yaml"))
    p.add_argument("--batch-size", type=int, default=50)
    p.add_argument("--features", type=int, default=320, help="of the encoder")
    p.add_argument("--clusters", type=int, default=3)
    p.add_argument("--outputs-csv", type=Path, nargs="+", required=True, help="one for each table")
    run(main, p)
