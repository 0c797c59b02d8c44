"""Make a dataset ready: find or download its raw files, check and convert them.

Raw files are looked for in DATA_FOLDER/<dataset>/, then in the mirrors, then downloaded to the data
folder where the registry has an address. Your own dataset is DATA_FOLDER/own/<name>.npz.
"""

import os
from pathlib import Path

from fedreact import options, plugins
from fedreact.atomic import atomic
from fedreact.command import log, parser, run
from fedreact.data import checks, files, prepare
from fedreact.data.registry import load_registry


def main(args):
    """Read, or simulate, and write."""
    registry = load_registry(args.registry)
    if args.dataset in registry:
        cls = plugins.load("data/sources", args.dataset, "SOURCE")
        words = {name: options.value_of(cls, name, *text) for name, text in changes(args)}
        source = options.check(cls, words, args.dataset)
        where = (args.data_folder, args.mirror, args.parts)
        data = prepare.read(source, registry[args.dataset], *where)
    else:
        data = prepare.read_own(args.dataset, args.data_folder, registry)
    for sentence in checks.findings(data, stated=args.dataset in registry):
        log.warning("note: %s", sentence)
    with atomic(args.output) as path:
        data.save(path)
    task = data.task
    log.info(
        "%s: %d series of %d channels, %d steps", data.name, len(data.X), task.channels, task.steps
    )


def changes(args):
    """Options of the reader: ``name=value`` words."""
    for word in args.options:
        name, _, text = word.partition("=")
        yield name, (text, f"{args.dataset}: {word}")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--dataset", required=True, help="a registered dataset, or one of your own")
    p.add_argument("--options", nargs="*", default=[], help="options of its reader, name=value")
    registered = Path("config/datasets.yaml")
    p.add_argument("--registry", type=Path, default=registered, help="registry of datasets")
    folder = os.environ.get("FEDREACT_DATA_FOLDER", "data")
    p.add_argument("--data-folder", type=Path, default=folder, help="folder of raw files")
    p.add_argument(
        "--mirror",
        type=Path,
        nargs="*",
        default=files.mirrors(os.environ.get(files.MIRRORS)),
        help="folders with copies of raw files",
    )
    p.add_argument(
        "--parts", type=Path, nargs="*", default=[], help="prepared parts of the dataset"
    )
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
