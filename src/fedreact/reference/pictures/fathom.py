"""FATHOM and its baselines by task, with published values and predictors without a model."""

from fedreact.reference.pictures.by_method import Task, draw_methods

TASKS = (
    Task("Contexts (ExtraSensory)", "fathom_table4_1", "ExtraSensory", "f1", "F1"),
    Task(
        "Contexts (ExtraSensory)",
        "fathom_table4_1_ba",
        "ExtraSensory",
        "balanced_accuracy",
        "balanced accuracy",
    ),
    Task("Air quality (Beijing)", "fathom_table4_1_smape", "Air Quality", "smape", "SMAPE"),
)


def draw(kept):
    """Draw Table 4.1 of the paper."""
    title = "FATHOM and its baselines, by task"
    about = "Table 4.1; open diamonds are published; Ridge is a linear fit, in no paper."
    return draw_methods(kept.run("fathom"), title, "FATHOM", TASKS, about, 3)
