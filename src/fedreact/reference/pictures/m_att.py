"""M-Att and its baselines by task, with published values and predictors without a model."""

from matplotlib.figure import Figure

from fedreact.reference.pictures.by_method import Panel, draw_methods
from fedreact.reference.pictures.contract import KeptRuns

PANELS = (
    Panel("Contexts (ExtraSensory)", "m_att_table3_2", "Average", "f1", "F1"),
    Panel(
        "Contexts (ExtraSensory)",
        "m_att_table3_2_ba",
        "Average",
        "balanced_accuracy",
        "balanced accuracy",
    ),
    Panel("Air quality (Beijing)", "m_att_table3_3_smape", "Average", "smape", "SMAPE"),
)


def draw(runs: KeptRuns) -> Figure:
    """Draw Tables 3.2 and 3.3 of the paper."""
    title = "M-Att and its baselines, by task"
    about = "Tables 3.2 and 3.3; open diamonds are published; Ridge is a linear fit, in no paper."
    return draw_methods(runs.run("m_att"), title, "M-Att", PANELS, about, 3)
