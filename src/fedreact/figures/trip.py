"""One electric vehicle's trip: its way, and its charge over time (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fedreact import npz
from fedreact.errors import UserError
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.options import Natural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arrays: TypeAlias = Mapping[str, np.ndarray]

TRACE = ["time", "latitude", "longitude", "elevation", "speed", "charge"]
"""Arrays with a value for each second of each vehicle."""
NEEDED = ["vehicle", "number", "type", "role", *TRACE]
NEEDED += ["street_points", "street_starts", "street_speed"]
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

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the traces of the town."""
        return ask.parts("sumo", self.region)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the map and the panels below it."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import COLOURS, heading

        content = npz.load(files[0], "simulated region", NEEDED)
        numbers = content["number"]
        if self.vehicle not in numbers:
            raise UserError(
                f"figure of a trip: vehicle {self.vehicle} is not in this region; its vehicles are "
                f"{numbers.min()} to {numbers.max()}"
            )
        seconds = content["vehicle"] == self.vehicle
        trace = {key: content[key][seconds] for key in TRACE}
        type_, role = (content[key][numbers == self.vehicle][0] for key in ("type", "role"))
        figure = Figure(figsize=(6.4, 8), layout="constrained")
        grid = figure.add_gridspec(4, 1, height_ratios=[5, 1.1, 1, 1])
        _draw_map(figure.add_subplot(grid[0]), content, trace)

        minutes = trace["time"] / 60
        panels: list[Axes] = []
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
        trip = f"{type_} ({role}), vehicle {self.vehicle}: {km:.0f} km in {minutes[-1]:.0f} minutes"
        heading(figure, f"{title}\n{trip}")
        return figure


def _draw_map(axes: "Axes", content: Arrays, trace: Arrays) -> None:
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
    path = LineCollection(
        list(pieces), cmap=PATH, linewidths=1.8, capstyle="round", rasterized=True
    )
    path.set_array(trace["elevation"][1:])  # unlike charge, the same on each pass
    axes.add_collection(path)
    bar = axes.figure.colorbar(path, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("Height (m)", fontsize="small")
    bar.ax.tick_params(labelsize="small")
    for (x, y), marker, label in ((way[0], "o", "start"), (way[-1], "s", "end")):
        axes.plot(
            x,
            y,
            marker,
            label=label,
            markersize=8,
            color="white",
            markeredgecolor="black",
            markeredgewidth=1.4,
        )
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_xlabel("East (km)", fontsize="small")
    axes.set_ylabel("North (km)", fontsize="small")
    axes.tick_params(labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=True, fontsize="small", loc="best", framealpha=0.9, edgecolor="none")


FIGURE = Trip
