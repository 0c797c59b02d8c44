"""Make a dataset ready: find or download its raw files, check and convert them.

Raw files are looked for in DATA_FOLDER/<dataset>/, then in the mirror, then downloaded to the data
folder where the registry has an address.
"""

import os
from pathlib import Path

import numpy as np
from _cli import atomic, log, parser, run

from fedreact.data import air_writing_sim, files, pendigits, rtd
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.rng import generator

READERS = {"rtd": rtd.read, "pendigits": pendigits.read}
SIMULATOR_SEED = 0


def main(args):
    """Read or simulate, thin out if asked to, write."""
    if args.dataset == "air-writing-sim":
        data = air_writing_sim.simulate(SIMULATOR_SEED)
    else:
        entry = files.load_registry(args.registry)[args.dataset]
        raw = raw_files(entry, args.data_folder, args.mirror)
        content = {name: path.read_bytes() for name, path in raw.items()}
        log.info("reading %s", ", ".join(map(str, raw.values())))
        try:
            data = READERS[args.dataset](**content, sha256=entry.content_sha256)
            if args.dataset == "rtd":
                check_whole(data)
        except UserError as error:
            paths = " and ".join(map(str, raw.values()))
            raise UserError(f"{error} [in {paths}]") from error
    if args.per_label is not None:
        data = thin_out(data, args.per_label)
    with atomic(args.output) as path:
        data.save(path)
    _, channels, steps = data.X.shape
    log.info("%s: %d series of %d channels, %d steps", data.name, len(data.X), channels, steps)


def raw_files(entry, data_folder, mirror):
    """Paths of the raw files, downloaded if need be."""
    found = files.locate(entry, data_folder, mirror)
    if found is None:
        if any(file.url is None for file in entry.files.values()):
            raise UserError(files.missing_message(entry, data_folder))
        for file in entry.files.values():
            log.info("downloading %s", file.url)
            files.download(file.url, data_folder / entry.name / file.names[0])
        found = files.locate(entry, data_folder, mirror)
    return found


def check_whole(data: SeriesDataset) -> None:
    """Refuse files that look like RTD but are not, since no checksum of RTD is known.

    The paper counts 2,000 samples of each digit; a few less are let pass.
    """
    fewest = np.bincount(data.y, minlength=10).min()
    if fewest < 1900:
        raise UserError(
            f"rtd: {len(data.y)} samples, of one digit only {fewest}; RTD has 2,000 of each, so "
            "these are other files or parts of them"
        )


def thin_out(data: SeriesDataset, per_label: int) -> SeriesDataset:
    """Keep ``per_label`` random series of each label, in their order."""
    rng = generator(0, "thin out")
    members = (rng.permutation(np.flatnonzero(data.y == label)) for label in np.unique(data.y))
    return data.take(np.sort(np.concatenate([m[:per_label] for m in members])))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--dataset", choices=[*READERS, "air-writing-sim"], required=True)
    p.add_argument("--registry", type=Path, default=Path("config/datasets.yaml"))
    p.add_argument(
        "--data-folder",
        type=Path,
        default=os.environ.get("FEDREACT_DATA_FOLDER", "data"),
        help="folder that holds, or gets, the raw files",
    )
    p.add_argument(
        "--mirror",
        type=Path,
        default=os.environ.get("FEDREACT_DATA_MIRROR"),
        help="folder that holds copies of the raw files",
    )
    p.add_argument("--per-label", type=int, help="keep this many series of each label")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
