# Tables and figures, each also a target by its name.


def rounds_of(settings):
    return [
        f"{R}/rounds/{DATASET}/{setting}/seed{seed}.csv"
        for setting in settings
        for seed in PLAN.seeds
    ]


def table(name):
    return multiext(f"{R}/tables/{name}", ".csv", ".tex", ".md")


def figure(name):
    return multiext(f"{R}/figures/{name}", ".pdf", ".png")


def figure_inputs(wildcards):
    spec = PLAN.outputs["figures"][wildcards.figure]
    if spec["kind"] == "label_distribution":
        return f"{R}/partitions/{DATASET}/{spec['partition']}/seed{PLAN.seeds[0]}.npz"
    return rounds_of([spec["setting"]])


localrules:
    table05,
    fig02,
    fig07,
    fig08,


rule make_table:
    input:
        scores=lambda w: rounds_of(PLAN.outputs["tables"][w.table]["rows"].values()),
        published="config/published/{table}.yaml",
    output:
        multiext(f"{R}/tables/{{table}}", ".csv", ".tex", ".md"),
    params:
        spec=lambda w: str(PLAN.outputs["tables"][w.table]),
        differences=PLAN.how_much["differences"],
        scale=PLAN.scale,
        code=code_digest("scripts/make_table.py"),
    log:
        f"{R}/logs/tables/{{table}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python scripts/make_table.py --table {wildcards.table} --published {input.published}"
        " --scores {input.scores} --scale {params.scale} --differences {params.differences:q}"
        " --output {output[0]} 2>&1 | tee {log}"


rule make_figure:
    input:
        figure_inputs,
    output:
        multiext(f"{R}/figures/{{figure}}", ".pdf", ".png"),
    params:
        spec=lambda w: str(PLAN.outputs["figures"][w.figure]),
        data=DATASET,
        scale=PLAN.scale,
        code=code_digest("scripts/make_figure.py"),
    log:
        f"{R}/logs/figures/{{figure}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python scripts/make_figure.py --figure {wildcards.figure} --inputs {input}"
        " --data {params.data} --scale {params.scale} --output {output[0]} 2>&1 | tee {log}"


rule table05:
    input:
        table("table05"),


rule fig02:
    input:
        figure("fig02"),


rule fig07:
    input:
        figure("fig07"),


rule fig08:
    input:
        figure("fig08"),


rule all_tables:
    input:
        rules.table05.input,


rule all_figures:
    input:
        rules.fig02.input,
        rules.fig07.input,
        rules.fig08.input,
