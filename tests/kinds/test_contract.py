"""What each kind of run defines, the user's own too (:mod:`fedreact.kinds.contract`)."""

import inspect
from dataclasses import is_dataclass

import pytest

from fedreact.kinds import contract

EACH = pytest.mark.parametrize("kind", contract.kinds())
PARAMETERS = {
    "job": ["method", "options"],
    "threads": ["options", "n_clients"],
    "check": ["options", "partitioner"],
    "run": ["inputs", "options", "methods", "metrics", "seed", "place"],
    "work": ["options", "methods", "task", "sizes"],
    "findings": ["inputs", "options", "methods"],
}
OPTIONAL = {"check", "findings"}


def check_functions(module, names):
    for name in names:
        function = getattr(module, name, None)
        assert function is not None or name in OPTIONAL, f"{module.__name__}: {name} is missing"
        if function is not None:
            given = list(inspect.signature(function).parameters)
            assert len(given) == len(PARAMETERS[name]), f"{module.__name__}: {name}{given}"


@EACH
def test_a_spec_says_what_the_workflow_must_know(kind):
    spec = contract.part_of(kind, "spec")
    assert is_dataclass(spec.Options)
    assert spec.Options.__dataclass_params__.frozen
    assert set(spec.NEEDS) <= {"features"}
    assert isinstance(spec.TRAINS, bool)
    assert set(spec.PER_METHOD) <= set(spec.Options.__dataclass_fields__)
    assert len(spec.MEMORY_MB) == 2
    assert all(isinstance(name, str) for name in spec.INDEX)
    check_functions(spec, ["job", "threads", "check"])


@EACH
def test_a_run_can_be_called_and_estimated(kind):
    check_functions(contract.part_of(kind, "run"), ["run", "work", "findings"])
