"""Options: what stands once in a dataclass is checked, written and read everywhere alike."""

import argparse
import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from bad_input import WRONG, one_line_or_none
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fedreact import options, plugins
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.options import Count, InnerShare, Natural, NonNegative, Positive, Probability, Share
from fedreact.resolve import entries, scales
from fedreact.resolve.config import Config, Scale

QUICK = settings(
    max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


# ---- All classes of options of the project ------------------------------------------------------

FOLDERS = {
    "clients/partitioners": "PARTITIONER",
    "clients/regimes": "REGIME",
    "clients/drifts": "DRIFT",
    "data/sources": "SOURCE",
    "optimizers": "OPTIMIZER",
    "studies": "STUDY",
    "figures": "FIGURE",
}


def classes():
    """All options that are found by the names of their files."""
    yield "encoder", encoding.Options
    for kind in runs.kinds():
        yield kind, runs.part_of(kind, "spec").Options
        for name in plugins.names(f"kinds/{kind}/algorithms", "ALGORITHM"):
            cls = plugins.load(f"kinds/{kind}/algorithms", name, "ALGORITHM")
            yield f"kinds/{kind}/algorithms/{name}", cls
    for folder, defines in FOLDERS.items():
        for name in plugins.names(folder, defines):
            yield f"{folder}/{name}", plugins.load(folder, name, defines)


ORIGINAL = dict(classes())
CLASSES = {
    name: options.part_of(cls, without=("setting",)) if "/algorithms/" in name else cls
    for name, cls in ORIGINAL.items()
}
ON_PATHS = ("clients/partitioners", "data/sources", "encoder", *runs.kinds(), "kinds")
"""Classes whose options are written into paths and command lines."""
WRITTEN = {name: cls for name, cls in CLASSES.items() if name.startswith(ON_PATHS)}

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True).filter(lambda n: n != "null")
SCALARS = st.booleans() | st.integers(-99, 10**12) | st.floats(-1e6, 1e6) | NAMES


def values(hint, name=""):
    """Values that a hint allows."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = next((m for m in args[1:] if isinstance(m, msgspec.Meta)), msgspec.Meta())
        named = next((m for m in args[1:] if isinstance(m, plugins.Named)), None)
        if named is not None:
            return of_plugins(named, hint)
        return bounded(args[0], bounds, name)
    if origin in (Union, UnionType):
        return st.one_of([values(part, name) for part in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        if args[1:] != (Ellipsis,):
            return st.tuples(*map(values, args))
        return st.lists(values(args[0]), max_size=4).map(tuple)
    if origin is list:
        return st.lists(values(args[0]), max_size=4)
    if origin in (dict, Mapping):
        return st.dictionaries(NAMES, values(args[1]), min_size=1, max_size=3)
    if is_dataclass(hint):
        return given_of(hint)
    simple = {NoneType: st.none(), bool: st.booleans(), str: NAMES, Any: SCALARS}
    return simple[hint] if hint in simple else bounded(hint, msgspec.Meta(), name)


def bounded(hint, bounds, name):
    if get_origin(hint) is tuple:
        return st.lists(values(get_args(hint)[0]), min_size=bounds.min_length or 0, max_size=4).map(
            tuple
        )
    if get_origin(hint) is not None:
        return values(hint, name)
    low = bounds.gt if bounds.ge is None else bounds.ge
    high = bounds.lt if bounds.le is None else bounds.le
    if hint is int:
        return st.integers(low, high)
    limits = {"exclude_min": bounds.gt is not None, "exclude_max": bounds.lt is not None}
    limits = {k: v for k, v in limits.items() if v}
    return st.floats(low, high, allow_nan=False, allow_infinity=False, **limits)


def of_plugins(named, hint):
    """Names of plug-ins, or kinds with options of theirs."""
    there = plugins.names(named.folder, named.defines)
    hint = get_args(hint)[0]
    if hint is str:
        return st.sampled_from(there)
    if get_origin(hint) is dict and get_args(hint)[1] is str:
        return st.dictionaries(NAMES, st.sampled_from(there), min_size=1, max_size=3)

    def with_options(kind):
        cls = plugins.load(named.folder, kind, named.defines)
        return given_of(cls).map(lambda found: {"kind": kind, **found})

    made = st.sampled_from(there).flatmap(with_options)
    return made if NoneType not in get_args(hint) else made | st.none()


def given_of(cls):
    """Mappings of options that a class accepts; some are left at their defaults."""
    hints = get_type_hints(cls, include_extras=True)
    needed = {f.name for f in fields(cls) if f.default is f.default_factory is MISSING}
    each = {name: values(hints[name], name) for name in options.names(cls)}
    return st.fixed_dictionaries(
        {name: each[name] for name in each if name in needed},
        optional={name: each[name] for name in each if name not in needed},
    )


def test_no_folder_of_options_is_forgotten():
    assert len(CLASSES) >= 35
    assert all(is_dataclass(cls) for cls in CLASSES.values())
    defined = {
        (path.parent.relative_to(plugins.PACKAGE).as_posix(), match[1])
        for path in plugins.PACKAGE.rglob("*.py")
        if path.name not in ("contract.py", "spec.py", "run.py")
        if path.parent.name != "templates"  # what a user starts from
        for match in [re.search(r"^([A-Z]+) = [A-Z]\w+$", path.read_text(), re.MULTILINE)]
        if match
    }
    several = [
        kind for kind in runs.kinds() if (plugins.PACKAGE / "kinds" / kind / "algorithms").is_dir()
    ]
    kinds = {(f"kinds/{kind}/algorithms", "ALGORITHM") for kind in several}
    # What is called with fixed arguments, and has no options of a user's.
    others = {("models/architectures", "ARCHITECTURE"), ("models/encoders", "ENCODER")}
    # Options of the command fedreact, which docs/reference/cli.md lists.
    others |= {("io/readers", "READER"), ("io/exports", "EXPORT")}
    assert defined - others == set(FOLDERS.items()) | kinds


# ---- Help ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES)
def test_every_option_has_a_help_text(name):
    cls = CLASSES[name]
    helps = options.help_of(cls)
    assert {option for option in options.names(cls) if not helps.get(option)} == set()


@pytest.mark.parametrize("name", CLASSES)
def test_every_help_text_is_of_something_that_is_there(name):
    there = {
        key
        for part in ORIGINAL[name].__mro__
        for key in (*vars(part), *inspect.get_annotations(part))
    }
    assert set(options.help_of(ORIGINAL[name])) <= there


@dataclass(frozen=True)
class Base:
    """Inherited.

    Attributes
    ----------
    steps, rate
        Of both, in ``so many``
        lines.
    """

    steps: Count = 3
    rate: Positive = 1e-5


@dataclass(frozen=True)
class Made(Base):
    """One of all kinds of options.

    Attributes
    ----------
    way
        One of two.
    sizes
        Of clusters; 100% of them.
    nested
        Labels of each.
    share, seed, gap, chance, at_most
        Numbers.
    how, inner, whether, name
        Other things.
    """

    way: Literal["random", "chronological"] = "random"
    sizes: options.Sizes = (1, 2)
    nested: tuple[tuple[Natural, ...], ...] = ((0,), (1, 2))
    share: InnerShare = 0.5
    gap: NonNegative = 0.0
    chance: Probability = 1.0
    at_most: Share | None = None
    how: dict[str, Any] = field(default_factory=lambda: {"kind": "adam"})
    whether: bool = False
    name: str = "some"
    parts: ClassVar[tuple[str, ...]] = ()

    seed: Natural = field(kw_only=True)


def test_help_texts_of_several_names_and_lines_and_of_a_base():
    helps = options.help_of(Made)
    assert helps["steps"] == helps["rate"] == "Of both, in ``so many`` lines."
    assert helps["way"] == "One of two."
    assert "parts" not in helps
    lines = {name: (default, text) for name, default, text in options.table(Made)}
    assert lines["steps"] == ("3", "Of both, in so many lines.")
    assert lines["seed"] == ("", "Numbers.")
    assert lines["sizes"][0] == "1,2"
    assert lines["nested"][0] == "0_1,2"
    assert lines["rate"][0] == "1e-05"
    assert "random, chronological" in lines["way"][1]
    assert set(lines) == set(options.names(Made))


def test_a_command_shows_each_option_with_its_default_and_choices():
    parser = argparse.ArgumentParser(prog="made")
    options.add_arguments(parser, Made)
    shown = " ".join(parser.format_help().split())
    assert "--sizes TUPLE" in shown or "--sizes SIZES" in shown or "--sizes" in shown
    assert "--way {random,chronological} One of two. (default: random)" in shown
    assert "--whether {true,false}" in shown
    assert "--steps INT Of both, in so many lines. (default: 3)" in shown
    assert "--rate FLOAT" in shown
    assert "--at-most FLOAT" in shown
    assert "100% of them" in shown
    assert "--seed INT Numbers. --" in shown + " --"
    assert "(default: kind:adam)" in shown
    for hint in ("Annotated", "Union", "typing", "msgspec"):
        assert hint not in shown


@pytest.mark.parametrize("name", WRITTEN)
def test_metavars_are_short_and_plain(name):
    parser = argparse.ArgumentParser()
    options.add_arguments(parser, WRITTEN[name])
    for action in parser._actions[1:]:
        assert re.fullmatch(r"[A-Z]+(\|[A-Z]+)?|\{[a-z0-9_,-]+\}", action.metavar), action.metavar


# ---- Checks -------------------------------------------------------------------------------------


def refused(given, cls=Made, where="file.yaml: a"):
    with pytest.raises(UserError) as caught:
        options.check(cls, given, where)
    text = str(caught.value)
    assert text.startswith(where)
    assert "\n" not in text
    return text.removeprefix(f"{where}: ").removeprefix(where)


def test_defaults_and_what_is_given():
    made = options.check(Made, {"seed": 1, "sizes": [3, 4], "rate": 2, "nested": [[1]]}, "here")
    assert made == Made(seed=1, sizes=(3, 4), rate=2.0, nested=((1,),))
    assert isinstance(made.rate, float)
    defaults = options.vars_of(Made(seed=1))
    del defaults["seed"]
    assert options.defaults(Made) == defaults
    assert options.changed(made) == {
        "rate": 2.0,
        "sizes": (3, 4),
        "nested": ((1,),),
        "seed": 1,
    }
    assert options.changed(made, Made(seed=1, rate=2.0)) == {"sizes": (3, 4), "nested": ((1,),)}
    first, second = (options.check(Made, {"seed": 0}, "here") for _ in range(2))
    assert first.how == second.how
    assert first.how is not second.how


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "seed is missing"),
        (None, "wanted keys (steps, rate,"),
        ([1], "wanted keys (steps, rate,"),
        ({"seed": 0, "sead": 1}, "unknown key sead; known keys: steps, rate,"),
        ({"seed": 0, 7: 1}, "unknown key 7; known keys:"),
        ({"seed": 0, "parts": []}, "unknown key parts"),
        ({"seed": -1}, "seed: expected `int` >= 0, got -1"),
        ({"seed": 1.5}, "seed: expected `int`, got 1.5"),
        ({"seed": True}, "seed: expected `int`, got True"),
        ({"seed": None}, "seed: expected `int`, got None"),
        ({"seed": "1"}, "seed: expected `int`, got '1'"),
        ({"seed": 0, "steps": 0}, "steps: expected `int` >= 1, got 0"),
        ({"seed": 0, "rate": 0}, "rate: expected `float` > 0.0, got 0"),
        ({"seed": 0, "rate": float("inf")}, "rate: expected `float`"),
        ({"seed": 0, "rate": float("nan")}, "rate: "),
        ({"seed": 0, "gap": float("nan")}, "gap: "),
        ({"seed": 0, "chance": float("nan")}, "chance: "),
        ({"seed": 0, "gap": -0.5}, "gap: expected `float` >= 0.0, got -0.5"),
        ({"seed": 0, "share": 1}, "share: expected `float` < 1.0, got 1"),
        ({"seed": 0, "share": 0}, "share: expected `float` > 0.0, got 0"),
        ({"seed": 0, "at_most": 0}, "at_most: expected `float` > 0.0, got 0"),
        ({"seed": 0, "at_most": 1.5}, "at_most: expected `float` <= 1.0, got 1.5"),
        ({"seed": 0, "chance": -1}, "chance: expected `float` >= 0.0, got -1"),
        ({"seed": 0, "way": "x"}, "way: 'x' is unknown; known: random, chronological"),
        ({"seed": 0, "way": None}, "way: None is unknown; known: random, chronological"),
        ({"seed": 0, "way": ["random"]}, "way: ['random'] is unknown; known: random, chronolog"),
        ({"seed": 0, "sizes": []}, "sizes: expected `array` of length >= 1, got []"),
        ({"seed": 0, "sizes": [1, 0]}, "sizes[1]: expected `int` >= 1"),
        ({"seed": 0, "sizes": 3}, "sizes: expected `array`, got 3"),
        ({"seed": 0, "nested": [[1], [-1]]}, "nested[1][0]: expected `int` >= 0"),
        ({"seed": 0, "nested": [1]}, "nested[0]: expected `array`"),
        ({"seed": 0, "whether": 1}, "whether: expected `bool`, got 1"),
        ({"seed": 0, "whether": "yes"}, "whether: expected `bool`, got 'yes'"),
        ({"seed": 0, "name": 3}, "name: expected `str`, got 3"),
        ({"seed": 0, "how": "adam"}, "how: expected `object`, got 'adam'"),
        ({"seed": "a\nb" * 50}, "seed: expected `int`, got 'a\\nba\\nb"),
    ],
)
def test_what_is_refused_and_how(given, text):
    found = refused(given)
    assert found.startswith(text.replace("`", "")), found
    assert len(found) < 250


@dataclass(frozen=True)
class Inner:
    """Within another."""

    n: Count
    way: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Outer:
    """Has others within."""

    one: Inner
    more: dict[str, Inner] = field(default_factory=dict)
    perhaps: Inner | None = None


def test_dataclasses_within_dataclasses():
    made = options.check(Outer, {"one": {"n": 1}, "more": {"x": {"n": 2, "way": "b"}}}, "f")
    assert made == Outer(Inner(1), {"x": Inner(2, "b")})
    assert refused({"one": {"n": 0}}, Outer) == "one.n: expected int >= 1, got {'n': 0}"
    assert "n" in refused({"one": {}}, Outer)
    assert "one: expected object" in refused({"one": 3}, Outer)
    text = refused({"one": {"n": 1, "m": 2}}, Outer)
    assert text == ".one: unknown key m; known keys: n, way"
    text = refused({"one": {"n": 1}, "more": {"x": {"n": 1, "m": 2}}}, Outer)
    assert text == ".more.x: unknown key m; known keys: n, way"
    assert "x" in refused({"one": {"n": 1}, "more": {"x": {"n": "y"}}}, Outer)
    assert "perhaps" in refused({"one": {"n": 1}, "perhaps": {"n": -1}}, Outer)


def test_all_entries_of_a_mapping_are_checked():
    found = options.check_all(Inner, {"a": {"n": 1}, "b": {"n": 2}}, "f")
    assert found == {"a": Inner(1), "b": Inner(2)}
    for content, text in (
        ([1], "f: wanted names and what they stand for, got [1]"),
        (None, "f: wanted names and what they stand for, got None"),
        ({1: {"n": 1}}, "f: the key 1 is not a text; put it in quotes"),
        ({"a": {"n": 1}, "b": {"n": 0}}, "f.b: n: expected int >= 1, got 0"),
        ({"a": None}, "f.a: wanted keys (n, way), got None"),
    ):
        with pytest.raises(UserError) as caught:
            options.check_all(Inner, content, "f")
        assert str(caught.value) == text


def test_part_of_a_class():
    part = options.part_of(Made, only=("seed", "rate"))
    assert options.names(part) == ["rate", "seed"]
    assert options.check(part, {"seed": 1}, "f").rate == 1e-5
    assert options.help_of(part)["rate"] == "Of both, in ``so many`` lines."
    rest = options.part_of(Made, without=("seed",))
    assert options.check(rest, {}, "f").sizes == (1, 2)
    assert "seed" not in options.names(rest)
    assert options.part_of(Made, only=("seed", "rate")) is part


def test_classes_that_refuse_in_their_own_words():
    @dataclass(frozen=True)
    class Even:
        n: int

        def __post_init__(self):
            if self.n % 2:
                raise UserError(f"{self.n} is odd")

    assert refused({"n": 3}, Even) == "3 is odd"


@pytest.mark.parametrize("name", CLASSES)
@QUICK
@given(choice=st.data())
def test_any_value_of_any_option_is_taken_or_refused_in_one_line(name, choice):
    cls = CLASSES[name]
    option = choice.draw(st.sampled_from([*options.names(cls), "unknown"]))
    given = choice.draw(given_of(cls)) | {option: choice.draw(st.sampled_from(WRONG))}
    try:
        made = options.check(cls, given, "f.yaml: a")
    except UserError as error:
        text = str(error)
        assert text.startswith("f.yaml: a: ")
        assert option in text
        assert len(text) < 600
    else:
        assert option != "unknown"
        again = options.check(cls, options.vars_of(made), "f")
        assert options.vars_of(again) == options.vars_of(made)


@pytest.mark.parametrize(
    "cls",
    [Config, Scale, entries.About, entries.TableSpec, entries.SearchSpec, entries.LedgerEntry]
    + [scales.PaperScale, scales.Shared],
)
@QUICK
@given(choice=st.data())
def test_entries_of_the_configuration_likewise(cls, choice):
    option = choice.draw(st.sampled_from([*options.names(cls), "unknown"]))
    given = choice.draw(given_of(cls)) | {option: choice.draw(st.sampled_from(WRONG))}
    said = one_line_or_none(options.check, cls, given, "f.yaml: a")
    assert said is None or said.startswith("f.yaml: a")
    assert said is None or option in said


# ---- Texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITTEN)
@QUICK
@given(choice=st.data())
def test_what_is_written_in_paths_is_read_as_it_was(name, choice):
    cls = WRITTEN[name]
    made = options.check(cls, choice.draw(given_of(cls)), "f")
    for option, value in options.vars_of(made).items():
        text = options.text_of(value)
        # As the wildcards of the workflow have it: no shell divides them, nor what divides changes.
        assert re.fullmatch(r"[A-Za-z0-9._,:-]*", text), text
        read = options.value_of(cls, option, text, "f")
        again = options.check(cls, options.vars_of(made) | {option: read}, "f")
        assert getattr(again, option) == value
        assert type(getattr(again, option)) is type(value)


@pytest.mark.parametrize("name", WRITTEN)
@QUICK
@given(choice=st.data())
def test_what_is_said_on_a_command_line_is_read_as_it_was(name, choice):
    cls = WRITTEN[name]
    made = options.check(cls, choice.draw(given_of(cls)), "f")
    parser = argparse.ArgumentParser()
    parser.add_argument("--other", default="text")
    options.add_arguments(parser, cls)
    words = options.words(options.changed(made))
    assume(not any(word.startswith("-") for word in words[1::2]))  # numbers below 0 are refused
    args = parser.parse_args(words)
    assert options.from_words(cls, args, "f") == made


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (3, "3"),
        (1.0, "1.0"),
        (1e-5, "1e-05"),
        (0.1, "0.1"),
        (1e22, "1e22"),
        ("elbow", "elbow"),
        ((1, 2), "1,2"),
        ([3], "3"),
        ((), ""),
        (((0,), (1, 2)), "0_1,2"),
        ({"kind": "dtssgd", "window": 3}, "kind:dtssgd,window:3"),
    ],
)
def test_texts_of_values(value, text):
    assert options.text_of(value) == text


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("whether", "true", True),
        ("whether", "False", False),
        ("rate", "1e-05", 1e-5),
        ("rate", "1", 1),
        ("at_most", "null", None),
        ("sizes", "3", [3]),
        ("sizes", "3,4", [3, 4]),
        ("nested", "0_1,2", [[0], [1, 2]]),
        ("nested", "5", [[5]]),
        ("name", "1e5", "1e5"),
        ("name", "true", "true"),
        ("how", "kind:sgd,momentum:1e-05", {"kind": "sgd", "momentum": 1e-5}),
        ("how", "kind:on,nesterov:true", {"kind": "on", "nesterov": True}),
        ("seed", "x", "x"),
        ("seed", "[", "["),
        ("way", "true", "true"),
    ],
)
def test_values_of_texts(option, text, value):
    read = options.value_of(Made, option, text, "f")
    assert read == value
    assert type(read) is type(value)


def test_options_that_are_not_there():
    with pytest.raises(UserError, match=r"^f: 'sead' is unknown; known: steps, rate, way"):
        options.value_of(Made, "sead", "1", "f")
    with pytest.raises(UserError, match="'parts' is unknown"):
        options.value_of(Made, "parts", "1", "f")


def test_words_of_a_command_line():
    assert options.words({"at_most": None, "sizes": (1, 2)}) == [
        "--at-most",
        "null",
        "--sizes",
        "1,2",
    ]
    parser = argparse.ArgumentParser()
    options.add_arguments(parser, Made)
    args = parser.parse_args(["--seed", "4", "--at-most", "null", "--whether", "true"])
    assert options.from_words(Made, args, "f") == Made(seed=4, whether=True)
    with pytest.raises(UserError, match=r"^made: seed is missing$"):
        options.from_words(Made, parser.parse_args([]), "made")
    with pytest.raises(UserError, match=r"^made: seed: expected int, got 'x'$"):
        options.from_words(Made, parser.parse_args(["--seed", "x"]), "made")


def test_values_in_errors_are_short_and_on_one_line():
    assert options.shown("a") == "'a'"
    assert options.shown("a\nb") == r"'a\nb'"
    assert len(options.shown(list(range(1000)))) == 60
    assert options.shown({"a": [1]}) == "{'a': [1]}"
