"""Keep what a method returns, so that it is computed once."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast


class Remembers(Protocol):
    """An object with a dictionary of what its methods have returned."""

    _seen: dict[tuple[Any, ...], Any]


S = TypeVar("S", bound=Remembers)
P = ParamSpec("P")
T = TypeVar("T")


def once(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Keep what a method returns, by its arguments; mappings count by their content.

    What is returned must not be changed.
    """

    @wraps(method)
    def remembered(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (method.__name__, *map(_key, args), *map(_key, kwargs.items()))
        if key not in self._seen:
            self._seen[key] = method(self, *args, **kwargs)
        return cast(T, self._seen[key])

    return cast(Callable[Concatenate[S, P], T], remembered)


def _key(argument: Any) -> Any:
    """Return what stands for an argument in a dictionary."""
    return str(sorted(argument.items(), key=str)) if isinstance(argument, Mapping) else argument
