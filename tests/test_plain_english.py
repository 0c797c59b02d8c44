"""No page, setting or message says in private words what the field has a word for.

A list of our own, since proselint finds clichés and Vale finds words of its style packages: neither
knows these phrases, and neither reads the values of YAML files and the strings of Python code.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]

NO_QUESTION = r"\s[^.?!]*(?:[.!]|$)"
"""The rest of a sentence that does not end as a question."""

REFUSED = {
    r"\btold apart\b|\btells? [\w ]{1,40} apart\b|\bnot told from\b": "significant, distinguish",
    r"\b(?:from|than|as|like) a guess\b|\ba guess (?:has|is|gets)\b": "chance level",
    r"\bas taken\b|\bis taken here\b": "default, used here",
    r"\b(?:all|everything) stays as it was\b": "persistence",
    r"\bthe wors[et] of (?:its|the|a|two|all|them)\b": "the weaker method, the worst method",
    r"\bno less than\b": "at least",
    r"\b(?:is|are|was|were) none\b(?=\s*[.,;:)]|$)": "there is no ..., zero, missing",
    r"\b(?:is|are|was|were) (?:not |nowhere )?said\b": "is stated, the paper states, is called",
    r"\bsays? nothing of\b|\bnothing is said\b": "does not state, means nothing for",
    r"\bforet(?:ell|old)\b": "forecast, predict",
    r"\bbut for\b": "except for",
    r"\bOf" + NO_QUESTION: "begin with the subject",
    r"\bWhose" + NO_QUESTION: "begin with the subject",
    r"\bWho" + NO_QUESTION: "name who: a user, a client",
    r"\bThat (?:the|an?|all|no|nothing|it|they|we|each|every|some|what|which)\b": (
        "begin with the subject, not with a clause"
    ),
}
"""Phrases that are refused, and what to write instead."""


def paragraphs(page: str) -> str:
    """A page without blocks of code and without columns "before", each sentence on its line."""
    page = re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), page, flags=re.DOTALL)
    return re.sub(
        r"^\| before \|.*(?:\n\|.*)*",
        lambda table: re.sub(r"^\|[^|]*", "", table[0], flags=re.MULTILINE),
        page,
        flags=re.MULTILINE,
    )


def texts_of_yaml(node: yaml.Node) -> Iterator[tuple[int, str]]:
    """Lines and texts of a YAML file: its values, without its keys."""
    if isinstance(node, yaml.ScalarNode) and " " in node.value:
        yield node.start_mark.line + 1, node.value
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from texts_of_yaml(child)
    elif isinstance(node, yaml.MappingNode):
        for _, child in node.value:
            yield from texts_of_yaml(child)


def texts_of_code(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines and texts of a module that people read when it runs.

    These are its strings of two words or more, f-strings as a whole, and docstrings of dataclasses,
    which are the help of options; other docstrings are left out.
    """
    private = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            options = isinstance(node, ast.ClassDef) and node.decorator_list
            private |= {
                id(line.value)
                for place, line in enumerate(node.body)
                if isinstance(line, ast.Expr) and not (options and place == 0)
            }
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "..." for p in node.values]
            yield node.lineno, "".join(parts)
            private |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = [] if id(node) in private else node.value.split()
            if len(words) > 1:
                yield node.lineno, node.value


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Lines and texts of a page, a YAML file or a module."""
    content = file.read_text()
    if file.suffix == ".yaml":
        yield from texts_of_yaml(yaml.compose(content))
    elif file.suffix == ".py":
        yield from texts_of_code(ast.parse(content))
    else:
        yield 1, paragraphs(content)


def odd(file: Path) -> Iterator[str]:
    """File, line, phrase and the better words of whatever is refused in a file."""
    for line, text in texts(file):
        for pattern, better in REFUSED.items():
            for hit in re.finditer(pattern.replace(" ", r"\s+"), text):
                phrase = " ".join(hit[0].split())[:60]
                at = line + text[: hit.start()].count("\n")
                yield f"{file}:{at}: {phrase!r}; better: {better}"


FILES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config/README.md")),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "config").rglob("*.yaml"),
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "scripts").glob("*.py"),
]


@pytest.mark.parametrize(
    "folder", sorted({str(file.relative_to(ROOT).parent) for file in FILES}), ids=str
)
def test_texts_are_plain(folder):
    found = [line for file in FILES if file.parent == ROOT / folder for line in odd(file)]
    assert not found, "\n" + "\n".join(found).replace(f"{ROOT}/", "")


OPTIONS = """
@dataclass
class Options:
    '''How clients train.

    Attributes
    ----------
    rate
        The rate as taken.
    '''
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.md", "Two methods cannot be\ntold apart.\n"),
        ("page.md", "It is so. Of all methods two are good.\n"),
        ("page.md", "Who has data writes a file.\n"),
        ("page.md", "- That the first is better is clear.\n"),
        ("page.md", "| before | after |\n|---|---|\n| odd | told apart |\n"),
        ("tables.yaml", "table: {notes: [Scores as a guess has them]}\n"),
        ("code.py", "raise UserError(f'{name}: the worse of two')\n"),
        ("code.py", OPTIONS),
    ],
)
def test_a_refused_phrase_is_found(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert list(odd(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.md", "Who is a client? Of which images? Whose range is it?\n```\nis none.\n```\n"),
        ("page.md", "| before | after |\n|---|---|\n| told apart | significant |\n"),
        ("tables.yaml", "as taken: {as taken: value}\n"),
        ("code.py", "def run():\n    '''Whether it is as taken.'''\n"),
    ],
)
def test_questions_keys_and_docstrings_of_functions_pass(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert not list(odd(tmp_path / name))
