"""Where models look: weights of attention over steps or inputs (M-Att, FATHOM)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.options import Natural

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Attention(FigureKind):
    """Weights in the first test windows of clients, in the first seed.

    Attributes
    ----------
    panels
        By title: what a cell of a table may say (``setting``, ``method`` and what is changed).
    of
        The steps of a window, or its inputs.
    clients
        Their numbers.
    as_lines
        A line a client, means over windows, in place of a map of windows a client.
    """

    panels: dict[str, dict[str, Any]]
    of: Literal["time", "features"] = "time"
    clients: tuple[Natural, ...] = (0,)
    as_lines: bool = False

    def cells(self) -> Entries:
        """Return a cell for each panel."""
        return {(panel, ""): dict(entry) for panel, entry in self.panels.items()}

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels below each other; rows of a map are steps or inputs."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading

        maps = {panel: self._weights(lines) for (panel, _), lines in cells.items()}
        if self.as_lines:
            titles = list(maps)
        else:
            titles = [f"{panel}, {client}" for panel, clients in maps.items() for client in clients]
        rows = max(1, len(titles))
        figure = Figure(figsize=(6.4, 0.7 + 2.1 * rows), layout="constrained")
        heading(figure, f"{title}, the first seed")
        panels = figure.subplots(rows, 1, squeeze=False)[:, 0]
        for axes, panel_title in zip(panels, titles):
            axes.set_title(panel_title, fontsize="small", loc="left")
            axes.tick_params(labelsize="small")
        if self.as_lines:
            for axes, clients in zip(panels, maps.values()):
                self._draw_lines(axes, clients)
        else:
            weights = [weight for clients in maps.values() for weight in clients.values()]
            for axes, weight in zip(panels, weights):
                self._draw_map(axes, weight)
        return figure

    def _weights(self, lines) -> "dict[str, np.ndarray]":
        """Return the weights ``[n, T]`` or ``[n, D]`` of each client that is shown."""
        from fedreact.figures.clients import client_records

        name = f"attention_{self.of}"
        record = client_records(lines, (name,))[0]
        weights = record[name][-1]
        names = record.get("name", range(len(weights)))
        return {f"client {names[k]}": weights[k] for k in self.clients if k < len(weights)}

    @property
    def _axis(self) -> str:
        """Label of the axis of steps or inputs."""
        return {"time": "Step of the window", "features": "Input"}[self.of]

    def _draw_lines(self, axes: "Axes", clients: "dict[str, np.ndarray]") -> None:
        """Draw a line a client, its mean over windows."""
        import numpy as np

        from fedreact.figures.style import COLOURS

        for i, (client, weights) in enumerate(clients.items()):
            steps = np.arange(1, weights.shape[1] + 1)
            colour = COLOURS[i % len(COLOURS)]
            axes.plot(steps, weights.mean(0), color=colour, linewidth=1.0, label=client)
        axes.legend(frameon=False, fontsize="x-small")
        axes.set_xlabel(self._axis, fontsize="small")
        axes.set_ylabel("Weight", fontsize="small")
        axes.spines[["top", "right"]].set_visible(False)

    def _draw_map(self, axes: "Axes", weights: "np.ndarray") -> None:
        """Draw the weights of a client, a column a window."""
        n, size = weights.shape
        image = axes.imshow(
            weights.T,
            aspect="auto",
            interpolation="none",
            cmap="Greys",
            extent=(0.5, n + 0.5, size + 0.5, 0.5),
        )
        axes.figure.colorbar(image, ax=axes).set_label("Weight", size="small")
        axes.set_xlabel("Test window", fontsize="small")
        axes.set_ylabel(self._axis, fontsize="small")


FIGURE = Attention
