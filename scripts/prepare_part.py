"""Prepare one part of a dataset with parts, such as a town of simulated vehicles.

Each part has its own process, since some simulators hold one simulation per process.
"""

from pathlib import Path

from tqdm import tqdm

from fedreact import npz, options, plugins
from fedreact.atomic import atomic
from fedreact.command import log, parser, run
from fedreact.errors import UserError


def main(args):
    """Make, write."""
    cls = plugins.load("data/sources", args.dataset, "SOURCE")
    pairs = [word.partition("=") for word in args.options]
    chosen = {name: options.value_of(cls, name, text, args.dataset) for name, _, text in pairs}
    source = options.check(cls, chosen, args.dataset)
    if args.part not in source.parts:
        known = ", ".join(source.parts) or "none"
        raise UserError(f"{args.dataset}: it has no part {args.part!r}; its parts: {known}")
    with tqdm(unit="step", disable=None) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        content = source.make(args.part, progress)
    with atomic(args.output) as path:
        npz.save(path, **content)
    log.info("%s: %s is made", args.dataset, args.part)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--dataset", required=True)
    p.add_argument("--part", required=True)
    p.add_argument("--options", nargs="*", default=[], help="options of its reader, name=value")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
