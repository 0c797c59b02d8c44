"""Methods whose scores still improve at the last round, so that more rounds may turn the order."""

from collections.abc import Sequence

from fedreact.notes.contract import Note
from fedreact.notes.scores import FEWEST_ROUNDS, Difference, MethodScores, Result
from fedreact.notes.words import difference, listed, name_of, paired

Rises = Sequence[tuple[MethodScores, Difference]]


def sentences(result: Result) -> list[str]:
    """Name the methods that still improve, those that may, and those of which nobody can tell.

    A method *may* improve if its mean does by more than the margin, and its interval has 0 inside.
    """
    measured = [(method, result.rise(method)) for method in trained(result)]
    rises = [(m, rise) for m, rise in measured if rise and rise.mean >= result.margin]
    rising = [(m, rise) for m, rise in rises if rise.is_better]
    maybe = [(m, rise) for m, rise in rises if not rise.is_better]
    parts, name = [], name_of(result.metric)
    if rising:
        number = "one method" if len(rising) == 1 else f"{len(rising)} methods"
        parts.append(
            f"The {name} of {number} still improves over the last third of {_rounds(rising)}: "
            f"{_named(rising, result)}."
        )
    if maybe:
        parts.append(
            f"These may still improve, but the interval includes 0: {_named(maybe, result)}."
            if rising
            else f"The {name} of these methods may still improve over the last third of "
            f"{_rounds(maybe)}, but the interval includes 0: {_named(maybe, result)}."
        )
    if parts:
        parts.append("More rounds may change the order: double rounds, and compare again.")
    texts = [" ".join(parts)] if parts else []
    if few := [method.label for method, rise in measured if rise is None]:
        texts.append(
            f"Whether scores still improve cannot be seen: {listed(few)} "
            f"{'has' if len(few) == 1 else 'have'} fewer than {FEWEST_ROUNDS} scored rounds."
        )
    return texts


def trained(result: Result) -> list[MethodScores]:
    """Return the methods that are trained in rounds.

    A method with too few rounds to tell is left out beside others that have enough: it solves for
    its model in one or two rounds, as ridge regression does.
    """
    methods = [method for method in result.of("federated", "alone") if method.curves]
    enough = [method for method in methods if method.n_rounds >= FEWEST_ROUNDS]
    return enough or methods


def _named(rises: Rises, result: Result) -> str:
    words = [f"{method.label} {difference(rise, result.metric)}" for method, rise in rises]
    return f"{listed(words)} ({paired([rise for _, rise in rises], result.metric)})"


def _rounds(rises: Rises) -> str:
    """Write the numbers of rounds of methods: ``20 rounds``, ``10 to 20 rounds``."""
    numbers = sorted({method.n_rounds for method, _ in rises})
    return f"{' to '.join(map(str, dict.fromkeys([numbers[0], numbers[-1]])))} rounds"


NOTE = Note("Still improving", 2, sentences)
