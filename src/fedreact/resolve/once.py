"""What is asked for again and again is found once."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def once(method: Callable) -> Callable:
    """Keep what a method returns, by its arguments; mappings count by what they hold.

    The method's object needs a dictionary ``_seen``. What is returned must not be changed.
    """

    @wraps(method)
    def kept(self, *given: Any) -> Any:
        texts = (
            str(sorted(of.items(), key=str)) if isinstance(of, Mapping) else of for of in given
        )
        key = (method.__name__, *texts)
        if key not in self._seen:
            self._seen[key] = method(self, *given)
        return self._seen[key]

    return kept


def _text(of: Mapping) -> str:
    return str(sorted(of.items(), key=str))
