"""Every command of README.md, CONTRIBUTING.md and docs/ works: it is run, or its names exist.

Shell lines stand in blocks of ``bash`` and ``console``, and in text between backticks. Targets of
make and Snakemake are looked up, words for scripts go through their parsers, and what other
programs are told is named below with the test that tries it.
"""

import argparse
import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers import BASE, ROOT, command, make_plan, snakemake
from own_examples import COMMANDS

from fedreact.cli.contract import load, names
from fedreact.reference.site import pages as pages_of

PAGES = [ROOT / "README.md", ROOT / "config/README.md", *pages_of(ROOT)]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"bash", "console", "python", "yaml", "text"}
SETTING = re.compile(r"[A-Z_]+=")
PROGRAMS = {"make", "snakemake", "python", "pip", "dvc", "git", "conda", "scancel", "scontrol"}
PROGRAMS |= {"fedreact", "source", "cd", "cp", "less", "xdg-open", "grep"}
PROGRAMS |= {"flwr", "flower-superlink", "flower-supernode", "systemctl"}

ELSEWHERE = {
    "snakemake --unlock": ("tests/end_to_end/test_faults.py", '"--unlock"'),
    "snakemake --profile profiles/slurm": ("tests/end_to_end/test_slurm.py", '"profiles/slurm"'),
    "dvc repro": ("tests/end_to_end/test_dvc.py", '"dvc", "repro"'),
    "dvc push": ("tests/end_to_end/test_dvc.py", '"dvc", "push"'),
    "dvc pull": ("tests/end_to_end/test_dvc.py", '"dvc", "pull"'),
    "dvc metrics diff": ("tests/end_to_end/test_dvc.py", '"dvc", "metrics", "diff"'),
    "dvc params diff": ("tests/end_to_end/test_dvc.py", '"dvc", "params", "diff"'),
    "dvc plots diff": ("tests/end_to_end/test_dvc.py", '"dvc", "plots", "diff"'),
    "git add": ("tests/end_to_end/test_dvc.py", 'git("add"'),
    "git commit": ("tests/end_to_end/test_dvc.py", 'git("commit"'),
    "git clone": ("tests/end_to_end/test_dvc.py", 'git("clone"'),
    "cp": ("tests/own_examples.py", "subprocess.run(COMMANDS[0], shell=True"),
    "pip install -r requirements-sumo.txt": ("scripts/setup.sh", "-r requirements-sumo.txt"),
    "pip install -r requirements-federation.txt": ("Makefile", "-r requirements-federation.txt"),
    "pip install --no-deps -e .": ("scripts/setup.sh", "packages --no-deps -e ."),
    "flower-superlink": ("apps/flower/local.py", '"flower-superlink"'),
    "flower-supernode": ("apps/flower/local.py", '"flower-supernode"'),
    "flwr supernode register": ("apps/flower/local.py", "'supernode', 'register'"),
    "flwr run": ("apps/flower/local.py", '"run", str(APP)'),
    "source .venv/bin/activate": ("scripts/setup.sh", "-m venv .venv"),
}
"""What beginnings of commands are tried by: a file, and what stands there."""

HERE = ("dvc remote", "dvc add", "dvc checkout")
"""What :func:`test_what_dvc_is_told_of_folders` tries."""

OF_EXAMPLES = {"gestures", "gestures_page"}
"""Targets of papers that a page lets its reader write, which tests/end_to_end/test_own.py makes."""

UNTESTED = (
    "conda",
    "pip install dvc-s3",
    "pip install dvc-ssh",
    "scancel",
    "scontrol",
    *("sudo", "scp", "export", "flwr list", "flwr log", "flwr supernode list"),
)
"""What no test tries: other systems' commands, and what the page says."""


class Shown(NamedTuple):
    """A command on a page: settings before it, and its words."""

    page: Path
    settings: list[str]
    words: list[str]

    def begins(self, beginning):
        return self.words[: len(beginning.split())] == beginning.split()

    def __str__(self):
        return f"{self.page.stem}: {shlex.join(self.words)}"


def commands(page):
    """All commands of a page."""
    text = page.read_text()
    for language, block in BLOCK.findall(text):
        for line in block.splitlines():
            if language == "bash" and line.strip():
                yield from split(page, line)
            elif language == "console" and line.startswith("$ "):
                yield from split(page, line[2:])
    for quoted in re.findall(r"`([^`]+)`", BLOCK.sub("", text)):
        first = next((w for w in quoted.split() if not SETTING.match(w)), "")
        if first in PROGRAMS and quoted != first:
            yield from split(page, quoted)


def split(page, line):
    """The commands of a line, without its comment."""
    words = shlex.split(line, comments=True)
    while words:
        end = next((i for i, word in enumerate(words) if word in ("&&", "|")), len(words))
        n = next(i for i, word in enumerate(words) if not SETTING.match(word))
        yield Shown(page, words[:n], words[n:end])
        words = words[end + 1 :]


ALL = list({str(found): found for page in PAGES for found in commands(page)}.values())


def of(program):
    found = [shown for shown in ALL if shown.words[0] == program]
    return pytest.mark.parametrize("shown", found, ids=str)


def tried_elsewhere(shown):
    return any(map(shown.begins, [*ELSEWHERE, *HERE, *UNTESTED])) or shown.words[0] == "cd"


# ---- What is collected --------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_say_their_language(page):
    """So that none is missed, and each is shown in its colours."""
    text = page.read_text()
    assert {language for language, _ in BLOCK.findall(text)} <= LANGUAGES
    assert not re.search(r"\n\n    \S", BLOCK.sub("", text)), "a block that is indented only"


def test_commands_are_found():
    assert len(ALL) > 60
    assert {shown.page for shown in ALL} > {ROOT / "README.md", ROOT / "docs/howto/versions_dvc.md"}
    looked_up = ("fedreact", "make", "snakemake", "python", "less", "xdg-open", "grep")
    for shown in ALL:
        assert shown.words[0] in looked_up or tried_elsewhere(shown), f"no test tries {shown}"


def test_what_is_tried_elsewhere_is():
    for beginning, (file, text) in ELSEWHERE.items():
        assert text in (ROOT / file).read_text(), beginning
        assert any(shown.begins(beginning) for shown in ALL), f"no page shows {beginning}"


def test_what_nobody_tried_is_said_to_be_untested():
    for beginning in UNTESTED:
        pages = [shown.page for shown in ALL if shown.begins(beginning)]
        assert pages
        assert all("untested" in page.read_text() for page in pages), beginning


def test_settings_before_commands_are_read_by_something():
    names = {setting.split("=")[0] for shown in ALL for setting in shown.settings}
    files = [ROOT / "dvc.yaml", *(ROOT / "tests").rglob("*.py")]
    text = "\n".join(file.read_text() for file in files if file != Path(__file__))
    assert names
    for name in names:
        assert name in text, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_are_named_are_there(page):
    """Paths of the project, or of the package, between backticks; and those of links."""
    folders = "benchmarks|config|docs|examples|profiles|scripts|src|tests|workflow"
    for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", page.read_text()):
        assert (ROOT / name).exists() or (ROOT / "src/fedreact" / name).exists(), name
    for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
        assert (page.parent / link).exists(), link


# ---- What it is held to -------------------------------------------------------------------------


def of_make():
    """The Makefile, and its targets."""
    makefile = (ROOT / "Makefile").read_text()
    return makefile, re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()


@of("make")
def test_targets_and_variables_of_make_are_there(shown):
    makefile, targets = of_make()
    for word in shown.words[1:]:
        if SETTING.match(word):
            name = word.split("=")[0]
            assert f"$({name})" in makefile or f"ifdef {name}" in makefile
        else:
            assert word in targets


def test_the_first_line_of_the_makefile_lists_targets():
    makefile, targets = of_make()
    listed = makefile.splitlines()[0].removeprefix("# make ").split(" | ")
    assert set(targets) - set(listed) == {"format", "pins"}  # for who edits the project
    assert set(listed) <= set(targets)
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in targets)


@pytest.fixture(scope="module")
def targets():
    """What Snakemake can be asked for by name, of all papers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        named = set(make_plan(papers="all").targets())
    files = [ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    rules = re.findall(r"^rule (\w+):", "\n".join(map(Path.read_text, files)), re.MULTILINE)
    return named | set(rules)


def parsed(words):
    """Words for Snakemake, read by its own parser."""
    from snakemake.cli import get_argument_parser

    try:
        return get_argument_parser().parse_args(words)
    except SystemExit:
        raise AssertionError(f"Snakemake refuses {shlex.join(words)}") from None


@of("snakemake")
def test_snakemake_knows_targets_options_and_settings(shown, targets):
    given = parsed(shown.words[1:])
    for setting in given.config or []:
        name, _, value = setting.partition("=")
        assert name in BASE
        assert name != "scale" or (ROOT / f"config/scales/{value}.yaml").is_file() or value == "..."
    if shlex.join(shown.words) in COMMANDS or "papers=mine" in (given.config or []):
        return  # of the example, in which tests/end_to_end/test_own.py runs them
    assert {name for name in given.targets if "/" not in name} - OF_EXAMPLES <= targets
    assert given.targets or tried_elsewhere(shown)
    assert given.cores or given.dryrun or given.profile or given.report or given.unlock, "no cores"


@pytest.mark.campaign
def test_a_dry_run_of_all_that_pages_ask_for(project):
    """All targets at once, and the files of results that commands read."""
    words = {word for shown in ALL for word in shown.words[1:]}
    asked = {word for word in words if re.fullmatch(r"results/quick/\S+\.\w+", word)}
    for shown in ALL:
        if shown.words[0] == "snakemake" and shlex.join(shown.words) not in COMMANDS:
            asked |= set(parsed(shown.words[1:]).targets) - OF_EXAMPLES
    assert {"all", "grand", "results/quick/data/sumo-ev.npz"} <= asked
    printed = snakemake("-n", *sorted(asked), "--config", "papers=all", cwd=project)
    assert "This was a dry-run" in printed


class ParsedError(Exception):
    """The parser has read its words."""


@of("python")
def test_scripts_understand_their_words(shown, monkeypatch, capsys):
    _, script, *words = shown.words
    if shlex.join(shown.words) in COMMANDS[0]:
        return  # run by tests/own_examples.py
    if script == "-m":
        if words == ["fedreact"]:
            return  # tests/cli/test_main.py runs it
        assert words[0] == "pytest"
        assert all((ROOT / word).exists() for word in words[1:] if word.startswith("tests"))
        return
    assert (ROOT / script).is_file()
    if not words and script.startswith("scripts/"):
        return  # the page names the script, it does not show how to call it
    read = argparse.ArgumentParser.parse_args

    def only_read(parser, args=None, namespace=None):
        read(parser, args, namespace)
        raise ParsedError

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", only_read)
    monkeypatch.setattr(sys, "argv", [script, *words])
    with pytest.raises((ParsedError, SystemExit)) as caught:
        runpy.run_path(str(ROOT / script), run_name="__main__")
    stopped = caught.value.code if caught.type is SystemExit else 0  # --help
    assert not stopped, capsys.readouterr().err


@of("fedreact")
def test_fedreact_understands_its_words(shown):
    if len(shown.words) == 2 and shown.words[1] in names():
        return  # the page names the command, it does not show how to call it
    name, *words = shown.words[1:]
    with load(name).make_context(name, words) as context:
        assert context.params


@pytest.mark.campaign
def test_what_dvc_is_told_of_folders(tmp_path):
    """Either remote as the page adds it; a folder that is added can be checked out."""
    shutil.copytree(ROOT / ".dvc", tmp_path / ".dvc", ignore=shutil.ignore_patterns("cache", "tmp"))
    command(shutil.which("git"), "init", "-q", cwd=tmp_path)
    config, file = tmp_path / ".dvc/config", tmp_path / "data/labels"
    file.parent.mkdir()
    file.write_text("1 2 3\n")
    given, remotes = config.read_text(), []
    told = [shown.words for shown in ALL if any(map(shown.begins, HERE))]
    assert len(told) == 6
    for words in sorted(told, key=lambda words: words[1] == "remote"):
        if words[2:4] == ["add", "--default"]:
            config.write_text(given)
        elif words[1] == "checkout":
            file.unlink()
        elif words[1:] == ["remote", "modify", "--local"]:
            continue  # named, not shown
        printed, status = command(*words, cwd=tmp_path)
        assert status == 0, printed
        remotes.append(config.read_text())
    assert file.read_text() == "1 2 3\n"
    for address in (
        "url = s3://BUCKET/fedreact",
        "endpointurl = https://",
        "url = ssh://USER@HOST",
    ):
        assert any(address in config for config in remotes)
