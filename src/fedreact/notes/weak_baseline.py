"""Simple and pooled models that are worse than what learns nothing."""

from fedreact.notes.contract import Note
from fedreact.notes.scores import Result
from fedreact.notes.words import difference, listed


def sentences(result: Result) -> list[str]:
    """Name them; no method should be judged by them."""
    if not (trivial := result.of("trivial")[:1]):
        return []
    gaps = [(m, result.difference(m, trivial[0])) for m in result.of("simple", "pooled")]
    worse = [(m, one) for m, one in gaps if one.is_worse]
    if not worse:
        return []
    words = listed([f"{m.label} {difference(one, result.metric)}" for m, one in worse])
    verb = "is" if len(worse) == 1 else "are"
    return [
        f"{words} {verb} worse than {trivial[0].label}, which learns nothing, so methods should "
        "not be judged by such a baseline."
    ]


NOTE = Note("Weak baselines", 5, sentences)
