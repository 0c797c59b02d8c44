"""What a method gains over another at each client (in no paper)."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class Differences(FigureKind):
    """A dot a client: its score after the last round by a method minus that by another.

    Clients that gain are blue, clients that lose are vermilion.

    Attributes
    ----------
    of
        A method.
    to
        The method that it is compared with.
    settings
        Setting by label of its line.
    minus
        What is subtracted from what, for the axis.
    """

    of: str
    to: str
    settings: dict[str, str]
    minus: str = ""
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def cells(self):
        """Both methods on each setting."""
        return {
            (label, side): {"setting": setting, "method": method}
            for label, setting in self.settings.items()
            for side, method in (("of", self.of), ("to", self.to))
        }

    def draw(self, title, cells, files):
        """Draw a line of dots a setting, sorted, and their mean."""
        import numpy as np
        from matplotlib.figure import Figure

        from fedreact.figures.style import COLOURS, panel_names, seeds_of
        from fedreact.metrics.grammar import load_metric

        shown = [s for s in self.settings if (s, "of") in cells and (s, "to") in cells]
        figure = Figure(figsize=(6, 1.2 + 0.5 * max(1, len(shown))), layout="constrained")
        n = seeds_of(cells)
        seeds = f"mean over {n} seeds" if n > 1 else "one seed"
        figure.suptitle(f"{title}, {seeds}", fontsize="small", x=0.01, ha="left")
        axes, labels, measured = figure.subplots(), [], "Score"
        names = panel_names(shown, cells)
        for i, label in enumerate(shown):
            (ours, metric), (theirs, _) = (_of_clients(cells[label, side]) for side in ("of", "to"))
            gains, shown_as = ours - theirs, load_metric(metric)
            measured, better = shown_as.title, 1 if shown_as.better == "higher" else -1
            labels.append(
                f"{names[label]}\n{(better * gains > 0).sum()} better,"
                f" {(better * gains < 0).sum()} worse"
            )
            spread = np.linspace(-0.3, 0.3, len(gains)) if len(gains) > 1 else np.zeros(1)
            ordered = np.sort(gains)
            colours = np.array(["#8A8A8A", COLOURS[0], COLOURS[1]])[
                np.sign(better * ordered).astype(int)
            ]
            axes.scatter(ordered, i + spread, s=9, color=colours, zorder=3)
            axes.plot(gains.mean(), i, "|", color="black", markersize=14, markeredgewidth=1.5)
        axes.axvline(0, color="#666666", linewidth=0.8)
        axes.set_yticks(range(len(labels)), labels, fontsize="x-small")
        axes.set_ylim(max(1, len(labels)) - 0.4, -0.6)
        minus = f"{measured} after the last round{self.minus and f': {self.minus}'}"
        axes.set_xlabel(f"{minus}\na dot: one client; stroke: mean over clients", fontsize="small")
        axes.tick_params(axis="x", labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        return figure


def _of_clients(lines):
    """Scores ``[K]`` of the last round, mean over seeds, and what they are."""
    import numpy as np

    from fedreact.figures.clients import kept_of_clients

    kept = kept_of_clients(lines)
    return np.mean([of["score"][-1] for of in kept], axis=0), kept[0]["metric"]


FIGURE = Differences
