"""Where cells come from, as the page holds it."""

import json

from report_of_papers import table
from small_table import folder

from fedreact.report import origins, tables


def packed(tmp_path):
    return origins.packed([tables.read(table(tmp_path, "table05"))])


def test_a_cell_has_its_seeds_files_and_command(tmp_path):
    found = packed(tmp_path)
    texts, cell = found["texts"], found["tables"]["table05"]["cells"][0]
    assert [texts[i] for i in cell["at"]] == ["RTD - 10 clients", "A1"]
    assert cell["seeds"] == {"0": 0.89, "1": 0.9, "2": 0.91}
    runs = [f"{folder('s10')}/seed{seed}.csv" for seed in (0, 1, 2)]
    assert [texts[i] for i in cell["runs"]] == runs
    command = texts[cell["command"]]
    assert command.startswith("snakemake results/quick/tables/table05.csv --cores 1")
    assert "scale=quick" in command
    facts = {texts[name]: texts[text] for name, text in cell["facts"]}
    assert facts["Rebuilt"] == "0.9000, 95% interval 0.8752–0.9248"
    assert facts["Published"] == "0.900, Paper, Table 5"
    assert facts["Verdict"] == "reproduced"
    assert facts["Method"] == "a1"


def test_what_varies_from_run_to_run_is_left_out(tmp_path):
    found = packed(tmp_path)
    record = found["records"][found["tables"]["table05"]["cells"][0]["runs"][0]]
    options = json.loads(found["texts"][record["options"]])
    assert options == {
        "kind": "clustered",
        "rounds": 60,
        "methods": {"a1": {"memory": "a1"}, "sc": {"memory": "none"}},
    }
    assert record["sha"] == "beef" * 16
    ((raw, sha),) = record["from"]
    assert (found["texts"][raw], sha) == ("digits.csv", "feed" * 4)
    told = json.dumps(found)
    assert "2026-01-01" not in told
    assert "somewhere" not in told


def test_commits_are_told_once(tmp_path):
    assert origins.commits([tables.read(table(tmp_path, "table05"))]) == ["0123456789ab"]
