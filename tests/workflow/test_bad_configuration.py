"""Any change of the configuration is either a whole plan, or refused in one line.

A plan is whole if everything can be asked that the rules of the workflow ask, from tables and
figures down to raw data, and every file that one asks for is one that another makes.
"""

import json
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import yaml
from bad_input import WRONG, few, mutated, one_line_or_none, places, whole_or_one_line
from helpers import BASE, ROOT
from hypothesis import given
from hypothesis import strategies as st

from fedreact.runs import contract as runs
from fedreact.workflow.plan import Plan

pytestmark = pytest.mark.campaign

RULES = ROOT / "workflow/rules"
PAPER = Path("config/papers/fed_react")


# ---- What the rules ask -------------------------------------------------------------------------


def ask_dataset(plan, w):
    parts = plan.data.part_files(w.dataset)
    plan.data.dataset_words(w.dataset, parts)
    plan.sources.pinned(w.dataset)
    plan.sources.raw_digest(w.dataset)
    plan.data.source_code("scripts/prepare_data.py", w.dataset)
    return parts


def ask_part(plan, w):
    plan.data.part_words(w.dataset, w.part)
    plan.data.source_code("scripts/prepare_part.py", w.dataset)
    return []


def ask_partition(plan, w):
    plan.data.partition_words(w.paper, w.partition)
    plan.data.partition_code(w.paper, w.partition)
    return [plan.files.dataset(w.dataset)]


def ask_encoder(plan, w):
    of = plan.encoding
    of.memory(of.threads(w.paper, w.encoder))
    of.minutes()
    of.words(w.paper, w.encoder)
    of.checkpoint(w)
    of.code("scripts/train_encoder.py", w.paper, w.encoder)
    return [plan.files.dataset(w.dataset), of.partition(w)]


def ask_features(plan, w):
    plan.encoding.code("scripts/extract_features.py", w.paper, w.encoder)
    encoder = plan.files.encoder(w.paper, w.dataset, w.encoder, w.seed)
    return [plan.files.dataset(w.dataset), encoder]


def ask_run(plan, w):
    of, trains = plan.runs, runs.part_of(w.kind, "spec").TRAINS
    assert re.fullmatch(of.kinds(trains), w.kind)
    assert not re.fullmatch(of.kinds(not trains), w.kind)
    of.memory(w, of.threads(w) if trains else 1)
    of.minutes(w)
    of.words(w)
    of.code(w)
    of.checkpoint(w)
    return list(of.inputs(w).values())


def ask_study(plan, w):
    json.loads(plan.runs.study_json(w.study))
    plan.runs.study_code(w.study)
    return []


def ask_table(plan, w):
    of = plan.outputs
    of.table_words(w.table)
    of.table_spec(w.table)
    of.table_code(w.table)
    return [*of.table_inputs(w.table), *of.published(w.table)]


def ask_figure(plan, w):
    of = plan.outputs
    of.figure_words(w.figure)
    of.figure_spec(w.figure)
    ", ".join(of.datasets_of(w.figure))
    of.figure_code(w.figure)
    return [*of.figure_scores(w.figure), *of.figure_files(w.figure)]


def ask_ledger(plan, w):
    json.loads(plan.measures.ledger_json(w.paper))
    return plan.measures.ledger_inputs(w.paper)


def ask_search(plan, w):
    plan.measures.search_words(w.search)
    return plan.measures.search_inputs(w.search)


def ask_universes(plan, w):
    plan.multiverse.words(w)
    plan.multiverse.code(w.paper)
    return plan.multiverse.inputs(w)


def ask_multiverse(plan, w):
    plan.multiverse.asked_words(w.paper)
    plan.multiverse.curves(w.paper)
    return plan.multiverse.files(w.paper)


def ask_claims(plan, w):
    plan.claims.words(w.paper)
    plan.claims.code(w.paper)
    return plan.claims.inputs(w.paper)


ASK = {
    "data/{dataset}.npz": ask_dataset,
    "parts/{dataset}/{part}.npz": ask_part,
    "partitions/{paper}/{dataset}/{partition}/seed{seed}.npz": ask_partition,
    "encoders/{paper}/{dataset}/{encoder}/seed{seed}.npz": ask_encoder,
    "features/{paper}/{dataset}/{encoder}/seed{seed}.npz": ask_features,
    "runs/{kind}/{paper}/{dataset}/{setting}/{job}/seed{seed}.csv": ask_run,
    "studies/{study}.csv": ask_study,
    "tables/{table}.csv": ask_table,
    "figures/{figure}.pdf": ask_figure,
    "assumptions/{paper}.csv": ask_ledger,
    "searches/{search}.csv": ask_search,
    "claims/{paper}.csv": ask_claims,
    "multiverse/{paper}/(?P<view>drawn|tuned)/{setting}/part(?P<part>[0-9]+).csv": ask_universes,
    "multiverse/{paper}/asked.json": ask_multiverse,
}
"""What is asked for an output, by its path in its rule; it returns the rule's inputs."""


def test_all_that_rules_make_is_asked_for():
    text = "\n".join(path.read_text() for path in RULES.glob("*.smk"))
    outputs = "\n".join(re.findall(r"^    output:\n((?:        .*\n)+)", text, re.MULTILINE))
    made = {
        path.replace("{{", "{").replace("}}", "}")
        for path in re.findall(r"(?:R|OUT)\}/(.*?)\"", outputs)
    }
    firsts = {path for path in made if "{" in path and not path.endswith((".tex", ".md", ".png"))}
    beside = {"tables/{table}.provenance.json", "claims/{paper}.pdf", "assumptions/{paper}.pdf"}
    beside |= {path for path in firsts if path.endswith(".clients.npz")}
    beside |= {path for path in firsts if re.match(r"multiverse/.*(\.pdf|\{table\}\.csv)$", path)}
    parts = {path for path in ASK if "/part" in path}  # in the rule by FILES.universes
    assert firsts - beside == set(ASK) - parts


def patterns():
    """The rules' outputs as patterns, with what their wildcards may be."""
    text = (RULES / "common.smk").read_text()
    text = text[text.index("wildcard_constraints:") :]
    allowed = dict(re.findall(r"^    (\w+)=r?\"(.+)\",$", text, re.MULTILINE))
    assert {"paper", "dataset", "setting", "seed"} <= set(allowed)
    return {
        re.compile(
            re.sub(r"\{(\w+)\}", lambda m: f"(?P<{m[1]}>{allowed.get(m[1], '.+')})", path)
        ): ask
        for path, ask in ((path.replace(".", r"\."), ask) for path, ask in ASK.items())
    }


PATTERNS = patterns()


def ask_everything(plan):
    """Ask for all targets, for what they are made of, and so on down to raw data."""
    with mock.patch.dict(os.environ):
        plan.export()
    plan.errors()
    plan.chosen_config()
    of = plan.outputs
    of.datasets_shown()
    json.loads(plan.report.words()[1])
    plan.report.entries()
    plan.report.code()
    summaries = {*plan.papers, *plan.measures.papers_measured()}
    targets = plan.targets()
    todo = [file for files in targets.values() for file in files]
    todo += [f"{plan.files.outputs}/multiverse/{p}/asked.json" for p in plan.multiverse.papers()]
    todo += [file for paper in summaries for file in plan.files.summary("assumptions", paper)]
    todo = [file for file in todo if not file.endswith((".tex", ".md", ".png"))]
    assert todo
    seen = set(todo)
    while todo:
        file = todo.pop()
        if not file.startswith(f"{plan.results}/"):
            assert Path(file).is_file(), file
            continue
        found = [(m, ask) for p, ask in PATTERNS.items() if (m := p.fullmatch(below(plan, file)))]
        assert len(found) == 1, f"{file} is made by {len(found)} rules"
        match, ask = found[0]
        new = set(ask(plan, SimpleNamespace(**match.groupdict()))) - seen
        seen |= new
        todo += new
    return seen


def below(plan, file):
    """Path below the folder of the scale, or of the tables on data of the user's choice."""
    folder = plan.files.outputs if file.startswith(f"{plan.files.outputs}/") else plan.results
    return file[len(folder) + 1 :]


# ---- Any change ---------------------------------------------------------------------------------

USER = Path("config/config.yaml")
FILES = [USER, Path("config/datasets.yaml"), Path("config/scales/smoke.yaml")]
FILES += [PAPER / f"{name}.yaml" for name in ("paper", "partitions", "settings", "methods")]
FILES += [PAPER / f"{name}.yaml" for name in ("tables", "figures", "search", "ledger", "claims")]
FILES += [PAPER / "multiverse.yaml"]
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
    assert whole_plan_or_one_line(BASE) is None


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
            "settings",
            lambda c: c["stationary10"]["clustered"].update(samples_per_round=5000),
            f"settings.yaml: stationary10: clustered: samples_per_round: 5000 is {TOO_MANY}",
        ),
        (
            "settings",
            lambda c: c["stationary10"]["clustered"].update(samples_per_round=2161),
            f"2161 is {TOO_MANY}",
        ),
        ("tables", with_row(samples_per_round=5000), "table05: x, Fed-REACT w/ A1: clustered: sam"),
        (
            "tables",
            with_row(**{"partition.samples_per_client": 50}),
            "64 is more than the 45 train samples of a client",
        ),
        (
            "partitions",
            lambda c: c["clients10-beta1.5"].update(samples_per_client=60),
            "stationary10: clustered: samples_per_round: 64 is more than the 54 train samples",
        ),
        (
            "settings",
            lambda c: c["stationary100"].update(n_clusters={"samples": [64, 2161]}),
            f"settings.yaml: stationary100: n_clusters: samples: 2161 is {TOO_MANY}",
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
            "at_most: 'encoder' is unknown; known: asynchronous, clustered",
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
            "unlike: 'sync' is unknown; known: asynchronous, clustered",
        ),
        (
            "scales/smoke",
            lambda c: c.update(left_out={"full10": {"sync": "too short"}}),
            "left_out: full10: 'sync' is unknown; known: asynchronous, clustered",
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
        ("methods", lambda c: c["clustered"].update({"a+b": {"algorithm": "ifca"}}), "is no name"),
        ("settings", lambda c: c.update({"a/b": c["stationary10"]}), "settings: 'a/b' is no name"),
        ("settings", ("stationary10:", "stationary100:"), "the key 'stationary100' stands twice"),
        ("scales/smoke", ("  encoder:", "  dirichlet:"), "smoke.yaml, line 9: not YAML (the key"),
    ],
)
def test_what_a_paper_may_not_say(configured, monkeypatch, file, change, said):
    found = edited(monkeypatch, configured, f"papers/fed_react/{file}.yaml", change)
    assert said in (found or "nothing"), found


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("settings", lambda c: c["stationary10"]["clustered"].update(samples_per_round=2160)),
        # Where data drifts, or its owners are the clients, only the data tells.
        ("settings", lambda c: c["visiting100"]["clustered"].update(samples_per_round=5000)),
        ("settings", lambda c: c["sumo50"]["clustered"].update(samples_per_round=5000)),
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
        of = Plan(BASE).outputs
        for table in TABLES:
            methods = {}
            for cell in of.cells(table).values():
                methods.setdefault(of.folder("fed_react", cell), set()).add(cell.method.name)
            files = of.table_inputs(table)
            for file in map(Path, files):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(made_up(file, sorted(methods.get(str(file.parent), ()))))
            found[table] = [*of.table_words(table), "--scores", *files]
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
