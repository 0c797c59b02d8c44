"""Notes on a result: a file of this folder that defines ``NOTE``.

A note is a warning that is computed from the scores of a setting
(:class:`fedreact.notes.scores.Result`): plain sentences with numbers, or nothing if there is
nothing to warn of. A new file in this folder, or in ``own/notes/``, is one more note.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact import plugins

if TYPE_CHECKING:  # the workflow asks for names, and pandas takes a second to load
    from fedreact.notes.scores import Result

FOLDER, DEFINES = "notes", "NOTE"


@dataclass(frozen=True)
class Note:
    """A note.

    Attributes
    ----------
    title
        A few words, for readers who look for it.
    rank
        Place among the notes; the first ones matter most.
    sentences
        ``sentences(result)``: what to warn of, in sentences.
    """

    title: str
    rank: int
    sentences: "Callable[[Result], Sequence[str]]"


def names() -> list[str]:
    """Return the names of all notes."""
    return plugins.names(FOLDER, DEFINES)


def of_result(result: "Result") -> list[tuple[str, str]]:
    """Return title and sentence of each note on a result, those first that matter most."""
    notes: list[Note] = [plugins.load(FOLDER, name, DEFINES) for name in names()]
    return [
        (note.title, sentence)
        for note in sorted(notes, key=lambda note: note.rank)
        for sentence in note.sentences(result)
    ]


def of_results(results: "Sequence[Result]") -> list[str]:
    """Return the notes on the settings of a table, each after the name of its setting.

    The name is left out if there is one setting.
    """
    several = len(results) > 1
    return [
        f"{result.setting}: {title}. {sentence}" if several else f"{title}. {sentence}"
        for result in results
        for title, sentence in of_result(result)
    ]
