"""An algorithm that runs on regressions only."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Picky:
    """It has no options."""

    @staticmethod
    def skip(task):
        """Anything but regressions."""
        return None if task.kind == "regression" else "it predicts numbers only"


ALGORITHM = Picky
