"""What tests of bad input share: either something whole, or one line that says what is wrong."""

import contextlib
import copy
import io
import os
import runpy
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from helpers import ROOT
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fedreact import npz
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.dirichlet import Dirichlet
from fedreact.clients.partitioners.owner import Owner
from fedreact.clients.partitioners.supports import Supports
from fedreact.clients.partitioners.switching import Switching
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

THOROUGH = int(os.environ.get("FEDREACT_TEST_THOROUGH", "1"))
"""How many times as much is tried; 10 takes minutes and finds what hides deep."""


def few(examples):
    """Settings of a search for bad input; the same examples each time."""
    return settings(
        max_examples=examples * THOROUGH,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


FEW = few(6)


def one_line_or_none(read, *given):
    """What a reader says of bad content; ``None`` if it can be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(*given)
        except UserError as error:
            said = str(error)
        else:
            return None
    assert said
    assert "\n" not in said
    return said


# ---- Commands -----------------------------------------------------------------------------------


def call(script, *words):
    """Run a command in this process; its status and what it printed."""
    printed, before = io.StringIO(), sys.argv
    sys.argv = [script, *map(str, words)]
    try:
        with (
            contextlib.redirect_stderr(printed),
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            runpy.run_path(str(ROOT / "scripts" / script), run_name="__main__")
        return 0, printed.getvalue()
    except SystemExit as stop:
        return stop.code, printed.getvalue()
    finally:
        sys.argv = before


def whole_or_one_line(script, *words, output, read):
    """Run a command: either its output is whole, or there is none and one line that says why."""
    output.unlink(missing_ok=True)
    status, printed = call(script, *words, "--output", output)
    assert not list(output.parent.glob(".*.part"))
    if status == 0:
        read(output)
        return None
    assert status == 2, printed
    assert not output.exists()
    errors = [line for line in printed.splitlines() if "error: " in line]
    assert errors == printed.splitlines()[-1:], printed
    return errors[0]


def words_of(**options):
    """A command line of some options, of which one is wrong at times.

    ``name=(right, wrong)`` are values of an option; were all drawn alike, next to no command line
    would get beyond the check of its options.
    """
    return right_words_of(**options) | wrong_words_of(**options)


def right_words_of(**options):
    """A command line of some options, each with a right value."""
    return _words_of(options, st.none())


def wrong_words_of(**options):
    """A command line of some options, of which one is wrong."""
    wrong = [(name, value) for name, (_, values) in options.items() for value in values]
    return _words_of(options, st.sampled_from(wrong))


def _words_of(options, wrong):
    right = {name: st.none() | st.sampled_from(values) for name, (values, _) in options.items()}

    def words(taken, one):
        given = {name: value for name, value in taken.items() if value is not None}
        given |= {} if one is None else {one[0]: one[1]}
        pairs = ((f"--{name.replace('_', '-')}", value) for name, value in given.items())
        return [word for pair in pairs for word in pair]

    return st.builds(words, st.fixed_dictionaries(right), wrong)


# ---- Content that is nearly right ---------------------------------------------------------------


def damaged(whole: bytes):
    """Bytes near a whole file: cut, changed, repeated, or nothing like it."""
    place = st.integers(0, len(whole) - 1)
    changed = st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=5)

    def change(changes):
        content = bytearray(whole)
        for at, value in changes:
            content[at] = value
        return bytes(content)

    return st.one_of(
        changed.map(change),
        place.map(lambda end: whole[:end]),
        st.tuples(place, place).map(lambda at: whole[: at[0]] + whole[at[1] :]),
        st.binary(max_size=200),
    )


# ---- Files for commands -------------------------------------------------------------------------


def dataset(N=60, labels=3, steps=8, *, targets="one label", trial=False):
    """A small dataset of noise; ``targets`` says what is to be predicted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2, steps)).astype(np.float32)
    y = {
        "one label": np.arange(N) % labels,
        "labels": rng.random((N, 3)) < 0.5,
        "number": rng.normal(size=N).astype(np.float32),
        "numbers": rng.normal(size=(N, 2)).astype(np.float32),
    }[targets]
    trials = np.arange(N) // 2 if trial else None
    return SeriesDataset("made", X, np.full(N, steps), y, np.arange(N) // 12, trials)


class Made(NamedTuple):
    """The files, where a command writes to, and what is in some of the files."""

    folder: Path
    output: Path
    data: dict[str, SeriesDataset]
    partitions: dict[str, Partition]

    def __repr__(self):
        return str(self.folder)

    def words(self, data, partition, features=None):
        """The words of a command that say what it reads."""
        files = {"data": data, "partition": partition, "features": features}
        return [
            word
            for what, name in files.items()
            if name is not None
            for word in (f"--{what}", self.folder / f"{what}-{name}.npz")
        ]


def make(folder):
    """Small datasets, partitions and features, good and bad ones."""
    gap = dataset()
    gap.y[gap.y == 1] = 2  # nobody has label 1
    data = {
        "plain": dataset(),
        "gap": gap,
        "one-label": dataset(labels=1),
        "tiny": dataset(N=4, labels=2),
        "targets": dataset(targets="number"),
        "vectors": dataset(targets="numbers"),
        "labels": dataset(targets="labels"),
        "trials": dataset(trial=True),
        "long": dataset(steps=150),
    }
    sizes, most = (2, 3), {"samples_per_client": 20, "test_share": 0.2}
    plain = Dirichlet(sizes, 1.0, min_samples=5, **most)
    partitions = {
        "plain": plain.deal(data["plain"], 0),
        "gap": plain.deal(gap, 0),
        "one-client": Dirichlet((1,), 1.0, min_samples=5, **most).deal(data["plain"], 0),
        "owners": Owner(test_share=0.2).deal(data["plain"], 0),
        "states": Switching(sizes, 1.0, **most).deal(data["plain"], 0),
        "supports": Supports(sizes, (1, 2), **most).deal(data["plain"], 0),
    }
    features = np.random.default_rng(1).normal(size=(60, 4)).astype(np.float32)
    nan, short = features.copy(), features[:10]
    nan[7, 1] = np.nan
    given_features = {"plain": features, "zeros": 0 * features, "nan": nan, "short": short}
    given_features |= {"flat": features.ravel(), "texts": features.astype(str)}
    for name, one in data.items():
        one.save(folder / f"data-{name}.npz")
    for name, one in partitions.items():
        one.save(folder / f"partition-{name}.npz")
    for name, array in given_features.items():
        npz.save(folder / f"features-{name}.npz", features=array, costs=np.ones(4))
    return Made(folder, folder / "out", data, partitions)


# ---- Content of YAML files ----------------------------------------------------------------------

WRONG = [None, "", "x", "a+b", "a+b=[", -1, 0, 1.5, float("inf"), float("nan"), [], {}, [None]]
WRONG += [{"x": 1}, True, 10**30, "../x", "two\nlines", [[1]], {1: 2}, "all", "null", 1e-5]
"""What a person may write in place of something, or beside it."""


def places(content, at=()):
    """The path of each value in nested lists and mappings."""
    yield at
    if isinstance(content, dict | list):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in items:
            yield from places(value, (*at, key))


def mutated(content, at, how, wrong):
    """The content with one value replaced, left out, or with a further key beside it."""
    if not at:
        return wrong
    content = copy.deepcopy(content)
    node = content
    for key in at[:-1]:
        node = node[key]
    if how == "replace":
        node[at[-1]] = wrong
    elif how == "leave out":
        del node[at[-1]]
    elif isinstance(node, dict):
        node[wrong if isinstance(wrong, str | int | float) else "new"] = node[at[-1]]
    else:
        node.append(wrong)
    return content
