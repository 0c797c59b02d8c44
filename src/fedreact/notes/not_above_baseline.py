"""Methods that are not significantly better than the best trivial or simple baseline."""

from fedreact.metrics.grammar import load_metric
from fedreact.notes.contract import Note
from fedreact.notes.scores import BASELINES, MethodScores, Result
from fedreact.notes.words import ABOUT, corrected, difference, listed, name_of, number, paired
from fedreact.tables.decimals import with_digits

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
    texts = [text for method in different if (text := _behind(result, method))]
    return [*texts, *_by_other_metrics(result)]


def _by_other_metrics(result: Result) -> list[str]:
    """Name the best baseline by each other metric by which it is ahead of all federated methods.

    Metrics with the same baseline and the same best federated method share a sentence.
    """
    metrics: dict[tuple[str, str, str], list[str]] = {}
    for name in dict.fromkeys(name for method in result.methods for name in method.others):
        metric = load_metric(name)
        sign = -1 if metric.better == "lower" else 1
        known = [(m, mean) for m in result.methods if (mean := m.mean_by(name)) is not None]
        ranked = sorted(known, key=lambda one: -sign * one[1])
        federated = [one for one in ranked if one[0].role == "federated"]
        baselines = [one for one in ranked if one[0].role in ("trivial", "simple")]
        if not federated or not baselines:
            continue
        (method, ours), (baseline, theirs) = federated[0], baselines[0]
        if sign * (theirs - ours) <= 0:
            continue
        decimals = with_digits(metric, [mean for _, mean in known]).decimals
        values = f"{number(theirs, decimals)} against {number(ours, decimals)}"
        whose = baseline.label, ABOUT[baseline.role], method.label
        metrics.setdefault(whose, []).append(f"{name_of(metric)} ({values})")
    return [
        f"By {listed(by)}, {baseline} ({about}) has a better mean than {method}, the best "
        "federated method."
        for (baseline, about, method), by in metrics.items()
    ]


def _behind(result: Result, best: MethodScores) -> str:
    """Name the methods that are not better than a baseline; empty if all are."""
    methods = result.of("federated", "alone")
    compared = result.better_than(methods, best)
    behind = [(m, one) for m, one, better in compared if not better]
    if not behind:
        return ""
    about = f"{best.label} ({number(best.mean, result.metric.decimals)}, {ABOUT[best.role]})"
    closest = behind[:1] if len(behind) == len(methods) else behind
    words = listed([f"{m.label} {difference(one, result.metric)}" for m, one in closest])
    by = paired([one for _, one in closest], result.metric)
    if len(behind) == len(methods):
        return (
            f"No method is significantly better than {about}. The best one: {words} "
            f"({by}).{corrected(compared)}"
        )
    return (
        f"{len(behind)} of {len(methods)} methods, federated or alone, are not significantly "
        f"better than {about}: {words} ({by}).{corrected(compared)}"
    )


NOTE = Note("Not above a baseline", 1, sentences)
