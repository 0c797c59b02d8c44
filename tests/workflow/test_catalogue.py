"""The layout that Snakemake's workflow catalogue asks for, and runs from both Snakefiles."""

import pytest
import yaml
from helpers import ROOT, SMOKE, command, planned


def test_files_that_the_catalogue_reads():
    """Its rules: github.com/snakemake/snakemake-workflow-catalog."""
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert any(usage["software-stack-deployment"].values())
    assert (ROOT / "config/README.md").is_file()
    assert (ROOT / "workflow/Snakefile").is_file()
    assert list((ROOT / "workflow/rules").glob("*.smk"))
    readme = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in readme
    assert "workflow" in readme


@pytest.mark.campaign
def test_both_snakefiles_plan_the_same(unchanged):
    words = ["communication", "fig05", *SMOKE]
    in_root = planned(*words, cwd=unchanged)
    assert len(in_root) > 1
    assert planned("--snakefile", "workflow/Snakefile", *words, cwd=unchanged) == in_root


def test_a_workflow_that_imports_it_is_told_to_clone(tmp_path):
    (tmp_path / "Snakefile").write_text(
        "module fedreact:\n"
        f"    snakefile: {str(ROOT / 'workflow/Snakefile')!r}\n"
        "    config: {'scale': 'smoke'}\n"
        "use rule * from fedreact\n"
    )
    printed, status = command("snakemake", "-n", cwd=tmp_path)
    assert status != 0
    assert "error: this is not the project's folder; clone the project" in printed
