"""Where models look: weights of attention over steps or inputs (M-Att, FATHOM)."""

from dataclasses import dataclass
from typing import Any, Literal

from fedreact.figures.contract import FigureKind
from fedreact.options import Natural


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

    def cells(self):
        """A cell a panel."""
        return {(panel, ""): dict(given) for panel, given in self.panels.items()}

    def draw(self, title, cells, files):
        """Draw the panels below each other; rows of a map are steps or inputs."""
        import numpy as np
        from matplotlib.figure import Figure

        from fedreact.figures.clients import kept_of_clients
        from fedreact.figures.style import COLOURS

        drawn = []
        for (panel, _), lines in cells.items():
            weights = kept_of_clients(lines, (f"attention_{self.of}",))[0][f"attention_{self.of}"]
            there = [k for k in self.clients if k < weights.shape[1]]
            whole = weights[-1][there]  # [k, n, T] or [k, n, D]
            if self.as_lines:
                drawn.append((panel, [(f"client {k}", of) for k, of in zip(there, whole)]))
            else:
                drawn += [(f"{panel}, client {k}", of) for k, of in zip(there, whole)]
        rows = max(1, len(drawn))
        figure = Figure(figsize=(6.4, 0.7 + 2.1 * rows), layout="constrained")
        figure.suptitle(f"{title}, the first seed", fontsize="small", x=0.01, ha="left")
        what = {"time": "Step of the window", "features": "Input"}[self.of]
        panels = figure.subplots(rows, 1, squeeze=False)[:, 0]
        for axes, (panel, of) in zip(panels, drawn):
            axes.set_title(panel, fontsize="small", loc="left")
            axes.tick_params(labelsize="small")
            if self.as_lines:
                for i, (label, windows) in enumerate(of):
                    look = {"color": COLOURS[i % len(COLOURS)], "linewidth": 1.0, "label": label}
                    axes.plot(np.arange(1, windows.shape[1] + 1), windows.mean(0), **look)
                axes.legend(frameon=False, fontsize="x-small")
                axes.set_xlabel(what, fontsize="small")
                axes.set_ylabel("Weight", fontsize="small")
                axes.spines[["top", "right"]].set_visible(False)
                continue
            extent = (0.5, len(of) + 0.5, of.shape[1] + 0.5, 0.5)
            look = {"aspect": "auto", "interpolation": "none", "cmap": "Greys", "extent": extent}
            figure.colorbar(axes.imshow(of.T, **look), ax=axes).set_label("Weight", size="small")
            axes.set_xlabel("Test window", fontsize="small")
            axes.set_ylabel(what, fontsize="small")
        return figure


FIGURE = Attention
