"""What a method gains over another at each client (in no paper)."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class Differences(FigureKind):
    """A dot a client: its score after the last round by a method less that by another.

    Attributes
    ----------
    of
        A method.
    to
        The method that it is compared with.
    settings
        Setting by label of its line.
    """

    of: str
    to: str
    settings: dict[str, str]
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

        from fedreact import plugins
        from fedreact.figures.style import COLOURS, seeds_of

        shown = [s for s in self.settings if (s, "of") in cells and (s, "to") in cells]
        figure = Figure(figsize=(6, 1.2 + 0.5 * max(1, len(shown))), layout="constrained")
        n = seeds_of(cells)
        seeds = f"mean over {n} seeds" if n > 1 else "one seed"
        figure.suptitle(f"{title}, {seeds}", fontsize="small", x=0.01, ha="left")
        axes, labels, measured = figure.subplots(), [], "Score"
        for i, label in enumerate(shown):
            (ours, metric), (theirs, _) = (_of_clients(cells[label, side]) for side in ("of", "to"))
            gains, shown_as = ours - theirs, plugins.load("metrics", metric, "METRIC")
            up, down = (gains > 0).sum(), (gains < 0).sum()
            up, down = (down, up) if shown_as.better == "lower" else (up, down)
            measured = shown_as.title
            labels.append(f"{label}\n{up} better, {down} worse")
            spread = np.linspace(-0.3, 0.3, len(gains)) if len(gains) > 1 else np.zeros(1)
            axes.plot(np.sort(gains), i + spread, ".", color=COLOURS[i % 7], markersize=4)
            axes.plot(gains.mean(), i, "|", color="black", markersize=14, markeredgewidth=1.5)
        axes.axvline(0, color="#666666", linewidth=0.8)
        axes.set_yticks(range(len(labels)), labels, fontsize="x-small")
        axes.set_ylim(max(1, len(labels)) - 0.4, -0.6)
        what = f"{measured}, difference after the last round; stroke: mean over clients"
        axes.set_xlabel(what, fontsize="small")
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
