"""Figure of what the errors of a vehicle's thermometer and hygrometer change."""

import numpy as np
from matplotlib.figure import Figure

from fedreact.data.dataset import SeriesDataset
from fedreact.data.sumo_ev.windows import CHANNELS, SCALES, THERMOMETERS, cut_windows
from fedreact.errors import UserError
from fedreact.linear_regression import fit_ridge
from fedreact.paper.figures import COLOURS
from fedreact.rng import generator

LABELS = {"noisy": "sensors with errors, as taken", "none": "perfect sensors"}


def thermometer(regions: list[dict[str, np.ndarray]], vehicle: int, title: str) -> Figure:
    """Charge over temperature in one vehicle's windows; errors of each vehicle's own regressor.

    Parameters
    ----------
    regions
        Traces of regions, as :func:`fedreact.data.sumo_ev.simulate.simulate` returns them.
    vehicle
        Number of the vehicle on the left.

    Raises
    ------
    UserError
        The vehicle is in none of the regions.
    """
    data = {kind: cut_windows(regions, kind) for kind in THERMOMETERS}
    of = data["none"].subject == vehicle
    if not of.any():
        raise UserError(f"figure of thermometers: vehicle {vehicle} is in none of the regions")
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    centre, scale = SCALES["temperature"]
    for kind, colour in zip(THERMOMETERS, COLOURS):
        shown = centre + scale * data[kind].X[of, CHANNELS.index("temperature"), -1]
        left.plot(shown, data[kind].y[of], ".", markersize=3, color=colour)
        errors = np.sort(own_errors(data[kind]))
        label = f"{LABELS[kind]}: {errors.mean():.1f}"
        right.plot(np.arange(1, len(errors) + 1), errors, color=colour, label=label)
    left.set_xlabel(f"Temperature that vehicle {vehicle} sees, in °C", fontsize="small")
    left.set_ylabel("Charge in %", fontsize="small")
    right.set_xlabel("Vehicles, each with its own ridge regression, sorted", fontsize="small")
    right.set_ylabel("Root mean square error in %", fontsize="small")
    right.set_ylim(bottom=0)
    right.legend(
        fontsize="small", frameon=False, title="Mean over vehicles", title_fontsize="small"
    )
    for axes in (left, right):
        axes.tick_params(labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e6e6e6", linewidth=0.6)
    figure.suptitle(title, fontsize="small", x=0.01, ha="left")
    return figure


def own_errors(data: SeriesDataset, test_share: float = 0.1) -> np.ndarray:
    """RMSE ``[vehicles]`` of a ridge regression on each vehicle's window means, split at random."""
    found = []
    for number in np.unique(data.subject):
        of = np.flatnonzero(data.subject == number)
        of = generator(0, "thermometer figure", int(number)).permutation(of)
        test, train = np.split(of, [max(1, round(test_share * len(of)))])
        X, y = data.X[:, : len(SCALES)].mean(axis=2), data.y
        weights = fit_ridge(X[None, train], y[None, train])[0, 0]
        found.append(np.sqrt(np.mean((X[test] @ weights[:-1] + weights[-1] - y[test]) ** 2)))
    return np.array(found)
