"""The steps that make a run's scores from raw data."""

from fedreact.resolve.cells import Cell
from fedreact.resolve.plan import Plan

Step = tuple[str, dict[str, str]]
"""A rule, and the wildcards of its job."""


def steps(plan: Plan, paper: str, cell: Cell, seed: int) -> list[Step]:
    """Return the steps of a cell's run with a seed, in their order."""
    run = plan.runs.run(cell.kind, paper, cell.data, cell.setting, cell.job)
    data = {"dataset": cell.data}
    dealt = {"paper": run.owner, **data, "partition": run.partition, "seed": str(seed)}
    needed: list[Step] = [("prepare_data", data), ("make_partition", dealt)]
    if run.encoder:
        owner, name, own = run.encoder
        seed_of = str(seed if own is None else own)
        encoder = {"paper": owner, **data, "encoder": name, "seed": seed_of}
        partition = plan.encoders.partition(name)
        trained_on = {"paper": owner, **data, "partition": partition, "seed": seed_of}
        if trained_on != dealt:
            needed.append(("make_partition", trained_on))
        needed += [("train_encoder", encoder), ("extract_features", encoder)]
    place = {"kind": cell.kind, "paper": paper, **data, "setting": cell.setting, "job": cell.job}
    return [*needed, ("run", {**place, "seed": str(seed)})]
