"""The recipe of an import, written beside the dataset so that it can be repeated."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from fedreact import options
from fedreact.atomic import atomic, write_text
from fedreact.data import own
from fedreact.errors import UserError
from fedreact.io import contract, importing
from fedreact.io.cutting import Cutting
from fedreact.io.importing import Finishing, Imported
from fedreact.io.opening import registered
from fedreact.reading import read_yaml

KEYS = ("source", "name", "format", "options")
NOTES = "notes"
"""Key of sentences on what the import dropped and decided, for the page of a result."""
HEAD = "# How {file} was made; fedreact import --repeat {beside} makes it again.\n"


@dataclass(frozen=True)
class Recipe:
    """All that an import was told.

    Attributes
    ----------
    source
        File or folder, or what else the reader reads.
    name
        Name of the dataset.
    format
        Name of the reader.
    reader, cutting, finishing
        Options.
    """

    source: str
    name: str
    format: str
    reader: contract.Reader
    cutting: Cutting
    finishing: Finishing

    def scaled(self, how: Literal["none", "series", "client", "all"]) -> "Recipe":
        """Return the recipe with another scale."""
        return replace(self, finishing=replace(self.finishing, scale=how))

    def scaled_by_client(self, hold_out: float | None) -> "Recipe":
        """Return the recipe with each client's scale, and a share held out if none is yet.

        ``None``: the data marks test series itself.
        """
        share = self.finishing.hold_out or hold_out
        return replace(self, finishing=replace(self.finishing, scale="client", hold_out=share))

    def stepped(self, step: str | None) -> "Recipe":
        """Return the recipe with another step from a window to the next."""
        return replace(self, cutting=replace(self.cutting, step=step))

    def run(self, data_folder: Path) -> Imported:
        """Import the data; nothing is written.

        Raises
        ------
        UserError
            The name is refused, or one line on what is wrong with the files.
        """
        own.check_name(self.name, registered())
        return importing.import_data(
            self.source, self.name, self.reader, self.cutting, self.finishing
        )

    def write(self, imported: Imported, data_folder: Path) -> Path:
        """Write the dataset and the recipe, and return the file of the dataset."""
        file = own.path(data_folder, self.name)
        with atomic(file) as path:
            importing.write(imported, path)
        head = HEAD.format(file=file.name, beside=self.beside(file).name)
        notes = [*imported.lost(), *imported.notes]
        content = self.content() | ({NOTES: notes} if notes else {})
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        write_text(self.beside(file), head + text)
        return file

    @staticmethod
    def beside(file: Path) -> Path:
        """Return the file of the recipe of a dataset's file."""
        return file.with_suffix(".import.yaml")

    def content(self) -> dict[str, Any]:
        """Return the recipe as plain values; options at their defaults are left out.

        How far ahead a forecast is says what a result means, so it is always there.
        """
        changes = {
            key: list(value) if isinstance(value, tuple) else value
            for part in (self.reader, self.cutting, self.finishing)
            for key, value in options.changed(part).items()
        }
        if self.cutting.forecast:
            changes["ahead"] = self.cutting.ahead
        return {
            "source": self.source,
            "name": self.name,
            "format": self.format,
            "options": changes,
        }


def read(file: Path) -> Recipe:
    """Read a recipe.

    Raises
    ------
    UserError
        It is no recipe, or its options are unknown.
    """
    content = read_yaml(file)
    if not isinstance(content, dict) or {*content} - {NOTES} != {*KEYS}:
        raise UserError(f"{file}: wanted the keys {', '.join(KEYS)}")
    reader = contract.load(content["format"])
    given = dict(content["options"])
    if isinstance(given.get("ahead"), int):  # of a recipe from before --ahead took times
        given["ahead"] = str(given["ahead"])
    parts = []
    for cls in (reader, Cutting, Finishing):
        own_ = {key: given.pop(key) for key in list(given) if key in options.names(cls)}
        parts.append(options.check(cls, own_, str(file)))
    if given:
        raise UserError(
            f"{file}: unknown option {next(iter(given))} of the format {content['format']}"
        )
    made, cutting, finishing = parts
    assert isinstance(made, contract.Reader)
    assert isinstance(cutting, Cutting)
    assert isinstance(finishing, Finishing)
    return Recipe(content["source"], content["name"], content["format"], made, cutting, finishing)
