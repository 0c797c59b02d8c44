"""Methods that are not significantly better than the best trivial or simple baseline."""

from fedreact.notes.contract import Note
from fedreact.notes.scores import BASELINES, MethodScores, Result
from fedreact.notes.words import ABOUT, difference, listed, number, paired

ADVICE = (
    "Nothing trivial or simple stands beside the methods, so nothing says whether training pays: "
    "add the columns fedst/constant, grand/ridge-alone and grand/forest-alone."
)


def sentences(result: Result) -> list[str]:
    """Compare the methods with the best baseline of all, and with the best one that learns nothing.

    The differences are to the best of these baselines. Where no method is better, only the closest
    one is shown.
    """
    if not result.of("federated", "alone"):
        return []
    if not result.of(*BASELINES):
        return [ADVICE]
    best = [result.of(*roles)[0] for roles in (("trivial",), BASELINES) if result.of(*roles)]
    different = {method.label: method for method in best}.values()
    return [text for method in different if (text := _behind(result, method))]


def _behind(result: Result, best: MethodScores) -> str:
    """Name the methods that are not better than a baseline; empty if all are."""
    methods = result.of("federated", "alone")
    behind = [(m, one) for m, one, better in result.better_than(methods, best) if not better]
    if not behind:
        return ""
    about = f"{best.label} ({number(best.mean, result.metric.decimals)}, {ABOUT[best.role]})"
    closest = behind[:1] if len(behind) == len(methods) else behind
    words = listed([f"{m.label} {difference(one, result.metric)}" for m, one in closest])
    by = paired([one for _, one in closest], result.metric)
    if len(behind) == len(methods):
        return f"No method is significantly better than {about}. The best one: {words} ({by})."
    return (
        f"{len(behind)} of {len(methods)} methods are not significantly better than {about}: "
        f"{words} ({by})."
    )


NOTE = Note("Not above a baseline", 1, sentences)
