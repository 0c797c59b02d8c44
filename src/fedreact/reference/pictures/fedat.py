"""FedAT and its baselines: accuracy, traffic and time for the same compute."""

from matplotlib.figure import Figure

from fedreact.reference.pictures.by_method import Panel, draw_methods
from fedreact.reference.pictures.contract import KeptRuns

TABLE, TWO = "fedat_table7_1", "Fashion-MNIST #2"
PANELS = (
    Panel("Two kinds of images a client", TABLE, TWO, "accuracy", "accuracy"),
    Panel(
        "All kinds of images at each client", TABLE, "Fashion-MNIST i.i.d.", "accuracy", "accuracy"
    ),
    Panel("Traffic, two kinds a client", TABLE, TWO, "bytes", "MB a client", trivial=False),
    Panel("Simulated time, two kinds a client", TABLE, TWO, "minutes", "minutes", trivial=False),
)


def draw(runs: KeptRuns) -> Figure:
    """Draw Table 7.1 of the paper, and what its numbers cost."""
    title = "FedAT and its baselines after the same compute: accuracy, traffic, time"
    about = "Fashion-MNIST (Table 7.1); open diamonds are published values."
    return draw_methods(runs.run("fedat"), title, "FedAT", PANELS, about, 2)
