"""One electric vehicle's trip: where it drove, and what became of its charge (in no paper)."""

from dataclasses import dataclass

import numpy as np

from fedreact import npz
from fedreact.errors import UserError
from fedreact.figures.contract import FigureKind
from fedreact.options import Natural

NEEDED = ["vehicle", "number", "type", "role", "time", "latitude", "longitude", "elevation"]
NEEDED += ["speed", "charge", "street_points", "street_starts", "street_speed"]
MAIN = 15.0  # m/s, from which a street is drawn broad
PATH = "viridis"


@dataclass(frozen=True)
class Trip(FigureKind):
    """Way on the map, coloured by height; below it charge, height and speed over time.

    Attributes
    ----------
    region
        Town.
    vehicle
        Number of the vehicle, which is of this town.
    """

    region: str
    vehicle: Natural

    def inputs(self, ask):
        """The traces of the town."""
        return ask.parts("sumo", self.region)

    def draw(self, title, cells, files):
        """Draw the map and the panels below it."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import COLOURS

        content = npz.load(files[0], "simulated region", NEEDED)
        numbers = content["number"]
        if self.vehicle not in numbers:
            raise UserError(
                f"figure of a trip: vehicle {self.vehicle} is not in this region; its vehicles are "
                f"{numbers.min()} to {numbers.max()}"
            )
        of = content["vehicle"] == self.vehicle
        trace = {key: content[key][of] for key in NEEDED[4:10]}
        type_, role = (content[key][numbers == self.vehicle][0] for key in ("type", "role"))
        figure = Figure(figsize=(6.4, 8), layout="constrained")
        grid = figure.add_gridspec(4, 1, height_ratios=[5, 1.1, 1, 1])
        _map(figure, figure.add_subplot(grid[0]), content, trace)

        minutes, panels = trace["time"] / 60, []
        series = {"charge": "Charge\n(%)", "elevation": "Height\n(m)", "speed": "Speed\n(km/h)"}
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
        axes.set_xlabel("Time since departure (min)", fontsize="small")
        figure.align_ylabels(panels)
        km = trace["speed"].sum() / 1000
        what = f"{type_} ({role}), vehicle {self.vehicle}: {km:.0f} km in {minutes[-1]:.0f} minutes"
        figure.suptitle(f"{title}\n{what}", fontsize="small", x=0.01, ha="left")
        return figure


def _map(figure, axes, content, trace):
    """Draw streets and the way, in km from the middle of the town."""
    from matplotlib.collections import LineCollection

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
    bar.set_label("Height (m)", fontsize="small")
    bar.ax.tick_params(labelsize="small")
    for at, marker, label in ((way[0], "o", "start"), (way[-1], "s", "end")):
        look = {"markersize": 8, "color": "white", "markeredgecolor": "black"}
        axes.plot(*at, marker, label=label, markeredgewidth=1.4, **look)
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_xlabel("East (km)", fontsize="small")
    axes.set_ylabel("North (km)", fontsize="small")
    axes.tick_params(labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=True, fontsize="small", loc="best", framealpha=0.9, edgecolor="none")


FIGURE = Trip
