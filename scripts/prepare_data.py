"""Make a dataset ready: find or download its raw files, check and convert them.

Raw files are looked for in DATA_FOLDER/<dataset>/, then in the mirror, then downloaded to the data
folder where the registry has an address. A dataset of your own is DATA_FOLDER/own/<name>.npz
(docs/own.md).
"""

import os
from pathlib import Path

import numpy as np
from _cli import atomic, log, note_read, parser, run
from tqdm import tqdm

from fedreact.data import air_writing_sim, eeg_sim, eegmmidb, files, own, pendigits, rtd
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.rng import generator

READERS = {"rtd": rtd.read, "pendigits": pendigits.read}
NAMES = [*READERS, "air-writing-sim", "eegmmidb", "eeg-sim"]
SIMULATOR_SEED = 0


def main(args):
    """Read or simulate, thin out if asked to, write."""
    if args.dataset == "air-writing-sim":
        data = air_writing_sim.simulate(SIMULATOR_SEED)
    elif args.dataset == "eeg-sim":
        data = eeg_sim.simulate(SIMULATOR_SEED, args.n_subjects, args.n_trials)
    elif args.dataset == "eegmmidb":
        data = read_eegmmidb(args)
    elif args.dataset not in READERS:
        data = read_own(args)
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
    if args.per_label is not None and data.trial is None:  # crops of a trial stay together
        data = thin_out(data, args.per_label)
    with atomic(args.output) as path:
        data.save(path)
    _, channels, steps = data.X.shape
    log.info("%s: %d series of %d channels, %d steps", data.name, len(data.X), channels, steps)


def read_own(args) -> SeriesDataset:
    """Read a user's dataset."""
    file = own.path(args.data_folder, args.dataset)
    if not file.is_file():
        known = ", ".join([*NAMES, *own.names(args.data_folder)])
        raise UserError(f"dataset {args.dataset!r} is unknown; known: {known}; or place {file}")
    data = own.read(file, args.dataset)
    clients = "no clients" if data.subject is None else f"{data.subject.max() + 1} clients"
    what = "targets" if data.regression else f"{data.y.max() + 1} labels"
    log.info("%s: %s, %s", file, what, clients)
    return data


def read_eegmmidb(args) -> SeriesDataset:
    """Read the recordings of some people, which are pinned one by one."""
    wanted = {r.file: r for r in eegmmidb.recordings(args.subjects, args.runs)}
    entry = files.load_registry(args.registry)["eegmmidb"].only(wanted)
    raw = raw_files(entry, args.data_folder, args.mirror)
    for name, path in raw.items():
        files.check_file(entry.files[name], path)
    log.info("reading %d recordings, %s to %s", len(raw), min(raw), max(raw))
    progress = tqdm(raw.items(), unit="recording", disable=None)
    return eegmmidb.read((wanted[name], path) for name, path in progress)


def raw_files(entry, data_folder, mirror):
    """Paths of the raw files, downloaded if need be."""
    found = {name: files.find(entry, f, data_folder, mirror) for name, f in entry.files.items()}
    missing = {name: entry.files[name] for name, path in found.items() if path is None}
    if any(file.url is None for file in missing.values()):
        raise UserError(files.missing_message(entry, data_folder))
    for number, (name, file) in enumerate(missing.items(), 1):
        log.info("downloading %s (%d of %d)", file.url, number, len(missing))
        found[name] = data_folder / entry.name / file.names[0]
        files.download(file.url, found[name], sha256=file.sha256)
    note_read(*found.values())
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
    named = f"{', '.join(NAMES)}, or the name of one of your own"
    p.add_argument("--dataset", required=True, help=named)
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
    p.add_argument("--per-label", type=int, help="of digits: keep this many of each label")
    of = p.add_argument_group("eegmmidb")
    of.add_argument(
        "--subjects", type=int, nargs="+", help="numbers of people (default: all sound)"
    )
    of.add_argument("--runs", type=int, nargs="+", default=eegmmidb.IMAGINED, help="4, 8, 12, ...")
    of = p.add_argument_group("eeg-sim")
    of.add_argument("--n-subjects", type=int, default=8, help="simulated people")
    of.add_argument("--n-trials", type=int, default=45, help="trials of each")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
