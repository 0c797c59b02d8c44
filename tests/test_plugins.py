"""Plug-ins are found by the names of their files, the project's and a user's own below own/."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from helpers import BASE, ROOT, edit_yaml, make_plan

from fedreact import options, plugins
from fedreact.digest import code_digest
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.metrics.contract import PRIMARY
from fedreact.metrics.grammar import load_metric
from fedreact.resolve.plan import Plan


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Writes a user's own files below the current folder; what is imported is forgotten again."""

    def forget():
        for name in [name for name in sys.modules if name.split(".")[0] == "own"]:
            del sys.modules[name]
        plugins._load.cache_clear()

    def write(folder, name, text):
        path = tmp_path / "own" / folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        plugins._find.cache_clear()
        return path

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(plugins, "loaded", [])
    forget()
    yield write
    forget()


FOLDERS = [
    ("clients/partitioners", "PARTITIONER", "Dirichlet"),
    ("clients/drifts", "DRIFT", "Switching"),
    ("data/sources", "SOURCE", "Pendigits"),
    ("models/encoders", "ENCODER", "table12"),
    ("models/architectures", "ARCHITECTURE", "LSTM"),
    ("optimizers", "OPTIMIZER", "Adam"),
    ("kinds/clustered/algorithms", "ALGORITHM", "IFCA"),
    ("kinds/synchronous/algorithms", "ALGORITHM", "FedAvg"),
    ("metrics", "METRIC", "Metric"),
    ("metrics/subsets", "SUBSET", "ClientSubset"),
    ("metrics/reducers", "REDUCER", "Reducer"),
    ("figures", "FIGURE", "Digits"),
    ("studies", "STUDY", "Costs"),
]
"""Folders of plug-ins, what a file there defines, and one that there is."""


def refused(function, *given):
    with pytest.raises(UserError) as caught:
        function(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- The project's ------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "defines", "known"), FOLDERS)
def test_all_of_a_folder_are_found_and_loaded(folder, defines, known):
    names = plugins.names(folder, defines)
    assert names == sorted(names)
    files = {path.stem.replace("_", "-") for path in (plugins.PACKAGE / folder).glob("*.py")}
    assert set(names) < files
    assert "contract" not in names
    found = [plugins.load(folder, name, defines) for name in names]
    assert all(found)
    for name in names:
        path = plugins.find(folder, name, defines)
        assert path == plugins.PACKAGE / folder / f"{name.replace('-', '_')}.py"
        assert plugins.load(folder, name, defines) is plugins.load(folder, name, defines)
        here = plugins.source_file(path)
        assert here == Path("src/fedreact") / folder / path.name
        assert (ROOT / here).is_file()


@pytest.mark.parametrize(("folder", "defines", "known"), FOLDERS)
@pytest.mark.parametrize(
    "name",
    ["nothing", "", ".", "..", "../x", "a/b", "two\nlines", "a b", "contract", "__init__", "é"]
    + [None, 3, 1.5, True, ["x"], {"x": 1}, ("x",)],
)
def test_names_of_nothing(folder, defines, known, name, own):
    said = refused(plugins.find, folder, name, defines)
    assert said.startswith(f"{options.shown(name)} is unknown among {folder}; known: ")
    assert ", ".join(plugins.names(folder, defines)) in said
    assert refused(plugins.load, folder, name, defines) == said
    if name == "nothing":
        assert said.endswith(f"; or write own/{folder}/nothing.py")


def test_dashes_and_underscores_name_one_file():
    folder = "models/architectures"
    assert plugins.find(folder, "causal-cnn", "ARCHITECTURE") == plugins.find(
        folder, "causal_cnn", "ARCHITECTURE"
    )


def test_what_is_loaded_is_noted_for_the_record(own):
    load_metric("accuracy")
    load_metric("accuracy")
    own("metrics", "mine", "METRIC = 1\n")
    load_metric("mine")
    package = plugins.PACKAGE / "metrics/accuracy.py"
    assert plugins.loaded == [package, Path("own/metrics/mine.py")]


# ---- A user's own -------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "defines", "known"), FOLDERS)
@pytest.mark.parametrize(
    "text", ["{} = 'mine'\n", "class {}:\n    pass\n", "def {}(n):\n    return n\n"]
)
def test_own_files_of_all_folders_are_found(own, folder, defines, known, text):
    before = plugins.names(folder, defines)
    path = own(folder, "my_own", text.format(defines))
    assert plugins.names(folder, defines) == [*before, "my-own"]
    assert plugins.find(folder, "my-own", defines) == Path(f"own/{folder}/my_own.py")
    found = plugins.load(folder, "my-own", defines)
    assert found == "mine" or found.__name__ == defines
    module = sys.modules[".".join(["own", *folder.split("/"), "my_own"])]
    assert Path(module.__file__) == path
    assert plugins.source_file(Path(f"own/{folder}/my_own.py")) == Path(f"own/{folder}/my_own.py")
    assert "my-own" in refused(plugins.find, folder, "nothing", defines)


@pytest.mark.parametrize(("folder", "defines", "known"), FOLDERS)
def test_an_own_file_of_a_name_of_the_projects_is_refused(own, folder, defines, known):
    name = plugins.names(folder, defines)[0]
    own(folder, name.replace("-", "_"), f"{defines} = 1\n")
    said = refused(plugins.find, folder, name, defines)
    path = Path("own", folder, f"{name.replace('-', '_')}.py")
    assert said == f"{path}: the project has {name!r} itself; give yours another name"


@pytest.mark.parametrize(
    "text", ["", "# METRIC\n", "METRICS = 1\n", "x = METRIC\n", "    METRIC = 1\n"]
)
def test_an_own_file_that_defines_nothing_of_the_kind(own, text):
    own("metrics", "mine", text)
    said = refused(plugins.find, "metrics", "mine", "METRIC")
    assert said == "own/metrics/mine.py: defines no METRIC"
    assert "mine" not in plugins.names("metrics", "METRIC")


def test_a_helper_beside_own_files_is_none_and_can_be_imported_by_them(own):
    own("metrics", "helper", "VALUE = 5\n")
    own("metrics", "mine", "from own.metrics.helper import VALUE\n\nMETRIC = VALUE\n")
    assert "helper" not in plugins.names("metrics", "METRIC")
    assert load_metric("mine") == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("METRIC = (\n", "SyntaxError: '(' was never closed"),
        ("METRIC = 1\n  x = 2\n", "IndentationError"),
        ("import nothing_of_the_kind\nMETRIC = 1\n", "ModuleNotFoundError: No module named"),
        ("from fedreact import nothing\nMETRIC = 1\n", "ImportError: cannot import name"),
        ("METRIC = 1 / 0\n", "ZeroDivisionError: division by zero"),
        ("raise ValueError('two\\nlines')\nMETRIC = 1\n", "ValueError: two lines"),
        ("METRIC = 1\nexit(3)\n", "SystemExit: 3"),
        ("METRIC: int\n", "defines no METRIC"),
        ("if False:\n    x = 1\nMETRIC = 1\ndel METRIC\n", "defines no METRIC"),
        ("METRIC = 1\nraise KeyError\n", "KeyError"),
    ],
)
def test_own_files_that_cannot_be_imported(own, text, said):
    own("metrics", "mine", text)
    found = refused(plugins.load, "metrics", "mine", "METRIC")
    assert found.startswith("own/metrics/mine.py: ")
    assert said in found


def test_bytes_that_are_no_python(own):
    path = own("metrics", "mine", "")
    path.write_bytes(b"METRIC = 1\n\xff\xfe\0")
    assert refused(plugins.load, "metrics", "mine", "METRIC").startswith("own/metrics/mine.py: ")


def test_a_file_that_is_mended_is_loaded(own):
    own("metrics", "mine", "METRIC = 1 / 0\n")
    refused(plugins.load, "metrics", "mine", "METRIC")
    own("metrics", "mine", "METRIC = 2  # mended\n")
    assert load_metric("mine") == 2


# ---- With options -------------------------------------------------------------------------------


def test_plugins_with_options():
    made = plugins.make("clients/drifts", {"kind": "switching", "p01": 0.1, "p10": 1}, "DRIFT", "f")
    assert (made.p01, made.p10) == (0.1, 1.0)
    made = plugins.make("optimizers", {"kind": "dtssgd", "window": 3}, "OPTIMIZER", "f")
    assert (made.window, made.decay) == (3, 1.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "f: wanted a kind and its options, got None"),
        ("visiting", "f: wanted a kind and its options, got 'visiting'"),
        ({}, "f: wanted a kind and its options, got {}"),
        ({"probability": 1}, "f: wanted a kind and its options, got {'probability': 1}"),
        ({"kind": None}, "f: wanted a kind and its options, got {'kind': None}"),
        ({"kind": ["visiting"]}, "f: wanted a kind and its options"),
        ({"kind": "vsiting"}, "f: 'vsiting' is unknown among clients/drifts; known: migration"),
        ({"kind": "visiting"}, "f: probability is missing"),
        ({"kind": "visiting", "p": 1}, "f: unknown key p; known keys: probability"),
        ({"kind": "visiting", "probability": 2}, "f: probability: expected float <= 1.0, got 2"),
        ({"kind": "visiting", 3: 2}, "f: unknown key 3"),
    ],
)
def test_wrong_kinds_and_options(given, said):
    assert refused(plugins.make, "clients/drifts", given, "DRIFT", "f").startswith(said)


@dataclass(frozen=True)
class Made:
    """Names plug-ins."""

    encoder: Annotated[str, plugins.Named("models/encoders", "ENCODER")] = "table12"
    drift: Annotated[dict[str, Any] | None, plugins.Named("clients/drifts", "DRIFT")] = None
    several: Annotated[
        dict[str, str], plugins.Named("models/architectures", "ARCHITECTURE")
    ] = None  # fmt: skip


def test_options_that_name_plugins():
    labels = {"LSTM": "lstm", "CNN": "causal-cnn"}
    visiting = {"kind": "visiting", "probability": 0.5}
    made = options.check(Made, {"drift": visiting, "several": labels}, "f")
    assert list(plugins.named(made)) == [
        ("models/encoders", "table12", "ENCODER"),
        ("clients/drifts", "visiting", "DRIFT"),
        ("models/architectures", "lstm", "ARCHITECTURE"),
        ("models/architectures", "causal-cnn", "ARCHITECTURE"),
    ]
    assert list(plugins.named(options.check(Made, {}, "f"))) == [
        ("models/encoders", "table12", "ENCODER")
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"encoder": "gruu"}, "f: encoder: 'gruu' is unknown among models/encoders; known: fran"),
        ({"encoder": "../x"}, "f: encoder: '../x' is unknown among models/encoders"),
        ({"drift": {}}, "f: drift: wanted a kind and its options, got {}"),
        ({"drift": {"p01": 1}}, "f: drift: wanted a kind and its options, got {'p01': 1}"),
        ({"drift": {"kind": 3}}, "f: drift: 3 is unknown among clients/drifts"),
        ({"drift": {"kind": []}}, "f: drift: [] is unknown among clients/drifts"),
        ({"drift": {"kind": "visiting"}}, "f: drift: probability is missing"),
        ({"several": {}}, "f: several: wanted a kind and its options, got {}"),
        ({"several": {"a": "lstm", "b": "x"}}, "f: several: 'x' is unknown among models/arch"),
    ],
)
def test_options_that_name_none(given, said):
    assert refused(options.check, Made, given, "f").startswith(said)


# ---- In a plan ----------------------------------------------------------------------------------

METRIC = """from fedreact.metrics.contract import Metric
from fedreact.metrics.accuracy import samples

METRIC = Metric(title="Hits", kinds=("classification",), samples=samples)
"""
ALGORITHM = '''"""Clients for themselves."""

from dataclasses import dataclass

from fedreact.kinds.clustered.algorithms.given_clusters import GivenClusters
from fedreact.options import Count


@dataclass(frozen=True)
class Mine(GivenClusters):
    """Mine.

    Attributes
    ----------
    restarts
        How many.
    """

    restarts: Count = 3


ALGORITHM = Mine
'''
SOURCE = '''"""A source of two kinds of series."""

from dataclasses import dataclass

from fedreact.data.sources.contract import Source
from fedreact.options import Count


@dataclass(frozen=True)
class Mine(Source):
    """Mine.

    Attributes
    ----------
    n
        Series.
    """

    n: Count = 40


SOURCE = Mine
'''
FIGURE = '''"""A figure of the data."""

from dataclasses import dataclass

from fedreact.figures.contract import FigureKind


@dataclass(frozen=True)
class Mine(FigureKind):
    """Mine.

    Attributes
    ----------
    role
        Of the data.
    """

    role: str = "digits"

    def inputs(self, ask):
        return [ask.dataset(self.role)]


FIGURE = Mine
'''
ENCODER = '''"""Of the project, by another name."""

from fedreact.models.encoders.table12 import ENCODER as TABLE12


def ENCODER(in_channels):
    return TABLE12(in_channels)
'''
ENTRY = {"title": "Mine", "licence": "none", "role": "sketches"}
ENTRY |= {"task": {"kind": "classification", "outputs": 2, "channels": 1, "steps": 5}}
PAPER = Path("config/papers/fed_react")


def test_own_encoder_algorithm_source_metric_and_figure_in_a_plan(project, own):
    for name in ("src", "scripts"):
        assert Path(name).is_dir()
    for folder, text in (
        ("metrics", METRIC),
        ("kinds/clustered/algorithms", ALGORITHM),
        ("data/sources", SOURCE),
        ("figures", FIGURE),
        ("models/encoders", ENCODER),
    ):
        own(folder, "mine", text)
    edit_yaml(
        "config/datasets.yaml", lambda c: c.update(mine=ENTRY | {"scales": {"smoke": {"n": 9}}})
    )
    edit_yaml(
        PAPER / "experiment.yaml",
        lambda c: c["methods"]["clustered"].update(mine={"restarts": 2}),
    )
    edit_yaml(
        PAPER / "experiment.yaml",
        lambda c: c["partitions"].update(
            sketches={"data": "sketches", "by": "dirichlet", "cluster_sizes": [2, 2], "beta": 1}
        ),
    )
    edit_yaml(
        PAPER / "experiment.yaml",
        lambda c: c["settings"].update(
            sketches={"partition": "sketches", "encoder": {"encoder": "mine"}}
        ),
    )
    cell = {"setting": "sketches", "method": "mine"}
    table = {"title": "t", "rows": {"r": cell}, "columns": {"c": {}}, "metrics": ["mine"]}
    edit_yaml(PAPER / "tables.yaml", lambda c: c.update(mine=table))
    figure = {"title": "f", "kind": "mine", "role": "sketches"}
    edit_yaml(PAPER / "figures.yaml", lambda c: c.update(drawn=figure))

    plan = make_plan()
    (found,) = plan.outputs.cells("mine").values()
    assert (found.kind, found.data, found.method.algorithm) == ("clustered", "mine", "mine")
    assert found.method.options == {"restarts": 2}
    group = plan.experiments.workload("fed_react").jobs()[found.key]
    assert list(group.metrics) == [PRIMARY["classification"], "mine"]
    assert plan.job("make_figure", figure="drawn").files == ("results/smoke/data/mine.npz",)
    assert plan.outputs.datasets_of("drawn") == ["mine"]
    words = plan.job("prepare_data", dataset="mine").words
    assert words[:4] == ("--dataset", "mine", "--options", "n=9")
    assert plan.datasets.task("mine").steps == 5
    assert runs.method("clustered", "x", {"algorithm": "mine"}, "f").algorithm == "mine"
    owner, encoder, _ = plan.settings.encoder_of("fed_react", "sketches", {})
    assert plan.settings.encoder(owner, encoder).encoder == "mine"

    # Own code is part of what a job depends on.
    place = {"paper": owner, "dataset": "mine", "encoder": encoder, "seed": "0"}
    jobs = {
        "metrics": ("make_table", {"table": "mine"}),
        "figures": ("make_figure", {"figure": "drawn"}),
        "data/sources": ("prepare_data", {"dataset": "mine"}),
        "models/encoders": ("train_encoder", place),
    }
    before = {folder: plan.job(rule, **w).code for folder, (rule, w) in jobs.items()}
    simulated = plan.job("prepare_data", dataset="air-writing-sim")
    assert simulated.code != before["data/sources"]
    for folder, (rule, w) in jobs.items():
        path = Path("own", folder, "mine.py")
        path.write_text(path.read_text() + "\nMORE = 1\n")
        for cached in (code_digest, *_caches()):
            cached.cache_clear()
        assert Plan(BASE).job(rule, **w).code != before[folder]


def _caches():
    from fedreact import digest

    return digest.reached, digest._imports, digest._read
