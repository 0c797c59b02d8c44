"""ASO-Fed and its baselines by task, with published values and predictors without a model."""

from matplotlib.figure import Figure

from fedreact.reference.pictures.by_method import Panel, draw_methods
from fedreact.reference.pictures.contract import KeptRuns

PANELS = (
    Panel("Contexts (ExtraSensory)", "aso_fed_table5_1_f1", "ExtraSensory", "f1", "F1"),
    Panel(
        "Images (Fashion-MNIST)",
        "aso_fed_table5_1_accuracy",
        "Fashion-MNIST",
        "accuracy",
        "accuracy",
    ),
    Panel("Air quality (Beijing)", "aso_fed_table5_1_smape", "Air Quality", "smape", "SMAPE"),
    Panel("Workouts (FitRec)", "aso_fed_table5_1_smape", "FitRec", "smape", "SMAPE"),
)


def draw(runs: KeptRuns) -> Figure:
    """Draw Table 5.1 of the paper."""
    title = "ASO-Fed and its baselines after the same compute, by task"
    about = "Table 5.1; open diamonds are published values."
    return draw_methods(runs.run("aso_fed"), title, "ASO-Fed", PANELS, about, 2)
