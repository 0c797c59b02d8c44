"""Errors of one target, where several numbers are predicted."""

from dataclasses import replace

from fedreact.metrics.contract import Metric

AT = {"first": slice(0, 1), "last": slice(-1, None)}


def of_target(metric: Metric, which: str) -> Metric:
    """An error of the ``first`` or ``last`` of a window's targets, in that one's unit."""
    at = AT[which]

    def samples(outputs, y):
        return metric.samples(outputs[:, at], y.reshape(outputs.shape)[:, at])

    return replace(metric, title=f"{metric.title} of the {which} target", samples=samples, power=0)
