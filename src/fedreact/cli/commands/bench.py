"""``fedreact bench``: the benchmark's page, with a method or data of one's own."""

import os
import subprocess
import sys
from pathlib import Path

import click

from fedreact.cli import words
from fedreact.cli.contract import RUNS, as_json, command
from fedreact.errors import UserError

PAPERS = Path("config/papers")


@command(RUNS)
@click.option("--method", type=click.Path(path_type=Path), help="own/kinds/<kind>/algorithms/*.py")
@click.option("--data", type=click.Path(path_type=Path), help="data/own/<name>.npz")
@click.option("--scale", default="quick", show_default=True, help="A file in config/scales/.")
@click.option("--cores", type=click.IntRange(1), help="Cores of the run (default: all).")
@click.option("--kept", is_flag=True, help="Take the benchmark's own tables from reference/.")
@as_json
def run(
    method: Path | None,
    data: Path | None,
    scale: str,
    cores: int | None,
    kept: bool,
    as_json: bool,
) -> None:
    """Build the benchmark's page: all regimes, with a method or data of your own.

    A method is put beside clients that train alone, in all regimes. Data is run with all methods of
    the benchmark. What is compared is written into config/papers/benchmark_<name>, where you can
    edit it; a folder that is there stays as it is.
    """
    with words.messages(as_json):
        if method is not None:
            _add_method(method)
        if data is not None:
            _add_data(data)
    command_line = ["snakemake", "--cores", str(cores or os.cpu_count() or 1), "benchmark"]
    command_line += ["--config", f"scale={scale}", *(["benchmark_kept=True"] if kept else [])]
    done = subprocess.run(command_line, check=False, **words.to_json(as_json))
    if as_json and not done.returncode:
        words.print_json({"page": f"results/{scale}/benchmark.html"})
    sys.exit(done.returncode)


def _add_method(file: Path) -> None:
    from fedreact.benchmark import additions

    _write(*additions.method_paper(file, additions.find_benchmark(PAPERS)))


def _add_data(file: Path) -> None:
    from fedreact.benchmark import additions
    from fedreact.data import own
    from fedreact.data.registry import load_registry, registries
    from fedreact.io.opening import file_of

    file_of(str(file), words.data_folder())
    own.check_name(file.stem, load_registry(*(path for path in registries() if path.exists())))
    if file.parent.as_posix() != "data/own":
        raise UserError(f"{file}: place it in data/own/ (fedreact import does)")
    read = own.read(file, file.stem)
    if read.owner is None:
        raise UserError(f"{file}: it names no clients; import it with a column of clients")
    has_labels = read.task.kind == "classification"
    benchmark = additions.find_benchmark(PAPERS)
    _write(*additions.data_paper(file.stem, read.time is not None, has_labels, benchmark))


def _write(name: str, files: dict[str, object]) -> None:
    from fedreact.benchmark import additions

    folder = PAPERS / name
    if folder.exists():
        click.echo(f"{folder} is there already and stays as it is")
        return
    additions.write(folder, files)
    click.echo(f"{folder} says what is compared; edit it as you like")


COMMAND = run
