"""What studies of costs are asked for, and how their lines are read."""

ARCHITECTURES = {
    "Causal CNN": "causal-cnn",
    "LSTM": "lstm",
    "Patch TST": "patchtst",
    "Times Net": "timesnet",
}


def by_labels(study, seeds=(0,)):
    """Values of ``row, column, value`` by row and column; none twice."""
    found = {}
    for row, column, value in study.run(seeds):
        assert column not in found.setdefault(row, {})
        found[row][column] = value
    return found
