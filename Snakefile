# Rebuilds the tables and figures of the Fed-REACT papers.
#
#   snakemake --cores 2 all_tables                 all tables at the scale of config/config.yaml
#   snakemake --cores 2 table05                    one of them
#   snakemake --cores 32 all --config scale=paper  everything, at the paper's scale
#
# Data flow:  data -> partition -> encoder -> features -> rounds -> tables and figures,
# one file under results/<scale>/ for each arrow, one rule in workflow/rules/ for each step.

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/sumo.smk"
include: "workflow/rules/phase1.smk"
include: "workflow/rules/phase2.smk"
include: "workflow/rules/supervised.smk"
include: "workflow/rules/outputs.smk"


localrules:
    all,
    all_tables,
    all_figures,


rule all:
    default_target: True
    input:
        rules.all_tables.input,
        rules.all_figures.input,
        rules.report.output,


onstart:
    get_ready()
    print(
        f"Scale: {PLAN.scale}. Data: {', '.join(PLAN.datasets.values())}. Results: {PLAN.results}/"
    )


onerror:
    print("\n".join(PLAN.errors()))


onsuccess:
    print(f"Done. Results: {PLAN.results}/")
