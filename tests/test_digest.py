"""Digests of code: a real edit changes them, a comment does not, and only where it matters."""

import subprocess
import sys
from pathlib import Path

import pytest

from fedreact.federated.algorithms import ALGORITHMS
from fedreact.methods import METHODS
from fedreact.models.causal_cnn import VARIANTS
from fedreact.models.supervised import ARCHITECTURES
from fedreact.workflow import config, digest
from fedreact.workflow.digest import registered

SCRIPT = "scripts/run_phase2.py"


@pytest.fixture
def code_digest(project):
    """Digest afresh: the functions remember files within a process."""

    def fresh(script=SCRIPT):
        for function in (digest._tree, digest._imports, digest._meaning):
            function.cache_clear()
        return digest.code_digest(script)

    return fresh


def edit(path, old, new):
    text = Path(path).read_text()
    assert old in text
    Path(path).write_text(text.replace(old, new, 1))


def test_reaches_what_the_script_imports_and_nothing_else(project):
    reached = {str(path) for path in digest.reached(Path(SCRIPT))}
    assert {SCRIPT, "scripts/_cli.py", "src/fedreact/phase2.py", "src/fedreact/aggregation.py"} <= (
        reached
    )
    assert "src/fedreact/clustering/affect.py" in reached
    assert not any("causal_cnn" in path or "paper" in path for path in reached)


def test_a_real_edit_far_away_changes_it(code_digest):
    before = code_digest()
    edit("src/fedreact/clustering/affect.py", "alpha * (psi_before - W)", "alpha * psi_before")
    assert code_digest() != before


def test_comments_docstrings_and_layout_do_not(code_digest):
    before = code_digest()
    path = "src/fedreact/clustering/affect.py"
    edit(path, '"""Eq. 3:', '"""Equation 3:')
    edit(path, "    return W + alpha", "    # smoothing\n    return W + alpha")
    edit(path, "W + alpha * (psi_before - W)", "W + (alpha * (psi_before - W))")
    assert code_digest() == before


def test_an_edit_elsewhere_does_not(code_digest):
    before = code_digest()
    edit("src/fedreact/models/causal_cnn.py", "LEAKY_SLOPE = 0.01", "LEAKY_SLOPE = 0.02")
    assert code_digest() == before
    assert code_digest("scripts/train_encoder.py") != before


def test_names_of_registries_are_read_without_importing_them():
    for registry, read in (
        (ALGORITHMS, config.ALGORITHMS),
        (ARCHITECTURES, config.ARCHITECTURES),
        (METHODS, config.METHODS),
        (VARIANTS, config.VARIANTS),
    ):
        assert read == list(registry)
    with pytest.raises(KeyError, match="defines no METHODSS"):
        registered("fedreact.methods", "METHODSS")
    code = "import sys, fedreact.workflow.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
