"""The pages of docs/reference/ are those that configuration and code make."""

import re

import pytest
from helpers import ROOT, make_plan

from fedreact.reference import generated
from fedreact.resolve.papers import paper_names

PAGES = ["targets.md", "scales.md", "options.md", "datasets.md", "contracts.md", "parity.md"]


@pytest.fixture(scope="module")
def pages():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return generated.pages(ROOT / "reference")


@pytest.mark.parametrize("name", PAGES)
def test_committed_pages_are_current(pages, name):
    assert (ROOT / "docs/reference" / name).read_text() == pages[name], "run: make docs"


def test_no_page_is_left_from_before(pages):
    there = sorted(path.name for path in (ROOT / "docs/reference").iterdir())
    assert there == sorted([*pages, "cli.md"])  # tests/cli/test_main.py compares the last one


def test_every_target_is_listed_once(pages, monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = make_plan(papers="all")
    listed = re.findall(r"^\| `(\w+)` \|", pages["targets.md"], re.MULTILINE)
    assert sorted(listed) == sorted(
        [*generated.GENERAL, *plan.tables, *plan.figures, *plan.searches]
    )
    assert all(f": `{name}`" in pages["targets.md"] for name in paper_names())


def test_a_new_paper_and_a_new_dataset_are_listed_without_an_edit_of_code(tmp_path, monkeypatch):
    (tmp_path / "config/papers/mine").mkdir(parents=True)
    (tmp_path / "config/scales").mkdir()
    for name, text in {
        "scales/paper.yaml": "{seeds: [0, 1], threads: 1, minutes: {default: 9}, about: It all.}",
        "datasets.yaml": "{sea: {title: Waves, licence: MIT, role: water, steps: ask a sailor, "
        "task: {kind: regression, outputs: 1, channels: 2, steps: 30}, scales: {paper: {n: 7}}}}",
        "papers/mine/paper.yaml": "{title: 'Mine: of waves', cite: me}",
        "papers/mine/experiment.yaml": "{partitions: {coast: {data: water, by: owner, "
        "clients: 3}}, settings: {tide: {partition: coast, clustered: {rounds: 5}}}, "
        "methods: {clustered: {own: {algorithm: fed-react}}}}",
        "papers/mine/tables.yaml": "{heights: {title: 'How high | low', rows: {R: tide}, "
        "columns: {C: own}, metrics: [rmse]}}",
        "papers/mine/scales/paper.yaml": "{differences_of: {water: [half the sea]}, "
        "seeds: {clustered: [0]}, left_out: {tide: why}}",
    }.items():
        path = tmp_path / "config" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    run = tmp_path / "reference/paper/mine/run.json"
    run.parent.mkdir(parents=True)
    run.write_text('{"cpu_seconds": 5400}')
    monkeypatch.chdir(tmp_path)
    made = generated.pages(tmp_path / "reference")
    assert "| `mine_heights` | How high \\| low |" in made["targets.md"]
    assert "`water_tables`" in made["targets.md"]
    assert "| `paper` | It all. | 2 | 1.5 |" in made["scales.md"]
    assert "Unlike the paper (1.50 core-hours kept):" in made["scales.md"]
    for line in (
        "`water`: half the sea",
        "seeds: 1 for `clustered`",
        "`tide` is left out: why",
    ):
        assert f"- {line}\n" in made["scales.md"] + "\n"
    assert "| [`sea`](#sea) | regression | 1 | 2 x 30 |  | `mine` |" in made["datasets.md"]
    assert "- How it is got: by hand: ask a sailor" in made["datasets.md"]
    assert "- Taken at each scale (all, where none is named): paper: `n=7`" in made["datasets.md"]


@pytest.mark.parametrize(
    ("docstring", "text"),
    [
        ("Do ``x``, as :class:`~a.b.C` does.", "Do `x`, as `C` does."),
        ("See :mod:`fedreact.options`.", "See `fedreact.options`."),
        ("A file:\n\n    a  b\n    c\n\nend", "A file:\n\n```text\na  b\nc\n```\n\nend"),
        ("``f(x)``\n    What it\n    gives.", "- `f(x)`: What it gives."),
        (
            "One.\n\nAttributes\n----------\nn\n    How many.\nall\n    Of them.",
            "One.\n\n*Attributes*\n\n- `n`: How many.\n- `all`: Of them.",
        ),
        ("===  ===\n``X``  numbers\n     of it\n===  ===", "- `X`: numbers of it"),
    ],
)
def test_docstrings_as_markdown(docstring, text):
    assert generated.markdown(docstring) == text
