"""Any change of the configuration is either a whole plan, or refused in one line.

A plan is whole if all targets have jobs, from tables and figures down to raw data, and every file
that one job reads is one that another makes.
"""

import json
import os
import re
import shutil
from pathlib import Path
from unittest import mock

import pytest
import yaml
from bad_input import WRONG, few, mutated, one_line_or_none, places, whole_or_one_line
from helpers import BASE, ROOT
from hypothesis import given
from hypothesis import strategies as st

from fedreact.kinds import contract as runs
from fedreact.resolve.files import Files
from fedreact.resolve.plan import Plan
from fedreact.workflow import failures

pytestmark = pytest.mark.campaign

RULES = ROOT / "workflow/rules"
PAPER = Path("config/papers/fed_react")


# ---- Jobs of the rules --------------------------------------------------------------------------


def section(text, name):
    """Lines of a keyword of a rule, or of a file of rules."""
    lines = re.search(rf"^( *){name}:\n((?:\1 +.*\n)+)", text, re.MULTILINE)
    return lines[2] if lines else ""


def constraints(text):
    """What wildcards may be."""
    return dict(re.findall(r"(\w+)=r?\"(.+)\",", section(text, "wildcard_constraints")))


def pattern(path, allowed):
    """A path with wildcards as a regular expression."""
    escaped = re.sub(r"[.+]", r"\\\g<0>", path)
    named = re.sub(r"\{+(\w+)\}+", lambda m: f"(?P<{m[1]}>{allowed.get(m[1], '[^/]+')})", escaped)
    return re.compile(named)


def patterns():
    """List the outputs of rules that have jobs: rule, its wildcards, and a pattern of paths."""
    shared, lines = constraints((RULES / "common.smk").read_text()), []
    assert {"paper", "dataset", "setting", "seed"} <= set(shared)
    text = "".join(path.read_text() for path in RULES.glob("*.smk"))
    for rule, body in re.findall(r"^rule (\w+):\n((?: .*\n|\n)+)", text, re.MULTILINE):
        if f'code("{rule}")' not in body:
            continue  # it collects files
        allowed, output = shared | constraints(body), section(body, "output")
        wildcards = re.findall(r"\{\{(\w+)\}\}", section(body, "log"))
        paths = re.findall(r"\{(?:R|OUT)\}/(.*?)\"", output)
        for words in re.findall(r"FILES\.universes\((.*)\)", output):
            paths.append(Files("").universes(*json.loads(f"[{words}]"))[1:])
        lines += [(rule, wildcards, pattern(path, allowed)) for path in paths]
    return lines


PATTERNS = patterns()


def job_of(plan, file):
    """Rule and job that make a file."""
    folder = plan.files.outputs if file.startswith(f"{plan.files.outputs}/") else plan.results
    below = file[len(folder) + 1 :]
    made = [(*rest, match) for *rest, of in PATTERNS if (match := of.fullmatch(below))]
    assert len(made) == 1, f"{file} is made by {len(made)} rules"
    rule, wildcards, match = made[0]
    if rule == "run":
        trains = runs.part_of(match["kind"], "spec").TRAINS
        assert re.fullmatch(plan.runs.kinds(trains), match["kind"])
        assert not re.fullmatch(plan.runs.kinds(not trains), match["kind"])
        rule = "train" if trains else "run"
    return rule, plan.job(rule, **{name: match[name] for name in wildcards})


def ask_everything(plan):
    """Ask for all targets, for what they are made of, and so on down to raw data.

    Returns the rules whose jobs were asked for.
    """
    with mock.patch.dict(os.environ):
        plan.export()
    failures.errors(plan.logs)
    todo = {file for files in plan.targets().values() for file in files}
    assert todo
    out = plan.files.outputs
    for paper in {*plan.papers, *plan.measures.papers_measured()}:
        todo.update(plan.files.summary("assumptions", paper))
    for paper in plan.multiverse.papers():
        todo.add(f"{out}/multiverse/{paper}/asked.json")
        curves = plan.multiverse.curves(paper)
        todo.update(f"{out}/multiverse/{paper}/curves/{'+'.join(names)}.pdf" for names in curves)
    todo |= {f"{out}/report.html", f"{out}/benchmark.html"}
    seen, asked = set(todo), set()
    while todo:
        file = todo.pop()
        if not file.startswith(f"{plan.results}/"):
            assert Path(file).is_file(), file
            continue
        rule, job = job_of(plan, file)
        asked.add(rule)
        assert all(isinstance(text, str) for text in (*job.words, *job.files, job.code))
        for word in job.words:
            if word.startswith(("{", "[")):
                json.loads(word)
        job.megabytes(job.threads)
        new = set(job.files) - seen
        seen |= new
        todo |= new
    return asked


# ---- Any change ---------------------------------------------------------------------------------

USER = Path("config/config.yaml")
FILES = [USER, Path("config/datasets.yaml"), Path("config/scales/smoke.yaml")]
FILES += [PAPER / f"{name}.yaml" for name in ("paper", "experiment", "tables", "figures")]
FILES += [PAPER / f"{name}.yaml" for name in ("search", "ledger", "claims")]
FILES += [PAPER / "multiverse.yaml", PAPER / "printed.yaml"]
FILES += [PAPER / "scales/smoke.yaml"]


def content_of(path):
    content = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    return content | BASE if path == USER else content


CONTENT = {path: content_of(path) for path in FILES}


def test_no_file_of_the_configuration_is_forgotten():
    there = {path.relative_to(ROOT) for path in (ROOT / "config").rglob("*.yaml")}
    others = {path for path in there if path.parent.name == "scales" and path.stem != "smoke"}
    published = {
        path for path in there if path.parent.name == "published" and PAPER in path.parents
    }
    assert {p for p in there if p.parts[1] != "papers" or PAPER in p.parents} == {
        *FILES,
        *(p for p in others if p.parts[1] != "papers" or PAPER in p.parents),
        *published,
    }
    assert set(CONTENT[USER]) == set(BASE)


@pytest.fixture(scope="module")
def configured(tmp_path_factory):
    """A folder with a copy of the configuration, and the project's code."""
    folder = tmp_path_factory.mktemp("configured")
    shutil.copytree(ROOT / "config", folder / "config")
    for name in ("src", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def check(config):
    """Make a plan; what the rules ask then must not fail, as that would be no one line."""
    plan = Plan(config)
    plan.check()
    return plan


def whole_plan_or_one_line(config):
    made = []
    said = one_line_or_none(lambda: made.append(check(config)))
    if said is None:
        ask_everything(*made)
    return said


@few(5)
@given(choice=st.data())
def test_any_change_of_the_configuration(configured, monkeypatch, choice):
    monkeypatch.chdir(configured)
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)
    which = choice.draw(st.sampled_from(FILES))
    at = choice.draw(st.sampled_from(list(places(CONTENT[which]))))
    how = choice.draw(st.sampled_from(["replace", "leave out", "add"]))
    changed = mutated(CONTENT[which], at, how, choice.draw(st.sampled_from(WRONG)))
    if which == USER:
        whole_plan_or_one_line(changed)
        return
    before = which.read_bytes()
    which.write_text(yaml.safe_dump(changed, sort_keys=False, allow_unicode=True))
    try:
        whole_plan_or_one_line(BASE)
    finally:
        which.write_bytes(before)


def test_the_configuration_itself_can_be_asked_for_everything(configured, monkeypatch):
    monkeypatch.chdir(configured)
    rules = {rule for rule, *_ in PATTERNS} | {"train"}
    assert rules - ask_everything(check(BASE)) <= {
        "prepare_part",
        "result_page",
    }  # of SUMO, if it is there; of own papers


# ---- What must be refused, and in which words ---------------------------------------------------


def edited(monkeypatch, configured, file, change):
    """What is said of a configuration with a file that a function, or other text, has changed."""
    monkeypatch.chdir(configured)
    path = Path("config") / file
    before = path.read_text(encoding="utf-8")
    if callable(change):
        content = yaml.safe_load(before)
        change(content)
        after = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    else:
        assert change[0] in before
        after = before.replace(*change, 1)
    path.write_text(after, encoding="utf-8")
    try:
        return one_line_or_none(check, BASE)
    finally:
        path.write_text(before, encoding="utf-8")


def with_row(**row):
    """Another row of Table 5."""
    return lambda c: c["table05"]["rows"].update(x={"setting": "stationary10", **row})


TOO_MANY = "more than the 2160 train samples of a client"


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        (
            "experiment",
            lambda c: c["settings"]["stationary10"]["clustered"].update(samples_per_round=5000),
            f"settings: stationary10: clustered: samples_per_round: 5000 is {TOO_MANY}",
        ),
        (
            "experiment",
            lambda c: c["settings"]["stationary10"]["clustered"].update(samples_per_round=2161),
            f"2161 is {TOO_MANY}",
        ),
        ("tables", with_row(samples_per_round=5000), "table05: x, Fed-REACT w/ A1: clustered: sam"),
        (
            "tables",
            with_row(**{"partition.samples_per_client": 50}),
            "64 is more than the 45 train samples of a client",
        ),
        (
            "experiment",
            lambda c: c["partitions"]["clients10-beta1.5"].update(samples_per_client=60),
            "stationary10: clustered: samples_per_round: 64 is more than the 54 train samples",
        ),
        (
            "experiment",
            lambda c: c["settings"]["stationary100"].update(n_clusters={"samples": [64, 2161]}),
            f"settings: stationary100: n_clusters: samples: 2161 is {TOO_MANY}",
        ),
        ("tables", with_row(n_clusters="elbw"), "'elbw' is unknown; known: elbow, silhouette"),
        ("tables", with_row(**{"encoder.optimizer.kind": "adm"}), "'adm' is unknown among optimiz"),
        (
            "tables",
            lambda c: c["table05"].update(metrics=[]),
            "table05: give rows and columns, and",
        ),
        (
            "tables",
            lambda c: c["table05"].update(columns={}),
            "table05: give rows and columns, and",
        ),
        (
            "tables",
            lambda c: with_row()(c) or c["table05"]["rows"]["x"].update({1: 2}),
            "the key 1 is not a text",
        ),
        ("search", lambda c: c["tune"]["settings"].append({"validate": True}), "names no setting"),
        ("search", lambda c: c["tune"]["settings"].append(3), "settings: 3 names no setting"),
        ("search", lambda c: c["tune"].update(seeds=[]), "tune: seeds: expected array of length"),
        (
            "scales/smoke",
            lambda c: c["at_most"].update(encoder={"rounds": 2}),
            "at_most: 'encoder' is unknown; known: asynchronous, cluster_counts",
        ),
        (
            "scales/smoke",
            lambda c: c["at_most"]["clustered"].update(linkage="ward"),
            "at_most: 'ward' is no number",
        ),
        ("scales/smoke", lambda c: c["seeds"].update(synchronous=[]), "seeds"),
        (
            "scales/smoke",
            lambda c: c["of"].update(egg={"encoder": {"rounds": 1}}),
            "scales/smoke.yaml: of: 'egg' is unknown; known: digits, eeg, sumo",
        ),
        (
            "scales/smoke",
            lambda c: c["partitions"].update(clients7={"beta": 1.0}),
            "scales/smoke.yaml: partitions: 'clients7' is unknown; known: clients10-beta0.1",
        ),
        (
            "scales/smoke",
            lambda c: c["partitions"].update({"sumo50": {"beta": 1.0}}),
            "partitions: sumo50: unknown option beta of owner",
        ),
        (
            "scales/smoke",
            lambda c: c.update(encoder_own=["full7"]),
            "encoder_own: 'full7' is unknown; known: full10",
        ),
        (
            "scales/smoke",
            lambda c: c.update(unlike={"full10": {"sync": ["fewer"]}}),
            "unlike: 'sync' is unknown; known: asynchronous, cluster_counts",
        ),
        (
            "scales/smoke",
            lambda c: c.update(left_out={"full10": {"sync": "too short"}}),
            "left_out: full10: 'sync' is unknown; known: asynchronous, cluster_counts",
        ),
        (
            "scales/smoke",
            lambda c: c.update(left_out={"full10": 3}),
            "left_out: full10: wanted a reason, or one by kind of run",
        ),
        ("scales/smoke", lambda c: c.update(unlike={"full7": {}}), "unlike: 'full7' is unknown"),
        ("paper", lambda c: c.update(prefix="../"), "paper.yaml: prefix: '../' is no part of a na"),
        ("tables", lambda c: c.update({"a b": c["table05"]}), "tables: 'a b' is no name"),
        (
            "tables",
            lambda c: c["table05"].update(reaching="rmse"),
            "tables.yaml: table05: reaching: 'rmse' is none of its metrics",
        ),
        (
            "tables",
            lambda c: c["table05"].update(reaching="accuracy"),
            "table: table05 has costs to a score, of which one method",
        ),
        ("figures", lambda c: c.update({"..": c["fig07"]}), "figures: '..' is no name"),
        (
            "experiment",
            lambda c: c["methods"]["clustered"].update({"a+b": {"algorithm": "ifca"}}),
            "is no name",
        ),
        (
            "experiment",
            lambda c: c["settings"].update({"a/b": c["settings"]["stationary10"]}),
            "settings: 'a/b' is no name",
        ),
        ("experiment", ("stationary10:", "stationary100:"), "the key 'stationary100' stands twice"),
        ("scales/smoke", ("  encoder:", "  dirichlet:"), "smoke.yaml, line 9: not YAML (the key"),
    ],
)
def test_what_a_paper_may_not_say(configured, monkeypatch, file, change, said):
    found = edited(monkeypatch, configured, f"papers/fed_react/{file}.yaml", change)
    assert said in (found or "nothing"), found


@pytest.mark.parametrize(
    ("file", "change"),
    [
        (
            "experiment",
            lambda c: c["settings"]["stationary10"]["clustered"].update(samples_per_round=2160),
        ),
        # Where data drifts, or its owners are the clients, only the data tells.
        (
            "experiment",
            lambda c: c["settings"]["visiting100"]["clustered"].update(samples_per_round=5000),
        ),
        (
            "experiment",
            lambda c: c["settings"]["sumo50"]["clustered"].update(samples_per_round=5000),
        ),
        ("scales/smoke", lambda c: c["at_most"]["clustered"].update(n_clusters=3)),
        ("tables", with_row(C=1e22)),
        ("tables", with_row(C=1e-22)),
        ("tables", with_row(n_clusters="elbow", **{"encoder.optimizer.kind": "sgd"})),
    ],
)
def test_what_a_paper_may_say(configured, monkeypatch, file, change):
    assert edited(monkeypatch, configured, f"papers/fed_react/{file}.yaml", change) is None


def test_a_paper_whose_name_is_no_part_of_paths(configured, monkeypatch):
    monkeypatch.chdir(configured)
    folder = Path("config/papers/my-paper")
    folder.mkdir()
    (folder / "paper.yaml").write_text("title: t\ncite: c\n")
    try:
        said = one_line_or_none(check, BASE)
        assert said == f"{folder}: a paper's name is letters, digits and _ alone"
    finally:
        shutil.rmtree(folder)


# ---- Published values ---------------------------------------------------------------------------

SCORES = ("accuracy", "rand", "accuracy@worst_cluster", "rmse", "steps", "gflops")
TABLES = ("table01", "table05", "table10", "table12", "sumo_constant")
"""Of published values with all keys that there are, and one of a study."""


class Words(dict):
    """By the name of a table; hypothesis shows what it is given."""

    def __repr__(self):
        return ", ".join(self)


@pytest.fixture(scope="module")
def words_of_tables(configured):
    """What the command is told of each table, whose scores are made up."""
    found = Words()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(configured)
        plan = Plan(BASE)
        for table in TABLES:
            methods = {}
            for cell in plan.outputs.cells(table).values():
                folder = plan.outputs.folder("fed_react", cell)
                methods.setdefault(folder, set()).add(cell.method.name)
            job = plan.job("make_table", table=table)
            for file in map(Path, job.inputs["scores"]):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(made_up(file, sorted(methods.get(str(file.parent), ()))))
            found[table] = [*job.words, "--scores", *job.inputs["scores"]]
    return found


def made_up(file, methods):
    """Scores of methods in two rounds; of a study, if there are none."""
    if not methods:
        return "row,column,value\nCausal CNN,FLOPs (M),3.5\n"
    lines = [["setting", "data", "seed", "method", "round", *SCORES]]
    for method in methods:
        for t in (1, 2):
            seed = file.stem.removeprefix("seed")
            lines.append(["s", "d", seed, method, t, *[f"0.{t}"] * len(SCORES)])
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


def read_table(csv):
    """All forms are there."""
    assert len(csv.read_text().splitlines()) > 1
    assert all(csv.with_suffix(suffix).read_text() for suffix in (".tex", ".md"))


@few(5)
@given(choice=st.data())
def test_any_change_of_published_values(configured, words_of_tables, monkeypatch, choice):
    monkeypatch.chdir(configured)
    table = choice.draw(st.sampled_from(TABLES))
    content = yaml.safe_load((PAPER / f"published/{table}.yaml").read_text(encoding="utf-8"))
    at = choice.draw(st.sampled_from(list(places(content))))
    how = choice.draw(st.sampled_from(["as it is", "replace", "leave out", "add"]))
    if how != "as it is":
        content = mutated(content, at, how, choice.draw(st.sampled_from(WRONG)))
    published = Path("published.yaml")
    published.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
    words = [*words_of_tables[table], "--published", published, "--scale", "smoke"]
    output = Path("made") / f"{table}.csv"
    said = whole_or_one_line("make_table.py", *words, output=output, read=read_table)
    assert said is None or how != "as it is"
    assert said is None or str(published) in said or "unknown among metrics" in said
