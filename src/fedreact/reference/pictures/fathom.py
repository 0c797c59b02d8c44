"""FATHOM and its baselines by task, with published values and predictors without a model."""

from matplotlib.figure import Figure

from fedreact.reference.pictures.by_method import Panel, draw_methods
from fedreact.reference.pictures.contract import KeptRuns

PANELS = (
    Panel("Contexts (ExtraSensory)", "fathom_table4_1", "ExtraSensory", "f1", "F1"),
    Panel(
        "Contexts (ExtraSensory)",
        "fathom_table4_1_ba",
        "ExtraSensory",
        "balanced_accuracy",
        "balanced accuracy",
    ),
    Panel("Air quality (Beijing)", "fathom_table4_1_smape", "Air Quality", "smape", "SMAPE"),
)


def draw(runs: KeptRuns) -> Figure:
    """Draw Table 4.1 of the paper."""
    title = "FATHOM and its baselines, by task"
    about = "Table 4.1; open diamonds are published; Ridge is a linear fit, in no paper."
    return draw_methods(runs.run("fathom"), title, "FATHOM", PANELS, about, 3)
