"""FedConD and its baselines under drift, with published values and predictors without a model."""

from matplotlib.figure import Figure

from fedreact.reference.pictures.by_method import Panel, draw_methods
from fedreact.reference.pictures.contract import KeptRuns

PANELS = (
    Panel("Contexts (ExtraSensory)", "fedcond_table6_1_f1", "ExtraSensory", "f1", "F1"),
    Panel("Images (Fashion-MNIST)", "fedcond_table6_1", "Fashion-MNIST", "accuracy", "accuracy"),
    Panel("Air quality (Beijing)", "fedcond_table6_1_smape", "Air Quality", "smape", "SMAPE"),
    Panel("Workouts (FitRec)", "fedcond_table6_1_smape", "FitRec", "smape", "SMAPE"),
)


def draw(runs: KeptRuns) -> Figure:
    """Draw Table 6.1 of the paper."""
    title = "FedConD and its baselines under drift after the same compute, by task"
    about = "Table 6.1; open diamonds are published values."
    return draw_methods(runs.run("fedcond"), title, "FedConD", PANELS, about, 2)
