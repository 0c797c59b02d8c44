"""Layers of options: default, paper, scale and row, of which the later wins.

1. **Default**: the option's own, in its class.
2. **Paper**: the setting's or partition's entry in ``experiment.yaml``.
3. **Scale**: the paper's file of the scale. Within it, what it says of a setting goes before what
   it says of a role of data, and that before what it says of all. ``at_most`` lowers numbers that
   the paper says.
4. **Row**: changes that a row or column of a table, a curve of a figure, an alternative of the
   ledger, or a universe makes. A change above a bound of the scale is an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fedreact import options
from fedreact.reading import lines


@dataclass(frozen=True)
class Location:
    """Where a value is written: a YAML file, and the keys that lead there."""

    file: Path
    keys: tuple[str, ...] = ()

    def __truediv__(self, key: str) -> "Location":
        return Location(self.file, (*self.keys, key))

    def __str__(self) -> str:
        """``config/papers/fed_react/experiment.yaml:58``, of the nearest key that has a line."""
        known = lines(self.file)
        for n in range(len(self.keys), 0, -1):
            if line := known.get(self.keys[:n]):
                return f"{self.file}:{line}"
        return str(self.file)


@dataclass(frozen=True)
class Layer:
    """What one place says of some options.

    Attributes
    ----------
    options
        Values by option.
    location
        Place of the mapping that has them.
    of_paper
        Whether it is the paper's own, and not the scale's.
    """

    options: Mapping[str, Any]
    location: Location
    of_paper: bool = False


@dataclass(frozen=True)
class Option:
    """Value of an option.

    Attributes
    ----------
    location
        Where it is written; ``None``: it is the default.
    replaced
        The value that it has without the scale, if that is another: the paper's, or the default.
    """

    value: Any
    location: Location | None = None
    replaced: "Option | None" = None


@dataclass(frozen=True)
class Layers:
    """Layers of the options of a step, the first one first.

    Attributes
    ----------
    bounds
        Largest values, to which numbers of the layers are lowered.
    """

    layers: Sequence[Layer] = ()
    bounds: Layer | None = None

    def values(self) -> dict[str, Any]:
        """Options that the layers give, lowered to the bounds."""
        merged: dict[str, Any] = {}
        for layer in self.layers:
            merged |= layer.options
        bounds = self.bounds.options if self.bounds else {}
        return merged | {name: bounds[name] for name in self.lowered(merged)}

    def lowered(self, values: Mapping[str, Any]) -> list[str]:
        """Options whose value exceeds its bound."""
        bounds = self.bounds.options if self.bounds else {}
        return [
            name
            for name, most in bounds.items()
            if isinstance(value := values.get(name), int | float) and value > most
        ]

    def __or__(self, other: "Layers") -> "Layers":
        """These layers, then others, with the bounds of the latter."""
        return Layers((*self.layers, *other.layers), other.bounds)

    def located(
        self, made: Any, row: Mapping[str, Location] = MappingProxyType({})
    ) -> dict[str, Option]:
        """Say of each option of ``made`` where its value is written.

        Parameters
        ----------
        made
            Options that were made of these layers.
        row
            Where changes, the last layer, are written, by option or part of one.
        """
        written = {name: Option(value) for name, value in options.defaults(type(made)).items()}
        for layer in self.layers:
            for name, value in layer.options.items():
                written[name] = _written(layer, name, value, written.get(name))
        if self.bounds:
            for name in self.lowered({name: option.value for name, option in written.items()}):
                bound = self.bounds.options[name]
                written[name] = _written(self.bounds, name, bound, written[name])
        changes = {key.partition(".")[0]: place for key, place in row.items()}
        located = {}
        for name, value in options.vars_of(made).items():
            option = written.get(name, Option(None))
            if name in changes:
                located[name] = Option(value, changes[name])
            elif _same(value, option.value):
                located[name] = Option(value, option.location, option.replaced)
            else:  # a value that is none of the layers' follows from another option
                located[name] = Option(value)
        return located


def _written(layer: Layer, name: str, value: Any, before: Option | None) -> Option:
    """Return an option as a layer sets it, with what it replaces, unless that is the paper's."""
    replaced = before.replaced or before if before else None
    if layer.of_paper or (replaced and _same(value, replaced.value)):
        replaced = None
    return Option(value, layer.location / name, replaced)


def _same(a: Any, b: Any) -> bool:
    """Whether two values are one: YAML's list is a tuple as an option, and its 7 is 7.0."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b)
