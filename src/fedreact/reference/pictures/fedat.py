"""FedAT and its baselines: accuracy, traffic and time for the same compute."""

from fedreact.reference.pictures.by_method import Task, draw_methods

TABLE, TWO = "fedat_table7_1", "Fashion-MNIST #2"
TASKS = (
    Task("Two kinds of images a client", TABLE, TWO, "accuracy", "accuracy"),
    Task(
        "All kinds of images at each client", TABLE, "Fashion-MNIST i.i.d.", "accuracy", "accuracy"
    ),
    Task("Traffic, two kinds a client", TABLE, TWO, "bytes", "MB a client", trivial=False),
    Task("Simulated time, two kinds a client", TABLE, TWO, "minutes", "minutes", trivial=False),
)


def draw(kept):
    """Draw Table 7.1 of the paper, and what its numbers cost."""
    title = "FedAT and its baselines after the same compute: accuracy, traffic, time"
    about = "Fashion-MNIST (Table 7.1); open diamonds are published values."
    return draw_methods(kept.run("fedat"), title, "FedAT", TASKS, about, 2)
