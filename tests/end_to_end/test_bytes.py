"""The same bytes whatever the number of cores, in forks or not; and LaTeX that compiles."""

import shutil
import subprocess
from pathlib import Path

import pytest
from helpers import SMOKE, copy_project, digits, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]


@pytest.mark.parametrize(
    ("wanted", "files"),
    [
        pytest.param(["eeg_trial", "theorem1"], 10, id="few"),
        pytest.param(
            ["table02", "table06", "sumo_trip", "eeg_trial", "fig01", "fig03", "theorem1"],
            60,
            id="of each kind, of each kind of data",
            marks=pytest.mark.rare,
        ),
    ],
)
def test_one_core_and_no_forks_give_the_same_bytes(built, tmp_path, wanted, files):
    """Each step is a Python of its own."""
    project = copy_project(tmp_path)
    name = digits(built).name
    encoder = f"results/smoke/encoders/fed_react/{name}/clients10-beta1.5/seed0.npz"
    trained = f"results/smoke/runs/synchronous/fed_react/{name}/full10/timesnet/seed0.csv"
    alone = {"FEDREACT_FORKS": "no"}
    snakemake("--cores", "1", *wanted, encoder, trained, *SMOKE, cwd=project, env=alone)
    names = [
        path.relative_to(project)
        for kind in ("npz", "csv", "tex", "md", "png", "pdf")
        for path in (project / "results").rglob(f"*.{kind}")
    ]
    assert len(names) > files
    assert {Path(trained), Path(encoder)} < set(names)
    index = Path("results/smoke/index.csv")  # of all that was asked for
    assert {*(project / index).open()} < {*(built / index).open()}
    for name in names:
        assert name == index or (project / name).read_bytes() == (built / name).read_bytes(), name


def test_tables_and_claims_compile(built, tmp_path):
    """All of them, with the preamble that their comments name. `make check` installs LaTeX."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    paths = sorted((built / "results/smoke").glob("*/*.tex"))
    assert {path.parent.name for path in paths} == {"tables", "claims"}
    assert len(paths) > 15
    tables = "".join(path.read_text() + "\\clearpage\n" for path in paths)
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,graphicx,longtable}\\begin{document}\n"
        f"{tables}\\end{{document}}\n"
    )
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
