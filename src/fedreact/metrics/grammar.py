"""Names of metrics: ``base``, ``base@subset``, ``base:reducer`` or ``base@subset:reducer``.

``accuracy@worst_fifth:var`` is the base ``accuracy`` over the subset ``worst_fifth`` of the
clients, reduced to the variance of their values. Each part is the name of a file
(:mod:`fedreact.metrics.contract`), so a digest of code contains what a metric consists of, and no
more.
"""

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from fedreact import options, plugins
from fedreact.errors import UserError, unknown
from fedreact.metrics.contract import Metric
from fedreact.metrics.reducers.contract import Reducer
from fedreact.metrics.subsets.contract import ClientSubset, RecordedSubset, Subset

RECORDED = ("metrics", "recorded", "RECORDED")
"""The table of metrics that runs record themselves."""
PARTS = {
    "base": ("metrics", "METRIC", ""),
    "subset": ("metrics/subsets", "SUBSET", "without one, all clients and samples count"),
    "reducer": ("metrics/reducers", "REDUCER", "without one, it is the mean over clients"),
}
"""Folder of each part of a name, what a file there defines, and the default of the part."""
NAME = re.compile(r"(?P<base>\w+)(?:@(?P<subset>\w+))?(?::(?P<reducer>\w+))?", re.ASCII)


class Parts(NamedTuple):
    """Parts of the name of a metric."""

    base: str
    subset: str | None = None
    reducer: str | None = None


def parse(name: str) -> Parts:
    """Split the name of a metric; its parts need not be known.

    Raises
    ------
    UserError
        It is no name of a metric.
    """
    match = NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise _unknown(name)
    return Parts(**match.groupdict())


def load_metric(name: str) -> Metric:
    """Compose the metric of a name.

    Raises
    ------
    UserError
        A part of the name is unknown, or the parts do not make sense together.
    """
    parts = parse(name)
    metric = _base(name)
    subset: Subset | None = _load(name, "subset", parts.subset) if parts.subset else None
    reducer: Reducer | None = _load(name, "reducer", parts.reducer) if parts.reducer else None
    if subset is None and reducer is None:
        return metric
    if why := _why_not(parts, metric, subset, reducer):
        raise UserError(f"metric {name}: {why}")
    title = _title(metric.title, subset, reducer)
    if subset is not None:
        metric = subset.apply(metric)
    if reducer is not None:
        metric = reducer.apply(metric)
    return replace(metric, title=title)


def files(name: str) -> list[Path]:
    """Return the files that define the parts of a metric.

    Raises
    ------
    UserError
        As :func:`load_metric`; or a user's own metric has the name of one that runs record.
    """
    load_metric(name)
    paths = []
    for part, value in parse(name)._asdict().items():
        folder, defines, _ = PARTS[part]
        if part == "base" and value in plugins.load(*RECORDED):
            if (own := _own(part, value)).is_file():
                raise UserError(f"{own}: the project has {value!r} itself; give yours another name")
            paths.append(plugins.find(*RECORDED))
        elif value is not None:
            paths.append(plugins.find(folder, value, defines))
    return paths


def names(part: str) -> list[str]:
    """Return the names of all that a ``base``, ``subset`` or ``reducer`` may be."""
    folder, defines, _ = PARTS[part]
    of_files = [name.replace("-", "_") for name in plugins.names(folder, defines)]
    return [*of_files, *plugins.load(*RECORDED)] if part == "base" else of_files


def _base(name: str) -> Metric:
    """Return the metric that a name begins with."""
    base = parse(name).base
    # The table is loaded where it is needed only: what is loaded counts as code of a result.
    if not (_is_ours(base) or _own("base", base).is_file()):
        recorded: dict[str, Metric] = plugins.load(*RECORDED)
        if base in recorded:
            return recorded[base]
    return _load(name, "base", base)


@cache
def _is_ours(base: str) -> bool:
    """Tell whether the project has a file of a base metric."""
    return (plugins.PACKAGE / "metrics" / f"{base}.py").is_file()


def _load(name: str, part: str, value: str) -> Any:
    """Load a part of a metric's name, e.g. the ``subset`` ``worst_fifth``."""
    folder, defines, default = PARTS[part]
    try:
        return plugins.load(folder, value, defines)
    except UserError:
        if _own(part, value).is_file():  # the error states what is wrong with it
            raise
    if part == "base":
        raise _unknown(name)
    raise UserError(f"metric {name}: {part} {unknown(value, names(part))}; {default}")


def _own(part: str, value: str) -> Path:
    """Return the path where a user's own file of a part would be."""
    return plugins.OWN / PARTS[part][0] / f"{value}.py"


def _why_not(parts: Parts, metric: Metric, subset: Subset | None, reducer: Reducer | None) -> str:
    """Say why parts do not make sense together; empty if they do."""
    if metric.samples is None:
        return f"runs record {parts.base} themselves, so this metric has no subset and no reducer"
    if subset is not None and (why := subset.why_not(parts.base, metric)):
        return why
    if reducer is not None and isinstance(subset, RecordedSubset):
        return f"runs record {parts.base}@{parts.subset} themselves, so it has no reducer"
    return ""


def _title(title: str, subset: Subset | None, reducer: Reducer | None) -> str:
    """Extend the title of a base by the phrase of the subset and the title of the reducer."""
    clients = subset.phrase if isinstance(subset, ClientSubset) else ""
    if subset is not None and not clients:
        title = f"{title} {subset.phrase}"
    if reducer is None:
        return f"{title} of {clients}" if clients else title
    if not (title[1:2].isupper() or title[1:2].isdigit()):  # the capital of F1 stays
        title = title[:1].lower() + title[1:]
    return f"{reducer.title} of the {title} over {clients or 'clients'}"


def _unknown(name: Any) -> UserError:
    """Say that a metric is unknown, and which may have been meant."""
    known = names("base")
    subsets = ("", *(f"@{subset}" for subset in names("subset")))
    reducers = ("", *(f":{reducer}" for reducer in names("reducer")))
    near = get_close_matches(str(name), map("".join, product(known, subsets, reducers)), n=20)
    meant = next((candidate for candidate in near if _makes_sense(candidate)), None)
    return UserError(
        f"{options.shown(name)} is unknown among metrics; known: {', '.join(known)}"
        + (f" (did you mean {meant}?)" if meant else "")
        + "; a name is base, base@subset, base:reducer or base@subset:reducer"
    )


def _makes_sense(name: str) -> bool:
    """Return whether a metric has this name."""
    try:
        load_metric(name)
    except UserError:
        return False
    return True
