"""Methods whose scores get worse towards the last round: they are trained too long."""

from fedreact.notes.contract import Note
from fedreact.notes.scores import Result
from fedreact.notes.still_rising import trained
from fedreact.notes.words import difference, listed, name_of, paired


def sentences(result: Result) -> list[str]:
    """Name the methods that get significantly worse over the last third of their rounds."""
    measured = [(method, result.rise(method)) for method in trained(result)]
    falling = [(m, one) for m, one in measured if one and one.is_worse]
    falling = [(m, one) for m, one in falling if -one.mean >= result.margin]
    if not falling:
        return []
    words = listed([f"{m.label} {difference(one, result.metric)}" for m, one in falling])
    by = paired([one for _, one in falling], result.metric)
    return [
        f"The {name_of(result.metric)} gets worse over the last third of the rounds: {words} "
        f"({by}). Training is too long there, so a comparison at the last round is unfair to "
        "such a method: set fewer rounds, and compare again."
    ]


NOTE = Note("Getting worse", 2, sentences)
