"""Pictures of the documentation: current, readable, and of kept numbers only."""

import io
import json
from itertools import combinations

import pytest
from helpers import ROOT
from matplotlib.colors import to_hex
from matplotlib.image import imread
from PIL import Image

from fedreact.errors import UserError
from fedreact.reference import gallery, store
from fedreact.reference.keep import RUN
from fedreact.reference.pictures import claims, marks, verdict
from fedreact.reference.pictures.contract import KeptRuns

REFERENCES = ROOT / "reference"
PICTURES = ROOT / "docs" / "pictures"
NAMES = gallery.names()


@pytest.fixture(scope="module")
def drawn():
    """Each picture and its digest, drawn once."""
    pictures = {}

    def draw(name):
        if name not in pictures:
            pictures[name] = gallery.draw(name, REFERENCES)
            pictures[name][0].draw_without_rendering()
        return pictures[name]

    return draw


def test_each_picture_is_there_and_no_other():
    """After `make docs` they are."""
    assert sorted(path.stem for path in PICTURES.glob("*")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_of_what_is_kept(drawn, name):
    """After `make docs` it is: by the digest of its data, since pixels depend on fonts."""
    assert Image.open(PICTURES / f"{name}.png").text[gallery.DIGEST] == drawn(name)[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_has_the_width_of_a_page(name):
    assert imread(PICTURES / f"{name}.png").shape[1] == round(marks.WIDTH * 200)


def texts_of(figure):
    """Texts by what they say, with their places; ticks are matplotlib's own matter."""
    texts = [*figure.texts]
    for legend in figure.legends:
        texts += legend.get_texts()
    for axes in figure.axes:
        if axes.get_visible():
            places = (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)
            texts += [*places, *axes.texts]
    return [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]


@pytest.mark.parametrize("name", NAMES)
def test_texts_lie_in_the_picture_and_not_on_each_other(drawn, name):
    figure = drawn(name)[0]
    texts, room = texts_of(figure), figure.bbox
    for text, box in texts:
        assert min(box.x0, box.y0) >= -1, text
        assert max(box.x1 - room.x1, box.y1 - room.y1) <= 1, text
    for (text, a), (other, b) in combinations(texts, 2):
        assert not a.padded(-3).overlaps(b.padded(-3)), (text, other)


@pytest.mark.parametrize("name", NAMES)
def test_a_colour_and_marker_mean_one_thing(drawn, name):
    """In one picture, no two entries of the legend look the same."""
    for legend in drawn(name)[0].legends:
        looks = []
        for line in legend.legend_handles:
            if hasattr(line, "get_marker"):
                shape = (line.get_marker(), line.get_linestyle(), line.get_markersize())
                filled = to_hex(line.get_markerfacecolor(), keep_alpha=True)
                looks.append((to_hex(line.get_color()), filled, *shape))
            else:
                looks.append(to_hex(line.get_facecolor()))
        assert len(set(looks)) == len(looks)


def test_the_same_files_give_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "names", lambda: ["pipeline", "verdict"])
    for folder in ("a", "b"):
        assert gallery.draw_all(REFERENCES, tmp_path / folder) == ["pipeline", "verdict"]
    for name in ("pipeline.png", "verdict.png"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_verdict_shows_differences_of_the_search():
    runs = KeptRuns(REFERENCES)
    run = runs.run("fed_react", having=verdict.SEARCH)
    ours = run.lines(verdict.HEADS, method="fed-react-a1")[0][verdict.SETTING]
    variant = "ifca+learning_rate=1.0+steps=1+start=random"
    (theirs,) = run.lines(verdict.SEARCH, variant=variant)
    panel = verdict.draw(runs).axes[0]
    lines = {line.get_label(): line for line in panel.get_lines()}
    assert lines["learning rate 1"].get_ydata()[0] == ours - theirs[verdict.SETTING]
    published = run.line(verdict.TABLE, verdict.ROW, "IFCA", "accuracy")["gap_published"]
    assert lines["published"].get_ydata()[0] == -published


CLAIMS = """claim,reading,at,left,published,outcome
a,,,Ours w/ A1,0.1,holds
b,,,Ours w/ A1,,negligible
c,,,Ours w/ A1,,reversed
c,other,,Ours w/ A1,,holds
c,,somewhere,Ours w/ A1,,holds
d,,,,,not-testable
e,,,Ours w/ A1,,fails
f,,,Ours w/ A1,,surprising
"""
TABLE = "table,row,column,metric,mean\nt,r,A1,accuracy,0.9\n"


@pytest.fixture
def small(tmp_path):
    """Two scales of a paper, the second of which took longer."""
    for scale, seconds in (("long", 20.0), ("short", 10.0)):
        folder = tmp_path / scale / "mine"
        (folder / "claims").mkdir(parents=True)
        store.write(folder / store.TABLES, TABLE)
        (folder / "claims" / "mine.csv").write_text(CLAIMS)
        (folder / RUN).write_text(json.dumps({"cpu_seconds": seconds}))
    (tmp_path / "short" / "mine" / "only.csv").write_text("a\n1\n")
    return tmp_path


def test_outcomes_old_and_new_are_counted(small):
    figure = claims.draw(KeptRuns(small))
    bars = [patch for patch in figure.axes[0].patches if patch.get_width() > 0]
    by_colour = {to_hex(bar.get_facecolor()).upper(): bar.get_width() for bar in bars}
    outcomes = ("holds", "negligible", "reversed", "not-testable", "fails")
    wanted = {claims.OUTCOMES[name][0]: 1 for name in outcomes} | {claims.OTHER[0]: 1}
    assert {colour: by_colour.get(colour) for colour in wanted} == wanted
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["Ours"]
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(shown) == sorted([*outcomes, "surprising"])


def test_the_run_of_most_compute_is_drawn(small):
    runs = KeptRuns(small)
    assert runs.run("mine").scale == "long"
    assert runs.run("mine", having="only.csv").scale == "short"
    assert runs.scales("mine") == ["long", "short"]
    assert runs.papers() == ["mine"]


@pytest.mark.parametrize(
    ("paper", "having", "message"),
    [("yours", "", "yours/run.json"), ("mine", "no.csv", "mine/no.csv")],
)
def test_what_is_not_kept_is_said(small, paper, having, message):
    with pytest.raises(UserError, match=f"{message} is not there; `make reference` keeps a run"):
        KeptRuns(small).run(paper, having)


def test_a_cell_that_is_not_there_is_said(small):
    with pytest.raises(UserError, match=r"t\.csv: has no line of row 'r', column 'A2', metric"):
        KeptRuns(small).run("mine").line("t", "r", "A2", "accuracy")


def test_the_digest_tells_data_and_code(small, tmp_path):
    code = tmp_path / "code.py"
    code.write_text("1")

    def digest(read=True):
        runs = KeptRuns(small)
        if read:
            assert runs.run("mine").line("t", "r", "A1", "accuracy")["mean"] > 0
        return runs.digest(code)

    before = digest()
    assert digest() == before != digest(read=False)
    changed = TABLE.replace("0.9", "0.8")
    store.write(small / "short" / "mine" / store.TABLES, changed)  # not drawn
    assert digest() == before
    store.write(small / "long" / "mine" / store.TABLES, f"{TABLE}u,r,A1,accuracy,0.7\n")  # nor u
    assert digest() == before
    store.write(small / "long" / "mine" / store.TABLES, changed)
    changed = digest()
    code.write_text("2")
    assert len({before, changed, digest()}) == 3


def test_a_picture_of_ones_own_is_drawn_too(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "own" / "reference" / "pictures"
    own.mkdir(parents=True)
    (own / "my_dots.py").write_text(
        "from matplotlib.figure import Figure\n\n\ndef draw(runs):\n"
        "    figure = Figure()\n"
        "    line = runs.run('mine').line('t', 'r', 'A1', 'accuracy')\n"
        "    figure.subplots().plot(line['mean'], 0, 'o')\n    return figure\n"
    )
    assert gallery.names()[-1] == "my_dots"
    figure, digest = gallery.draw("my_dots", small)
    assert figure.axes[0].get_lines()[0].get_xdata() == [0.9]
    figure.savefig(io.BytesIO(), metadata={gallery.DIGEST: digest})
