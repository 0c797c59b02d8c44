"""What commands share that write the clients of a dataset: a partition, or options of one."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fedreact.cli import words
from fedreact.clients.partitioners.owner import Owner
from fedreact.errors import UserError

if TYPE_CHECKING:
    from fedreact.clients.partition import Partition
    from fedreact.data.dataset import SeriesDataset

F = TypeVar("F", bound=Callable[..., Any])


def deals(function: F) -> F:
    """Give a command the options that say who holds which series."""
    function = words.options_of(Owner, section="Clients and test series")(function)
    seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the split.")
    file = click.option(
        "--partition", help="A partition that a run has made, instead of options of the split."
    )
    return file(seed(function))


def dealt(
    data: str, given: Mapping[str, Any], needed: bool
) -> "tuple[SeriesDataset, Partition | None]":
    """Read a dataset, and deal its series to clients.

    Parameters
    ----------
    data
        Name or file.
    given
        Words of the command.
    needed
        Whether there must be clients.

    Raises
    ------
    UserError
        There is no such data, or a client has too few series.
    """
    from fedreact.clients.partition import Partition
    from fedreact.io.opening import open_data

    read = open_data(data, words.data_folder())
    if given["partition"] is not None:
        return read, Partition.load(Path(given["partition"]), len(read.y))
    if read.owner is None:
        if needed:
            raise UserError(
                f"{data} names no clients: name them (fedreact import --client), or give a "
                "--partition"
            )
        return read, None
    asked = dict(given)
    if asked["split"] is None and read.tested is not None:
        asked["split"] = "source"
    return read, words.made(Owner, asked).deal(read, given["seed"])
