"""ASO-Fed and its baselines by task, with published values and predictors without a model."""

from fedreact.reference.pictures.by_method import Task, draw_methods

TASKS = (
    Task("Contexts (ExtraSensory)", "aso_fed_table5_1_f1", "ExtraSensory", "f1", "F1"),
    Task(
        "Images (Fashion-MNIST)",
        "aso_fed_table5_1_accuracy",
        "Fashion-MNIST",
        "accuracy",
        "accuracy",
    ),
    Task("Air quality (Beijing)", "aso_fed_table5_1_smape", "Air Quality", "smape", "SMAPE"),
    Task("Workouts (FitRec)", "aso_fed_table5_1_smape", "FitRec", "smape", "SMAPE"),
)


def draw(kept):
    """Draw Table 5.1 of the paper."""
    title = "ASO-Fed and its baselines after the same compute, by task"
    about = "Table 5.1; open diamonds are published values."
    return draw_methods(kept.run("aso_fed"), title, "ASO-Fed", TASKS, about, 2)
