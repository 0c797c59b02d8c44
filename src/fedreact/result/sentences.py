"""What follows from a result: at most three sentences, each guarded by intervals."""

from collections.abc import Sequence

from fedreact.notes.scores import Difference, MethodScores, Result
from fedreact.notes.still_rising import trained
from fedreact.notes.words import (
    ABOUT,
    corrected,
    difference,
    listed,
    number,
    of_clients,
    paired,
    score,
)

Compared = Sequence[tuple[MethodScores, Difference, bool]]


def sentences(result: Result) -> list[str]:
    """Say whether federation pays against training alone and simple models, and what is best."""
    parts = [against_alone(result), against_simple(result), best(result)]
    return [part for part in parts if part]


def against_alone(result: Result) -> str:
    """Compare federated methods with the best method of clients that train alone."""
    federated, alone = result.of("federated"), result.of("alone")
    if not federated:
        return "No federated method was compared."
    if not alone:
        return "Clients that train alone were not compared: add the column fedst/alone."
    return _compared(result, federated, alone[0]) + _doubt(result, alone[0])


def _doubt(result: Result, alone: MethodScores) -> str:
    """Say so if clients that train alone have learnt nothing, so that it is easy to be better."""
    trivial = result.of("trivial")[:1]
    gap = result.difference(alone, trivial[0]) if trivial else None
    if gap is None or gap.is_better:
        return ""
    how = "significantly worse" if gap.is_worse else "not significantly better"
    return (
        f" But {alone.label} is itself {how} than {trivial[0].label}, which learns nothing, so "
        "this says little."
    )


def against_simple(result: Result) -> str:
    """Compare federated methods with the best baseline that a client has without the others."""
    federated, simple = result.of("federated"), result.of("simple", "trivial")
    if not federated:
        return ""
    if not simple:
        return (
            "No simple model was compared: add the columns grand/ridge-alone and "
            "grand/forest-alone."
        )
    text = _compared(result, federated, simple[0])
    if simple[0].role == "trivial" and (models := result.of("simple")):
        text += " " + _compared(result, federated, models[0])
    if pooled := result.of("pooled"):
        gap = result.difference(pooled[0], simple[0])
        text += (
            f" With all data in one place, which is no federation, {pooled[0].label} reaches "
            f"{number(pooled[0].mean, result.metric.decimals)}, a difference of "
            f"{difference(gap, result.metric)} ({paired([gap], result.metric)})."
        )
        text += _for_whom(result, pooled[0], simple[0])
    return text


def _for_whom(result: Result, method: MethodScores, other: MethodScores) -> str:
    """Say for how many clients a method is better than another one; empty if it is not known."""
    many = of_clients(result, method, other)
    return f" {method.label} is better for {many}." if many else ""


def _compared(result: Result, federated: Sequence[MethodScores], other: MethodScores) -> str:
    """Compare federated methods with one other method."""
    compared: Compared = result.better_than(federated, other)
    what = f"{other.label} ({number(other.mean, result.metric.decimals)}, {ABOUT[other.role]})"
    if not any(one.is_judged for _, one, _ in compared):
        return (
            f"Whether a federated method is better than {what} cannot be judged: this needs three "
            "seeds, or three clients."
        )
    better = [(method, one) for method, one, is_better in compared if is_better]
    shown = better or [compared[0][:2]]
    words = listed([f"{m.label} by {difference(one, result.metric)}" for m, one in shown])
    by = paired([one for _, one in shown], result.metric)
    if better:
        number_of = f"{len(better)} of {len(federated)} federated methods"
        verb = "is" if len(better) == 1 else "are"
        who = f"{better[0][0].label} is" if len(federated) == 1 else f"{number_of} {verb}"
        text = f"{who} significantly better than {what}: {words} ({by})."
        return text + _for_whom(result, better[0][0], other)
    method, one = shown[0]
    if one.low == one.mean == one.high == 0:
        return f"No federated method is better than {what}: {method.label} has the same scores."
    holm = corrected(compared)
    verb = "is significantly worse: it differs" if one.is_worse else "differs"
    text = (
        f"No federated method is significantly better than {what}. The best one, {method.label}, "
        f"{verb} by {difference(one, result.metric)} ({by}).{holm}"
    )
    # With Holm's correction, larger differences are not seen either.
    if one.is_judged and not holm and not one.is_worse:
        seen = number((one.high - one.low) / 2, result.metric.decimals)
        text += f" Only a difference of about {seen} or more would have been significant."
    return text + _for_whom(result, method, other)


def _may_overtake(result: Result, method: MethodScores, gap: Difference) -> bool:
    """Tell whether a method would be ahead if its scores rose once more as they last did.

    They must have risen significantly.
    """
    rise = result.rise(method) if method in trained(result) else None
    return rise is not None and rise.is_better and rise.mean >= max(result.margin, gap.mean)


def best(result: Result) -> str:
    """Name the best method that needs no pooled data, and those that may be as good."""
    methods = result.of("federated", "alone", "simple", "trivial")
    if len(methods) < 2:
        return ""
    first, others = methods[0], methods[1:]
    gaps = [(method, result.difference(first, method)) for method in others]
    level = [method for method, one in gaps if not one.is_better]
    name, pooled = score(first, result.metric), " without pooled data" * bool(result.of("pooled"))
    if not level:
        text = f"The best method{pooled} is {name}: significantly better than each other one"
    else:
        as_good = listed([score(method, result.metric) for method in level])
        text = f"The best mean{pooled} is that of {name}; not significantly worse: {as_good}"
    if rising := [m.label for m, gap in gaps if _may_overtake(result, m, gap)]:
        text += (
            f". {listed(rising)} may overtake it with more rounds: scores still improve by more "
            "than the distance"
        )
    return f"{text}."
