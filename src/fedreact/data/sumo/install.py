"""Search for SUMO, with errors that name what is missing where it cannot be used."""

import ctypes
import importlib
import importlib.util
import os
from pathlib import Path
from types import ModuleType

from fedreact.data.sumo.regions import NAME
from fedreact.errors import UserError

PACKAGES = ("libsumo", "sumo", "sumo_data", "sumolib", "traci")
# Libraries of the system that SUMO's wheels do not bring, and the Debian packages that have them.
LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libatomic.so.1": "libatomic1",
    "libexpat.so.1": "libexpat1",
}


def find_sumo() -> tuple[ModuleType, Path]:
    """Import the simulator, and return ``libsumo`` and the folder of SUMO's programs.

    Raises
    ------
    UserError
        A package or a library of the system is missing; names which, and what to do.
    """
    if missing := [name for name in PACKAGES if importlib.util.find_spec(name) is None]:
        raise UserError(
            f"{NAME}: SUMO is not installed (no package {', '.join(missing)}); run: pip install -r "
            "requirements-sumo.txt (make setup does so, unless given SUMO=no)"
        )
    if missing := [package for library, package in LIBRARIES.items() if not _loads(library)]:
        raise UserError(
            f"{NAME}: SUMO needs libraries that this system lacks; run: "
            f"apt-get install {' '.join(missing)}"
        )
    home = Path(importlib.import_module("sumo").SUMO_HOME)
    os.environ["SUMO_HOME"] = str(home)
    try:
        return importlib.import_module("libsumo"), home / "bin"
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{NAME}: libsumo cannot be loaded ({reason})") from error


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
