"""Write a file of one's own from a template, below ``own/``."""

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from fedreact import plugins
from fedreact.atomic import write_text
from fedreact.errors import UserError

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Template:
    """A file to start from.

    Attributes
    ----------
    file
        Where it is written; ``{}`` stands for the name.
    tests
        What checks it; ``{}`` stands for the name with dashes.
    folder, defines
        Folder of its plug-ins, and what one defines; none for a script.
    """

    file: str
    tests: str
    folder: str = ""
    defines: str = ""


def _plugin(folder: str, defines: str, tests: str) -> Template:
    return Template(f"own/{folder}/{{}}.py", tests, folder, defines)


def _method(kind: str) -> Template:
    tests = f"python -m pytest tests/kinds/algorithms/test_{kind}.py -k {{}}"
    return _plugin(f"kinds/{kind}/algorithms", "ALGORITHM", tests)


METHODS = ("synchronous", "clustered", "asynchronous")
"""Templates of methods, by kind of run."""
FILES = {
    **{kind: _method(kind) for kind in METHODS},
    "architecture": _plugin(
        "models/architectures", "ARCHITECTURE", "python -m pytest tests/models -k {}"
    ),
    "figure": _plugin("figures", "FIGURE", "python -m pytest tests/figures/test_all_kinds.py"),
    "dataset": Template("own/make_{}.py", "fedreact check {}"),
}
"""Templates by their names, which are those of files in ``templates/``."""


def write(template: str, name: str) -> Path:
    """Write a file of one's own.

    Parameters
    ----------
    template
        One of :data:`FILES`.
    name
        As the configuration will have it: letters, digits and dashes.

    Raises
    ------
    UserError
        The name has characters that no name may have, the project has it, or the file exists.
    """
    made = FILES[template]
    module = name.replace("-", "_")
    if not re.fullmatch("[a-z][a-z0-9_]*", module) or keyword.iskeyword(module):
        raise UserError(f"{name!r} is no name: begin with a letter; a-z, 0-9 and dashes may follow")
    file = Path(made.file.format(module))
    if made.folder and (plugins.PACKAGE / made.folder / f"{module}.py").is_file():
        raise UserError(f"the project has {name} itself ({made.folder}); choose another name")
    if file.exists():
        raise UserError(f"{file} is there already and stays as it is; edit it")
    text = (TEMPLATES / f"{template}.py").read_text(encoding="utf-8")
    dashed = module.replace("_", "-")
    text = re.sub(r"\bmine\.npz", f"{dashed}.npz", text)
    text = re.sub(r"\bmake_mine\b", f"make_{module}", text)
    text = re.sub(r"\bmine\b", dashed, text)
    write_text(file, re.sub(r"\bMine\b", "".join(map(str.capitalize, module.split("_"))), text))
    return file
