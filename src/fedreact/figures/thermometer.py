"""Effect of the errors of a vehicle's thermometer and hygrometer (in no paper)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.options import Natural
from fedreact.rng import generator
from fedreact.task_models.ridge import fit_ridge

LABELS = {"noisy": "sensors with errors (default)", "none": "perfect sensors"}


@dataclass(frozen=True)
class Thermometer(FigureKind):
    """Charge over temperature in one vehicle's windows; errors of each vehicle's own regressor.

    Attributes
    ----------
    vehicle
        Number of the vehicle on the left.
    """

    vehicle: Natural

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the traces of all towns."""
        return ask.parts("sumo")

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw both panels."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.data.sumo.windows import CHANNELS, NEEDED, SCALES, THERMOMETERS, cut_windows
        from fedreact.figures.style import COLOURS, heading

        regions = [npz.load(path, "simulated region", list(NEEDED)) for path in files]
        data = {kind: cut_windows(regions, kind) for kind in THERMOMETERS}
        own = _owners(data["none"]) == self.vehicle
        if not own.any():
            raise UserError(
                f"figure of thermometers: vehicle {self.vehicle} is in none of the regions"
            )
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        centre, scale = SCALES["temperature"]
        for kind, colour in zip(THERMOMETERS, COLOURS):
            degrees = centre + scale * data[kind].X[own, CHANNELS.index("temperature"), -1]
            left.plot(degrees, data[kind].y[own], ".", markersize=3, color=colour)
            errors = np.sort(own_errors(data[kind]))
            label = f"{LABELS[kind]}: {errors.mean():.1f}"
            right.plot(np.arange(1, len(errors) + 1), errors, color=colour, label=label)
        left.set_xlabel(f"Temperature measured by vehicle {self.vehicle} (°C)", fontsize="small")
        left.xaxis.set_major_locator(MaxNLocator(5))
        left.set_ylabel("Charge (%)", fontsize="small")
        right.set_xlabel("Vehicles, each with its own ridge regression, sorted", fontsize="small")
        right.set_ylabel("Root mean square error (%)", fontsize="small")
        right.set_ylim(bottom=0)
        right.legend(
            fontsize="small", frameon=False, title="Mean over vehicles", title_fontsize="small"
        )
        for axes in (left, right):
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color="#e6e6e6", linewidth=0.6)
        heading(figure, title)
        return figure


def own_errors(data: SeriesDataset, test_share: float = 0.1) -> np.ndarray:
    """Return the RMSE ``[vehicles]`` of a ridge regression on each vehicle's window means.

    Windows are split into train and test windows at random.
    """
    from fedreact.data.sumo.windows import SCALES

    errors, owners = [], _owners(data)
    for number in np.unique(owners):
        windows = np.flatnonzero(owners == number)
        windows = generator(0, "thermometer figure", int(number)).permutation(windows)
        test, train = np.split(windows, [max(1, round(test_share * len(windows)))])
        X, y = data.X[:, : len(SCALES)].mean(axis=2), data.y
        weights = fit_ridge(X[None, train], y[None, train])[0, 0]
        errors.append(np.sqrt(np.mean((X[test] @ weights[:-1] + weights[-1] - y[test]) ** 2)))
    return np.array(errors)


def _owners(data: SeriesDataset) -> np.ndarray:
    """Return the vehicle of each window ``[N]``."""
    if data.owner is None:
        raise UserError("figure of thermometers: nothing says which vehicle a window is of")
    return data.owner


FIGURE = Thermometer
