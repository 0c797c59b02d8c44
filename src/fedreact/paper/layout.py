"""Which setting and method stands in which cell of a table."""


def cells_of(spec: dict) -> list[tuple[str, str]]:
    """``(setting, method)`` of each cell of an entry of ``config/outputs.yaml``, row by row.

    Columns are methods, unless ``columns_are`` says that they are settings (and rows methods), or
    changes of the row's setting (all by one method).
    """
    kind, found = spec.get("columns_are", "methods"), []
    for row in spec["rows"].values():
        for column in spec["columns"].values():
            if kind == "changes":
                found.append((f"{row}+{column}", spec["method"]))
            else:
                found.append((row, column) if kind == "methods" else (column, row))
    return found


def untuned(setting: str) -> str:
    """Setting whose scores stand in a tuned one's row where tuning changes nothing."""
    return setting.replace("+tuned=true", "")
