"""Figure of one electric vehicle's trip: where it drove, and what became of its charge."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fedreact.errors import UserError
from fedreact.paper.figures import COLOURS

NEEDED = ["vehicle", "number", "type", "role", "time", "latitude", "longitude", "elevation"]
NEEDED += ["speed", "charge", "street_points", "street_starts", "street_speed"]
MAIN = 15.0  # m/s, from which a street is drawn broad
PATH = "viridis"


def trip(content: dict[str, np.ndarray], vehicle: int, title: str) -> Figure:
    """Way on the map, coloured by height; below it charge, height and speed over time.

    Parameters
    ----------
    content
        Traces of a region, as :func:`fedreact.data.sumo_ev.simulate.simulate` returns them.
    vehicle
        Number of the vehicle.

    Raises
    ------
    UserError
        The vehicle is not of this region.
    """
    numbers = content["number"]
    if vehicle not in numbers:
        raise UserError(
            f"figure of a trip: vehicle {vehicle} is not in this region; its vehicles are "
            f"{numbers.min()} to {numbers.max()}"
        )
    of = content["vehicle"] == vehicle
    trace = {key: content[key][of] for key in NEEDED[4:10]}
    type_, role = (content[key][numbers == vehicle][0] for key in ("type", "role"))
    figure = Figure(figsize=(6.4, 8), layout="constrained")
    grid = figure.add_gridspec(4, 1, height_ratios=[5, 1.1, 1, 1])
    _map(figure, figure.add_subplot(grid[0]), content, trace)

    minutes, panels = trace["time"] / 60, []
    series = {"charge": "Charge\nin %", "elevation": "Height\nin m", "speed": "Speed\nin km/h"}
    for row, ((key, label), colour) in enumerate(zip(series.items(), COLOURS), start=1):
        axes = figure.add_subplot(grid[row], sharex=panels[0] if panels else None)
        panels.append(axes)
        values = trace[key] * (3.6 if key == "speed" else 1)
        axes.plot(minutes, values, color=colour, linewidth=0.7 if key == "speed" else 1.2)
        axes.set_ylabel(label, fontsize="small")
        axes.yaxis.set_major_locator(MaxNLocator(3))
        axes.margins(x=0)
        axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize="small", labelbottom=row == len(series))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("Minutes since it set off", fontsize="small")
    figure.align_ylabels(panels)
    km = trace["speed"].sum() / 1000
    what = f"{type_} ({role}), vehicle {vehicle}: {km:.0f} km in {minutes[-1]:.0f} minutes"
    figure.suptitle(f"{title}\n{what}", fontsize="small", x=0.01, ha="left")
    return figure


def _map(figure, axes, content, trace):
    """Draw streets and the way, in km from the middle of the town."""
    middle = content["street_points"].mean(axis=0)
    degree = np.array([111.32 * np.cos(np.deg2rad(middle[1])), 111.13])  # km

    streets = (content["street_points"] - middle) * degree
    lines = np.split(streets, content["street_starts"][1:-1])
    width = np.where(content["street_speed"] > MAIN, 1.8, 0.8)
    axes.add_collection(LineCollection(lines, colors="#d9d9d9", linewidths=width))
    way = (np.stack([trace["longitude"], trace["latitude"]], axis=1) - middle) * degree
    pieces = np.stack([way[:-1], way[1:]], axis=1)
    path = LineCollection(pieces, cmap=PATH, linewidths=1.8, capstyle="round", rasterized=True)
    path.set_array(trace["elevation"][1:])  # the same on each pass, as charge is not
    axes.add_collection(path)
    bar = figure.colorbar(path, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("Height in m", fontsize="small")
    bar.ax.tick_params(labelsize="small")
    for at, marker, label in ((way[0], "o", "start"), (way[-1], "s", "end")):
        look = {"markersize": 8, "color": "white", "markeredgecolor": "black"}
        axes.plot(*at, marker, label=label, markeredgewidth=1.4, **look)
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_xlabel("km eastwards", fontsize="small")
    axes.set_ylabel("km northwards", fontsize="small")
    axes.tick_params(labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=True, fontsize="small", loc="best", framealpha=0.9, edgecolor="none")
