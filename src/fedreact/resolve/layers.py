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
    """

    options: Mapping[str, Any]
    location: Location


@dataclass(frozen=True)
class Option:
    """Value of an option.

    Attributes
    ----------
    location
        Where it is written; ``None``: it is the default.
    lowered
        The value that it has without a bound of the scale, if that is larger.
    """

    value: Any
    location: Location | None = None
    lowered: "Option | None" = None


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
        merged: dict[str, Any] = {}
        places: dict[str, Location] = {}
        for layer in self.layers:
            merged |= layer.options
            places |= {name: layer.location / name for name in layer.options}
        larger = {name: Option(merged[name], places[name]) for name in self.lowered(merged)}
        if self.bounds:
            places |= {name: self.bounds.location / name for name in larger}
        changes = {key.partition(".")[0]: place for key, place in row.items()}
        located = {}
        for name, value in options.vars_of(made).items():
            if name in changes:
                located[name] = Option(value, changes[name])
            elif name in larger:
                located[name] = Option(value, places[name], larger[name])
            else:  # a value that is none of the layers' follows from another option
                place = places.get(name) if _same(value, merged.get(name)) else None
                located[name] = Option(value, place)
        return located


def _same(a: Any, b: Any) -> bool:
    """Whether two values are one: a list that a YAML file has is a tuple as an option."""
    return options.text_of(a) == options.text_of(b)
