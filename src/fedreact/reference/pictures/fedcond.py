"""FedConD and its baselines under drift, with published values and predictors without a model."""

from fedreact.reference.pictures.by_method import Task, draw_methods

TASKS = (
    Task("Contexts (ExtraSensory)", "fedcond_table6_1_f1", "ExtraSensory", "f1", "F1"),
    Task("Images (Fashion-MNIST)", "fedcond_table6_1", "Fashion-MNIST", "accuracy", "accuracy"),
    Task("Air quality (Beijing)", "fedcond_table6_1_smape", "Air Quality", "smape", "SMAPE"),
    Task("Workouts (FitRec)", "fedcond_table6_1_smape", "FitRec", "smape", "SMAPE"),
)


def draw(kept):
    """Draw Table 6.1 of the paper."""
    title = "FedConD and its baselines under drift after the same compute, by task"
    about = "Table 6.1; open diamonds are published values."
    return draw_methods(kept.run("fedcond"), title, "FedConD", TASKS, about, 2)
