"""Build the README, docs/ and the API into a folder of pages that a browser opens."""

import shutil
import tempfile
from pathlib import Path

from fedreact.command import log, parser, run
from fedreact.errors import UserError
from fedreact.reference.site import benchmark_page, stage


def main(args):
    """Build beside the folder first, so that it is replaced by something whole or not at all."""
    output = args.output
    if output.exists() and not (output / ".buildinfo").is_file():
        raise UserError(f"{output}: is not a site; name another folder")
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        raise UserError("Sphinx is not installed; `make docs-site` installs it") from None
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".site-") as folder:
        pages, made = Path(folder, "pages"), Path(folder, "made")
        stage(args.project, pages)
        words = ["-q", "-W", "--keep-going", "-c", args.project / "docs/site"]
        if build_main([*map(str, [*words, "-d", Path(folder, "doctrees"), pages, made])]):
            raise UserError("the site was not built, for the reasons above")
        (made / "benchmark.html").write_text(benchmark_page(args.project))
        shutil.rmtree(output, ignore_errors=True)
        made.rename(output)
    log.info("open %s", output / "index.html")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("output", type=Path, help="e.g. site")
    p.add_argument("--project", type=Path, default=Path())
    run(main, p)
