"""The attention of the server's first layer over its training (Fig. 5.6 of ASO-Fed)."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores

NAMED = 5


@dataclass(frozen=True)
class FirstLayer(FigureKind):
    """A panel for each dataset: channels in rows, moments of the training in columns.

    Attributes
    ----------
    panels
        Settings by title. Only the first seed of each is shown.
    """

    panels: dict[str, str]

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the attention by channel and round."""
        return [
            file for setting in self.panels.values() for file in ask.run("first_layer", setting)
        ]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels; axes name the channels that are attended to most in the end."""
        import numpy as np
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading

        lines = pd.concat([pd.read_csv(path) for path in files])
        lines = lines[lines["seed"] == lines.groupby("setting")["seed"].transform("min")]
        # Settings of data that cannot be had have no files.
        settings = set(lines["setting"])
        shown = {panel: setting for panel, setting in self.panels.items() if setting in settings}
        figure = Figure(figsize=(2.6 * len(shown) + 0.8, 3.4), layout="constrained")
        heading(figure, f"{title}, one seed")
        grid = figure.subplots(1, len(shown), squeeze=False)[0]
        for axes, (panel, setting) in zip(grid, shown.items()):
            of_setting = lines[lines["setting"] == setting]
            weight = of_setting.pivot(index="channel", columns="round", values="weight").to_numpy()
            away = np.abs(weight - 1).max() or 1.0
            image = axes.imshow(
                weight,
                aspect="auto",
                extent=(0.5, weight.shape[1] + 0.5, len(weight) - 0.5, -0.5),
                cmap="RdBu_r",
                vmin=1 - away,
                vmax=1 + away,
                interpolation="none",
            )
            # Ties go to the first channel, and names that would lie on each other are left out.
            named: list[int] = []
            for channel in np.argsort(-weight[:, -1], kind="stable")[:NAMED].tolist():
                if all(abs(channel - other) >= len(weight) / 20 for other in named):
                    named.append(channel)
            axes.set_yticks(named, [str(channel) for channel in named], fontsize=6)
            axes.tick_params(axis="x", labelsize=6)
            axes.set_title(panel, fontsize="small")
            axes.set_xlabel("Moment of training", fontsize="small")
            bar = figure.colorbar(image, ax=axes, shrink=0.8)
            bar.ax.tick_params(labelsize=6)
            bar.set_label("Attention / mean", fontsize=6)
        grid[0].set_ylabel("Channel (the most attended are named)", fontsize="small")
        return figure


FIGURE = FirstLayer
