"""The picture of the house in the docs is the contract that import-linter checks."""

import re
import tomllib

from helpers import ROOT


def test_the_picture_of_the_house_is_the_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = settings["contracts"]
    layers = [layer.split(" | ") for layer in contract["layers"]]
    page = (ROOT / "docs/design.md").read_text()
    picture = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[-1]
    assert [line.split() for line in picture.strip().splitlines()] == layers
