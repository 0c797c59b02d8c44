"""Run one job: some methods on one setting and seed. Writes a line for each method and scored
round, and beside it (.clients.npz) the scores and clusters of each client.

The first word is the kind of run, a folder of src/fedreact/kinds/; each has options of its own:
python scripts/run.py clustered --help. Long trainings keep their progress after each round; the
same command resumes them and ends in the same bytes.
"""

from pathlib import Path

from fedreact import options, provenance
from fedreact.command import parser, run, subparsers
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract, jobs
from fedreact.reading import read_json


def main(args):
    """Read inputs, run, write the scores."""
    spec, kind = (contract.part_of(args.kind, part) for part in ("spec", "run"))
    of_run = options.from_words(spec.Options, args, args.kind)
    inputs = jobs.read_inputs(args, spec)
    methods = jobs.read_methods(args.kind, read_json(args.methods, "--methods"), inputs.data.task)
    if "method" in spec.INDEX and not methods:
        raise UserError(f"{args.kind}: --methods is missing")
    metrics = jobs.read_metrics(args.metrics, inputs.data.task)
    checkpoint = args.checkpoint or args.output.with_suffix(".checkpoint.npz")
    place = Place(args.device, args.workers, checkpoint)
    findings = jobs.findings(args.kind, inputs, of_run, methods)
    lines = kind.run(inputs, of_run, methods, metrics, args.seed, place)
    jobs.write(args.output, lines, inputs, spec.INDEX, args.seed, next(iter(metrics)), findings)
    place.clear()
    sizes = [len(samples) for samples in inputs.partition.train]
    provenance.note_work(kind.work(of_run, methods, inputs.data.task, sizes))


def words():
    """The command line."""
    p = parser(__doc__)
    kinds = contract.kinds()
    for one in subparsers(p, "kind", kinds, lambda name: contract.part_of(name, "spec").Options):
        one.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
        one.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
        one.add_argument(
            "--features", type=Path, help="features of all series, npz, if the kind needs them"
        )
        one.add_argument("--setting", required=True, help="name of the data in the results")
        one.add_argument("--seed", type=int, required=True)
        one.add_argument("--methods", default="{}", help='JSON: {"name": {"algorithm": ..., ...}}')
        one.add_argument("--metrics", nargs="*", default=[], help="(default: the task's)")
        one.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
        one.add_argument("--workers", type=int, default=1, help="number of processes on the CPU")
        one.add_argument("--checkpoint", type=Path, help="checkpoint, kept while training")
        one.add_argument("--output", type=Path, required=True)
    return p


if __name__ == "__main__":
    run(main, words)
