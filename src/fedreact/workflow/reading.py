"""Reading configuration files, for steps that need no more of the configuration than a file."""

from pathlib import Path
from typing import Any

import yaml

from fedreact.errors import UserError


def read_yaml(path: Path) -> Any:
    """Read a YAML file; a syntax error is one line with its place."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{place}: not YAML ({getattr(error, 'problem', error)})") from error
    except (OSError, ValueError, TypeError, RecursionError) as error:
        # A folder, bytes that are no text, a 13th month, a list as a key, brackets without end.
        raise UserError(f"{path}: not YAML ({error})") from error
