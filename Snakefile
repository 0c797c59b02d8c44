# Rebuilds the tables and figures of papers of federated learning on time series (config/papers/).
#
#   snakemake --cores 2 all_tables                 all tables of the papers that config.yaml names
#   snakemake --cores 2 table05                    one of them
#   snakemake --cores 32 all --config scale=paper  everything, at the papers' scale
#
# Data flow:  data -> partition -> runs -> tables and figures,
# of Fed-REACT:  data -> partition -> encoder -> features -> rounds -> tables and figures,
# one file under results/<scale>/ for each arrow, one rule in workflow/rules/ for each step.

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/encoding.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/outputs.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/multiverse.smk"


localrules:
    all,
    all_tables,
    all_figures,


rule all:
    default_target: True
    input:
        rules.all_tables.input,
        rules.all_figures.input,
        rules.claims.output if PLAN.claims.papers() else [],
        rules.report.output,


onstart:
    get_ready()


onerror:
    ACCOUNT.end()


onsuccess:
    ACCOUNT.end()
