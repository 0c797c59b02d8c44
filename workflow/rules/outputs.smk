# Tables and figures, each also a target by its name.


localrules:
    assumptions,
    table05,
    fig02,
    fig07,
    fig08,


rule make_table:
    input:
        scores=lambda w: PLAN.table_inputs(w.table),
        published="config/published/{table}.yaml",
    output:
        csv=f"{R}/tables/{{table}}.csv",
        tex=f"{R}/tables/{{table}}.tex",
        md=f"{R}/tables/{{table}}.md",
    log:
        f"{R}/logs/tables/{{table}}.log",
    conda:
        "../../environment.yml"
    params:
        spec=lambda w: str(PLAN.outputs["tables"][w.table]),
        differences=PLAN.how_much["differences"],
        scale=PLAN.scale,
        code=code_digest("scripts/make_table.py"),
    shell:
        "python scripts/make_table.py --table {wildcards.table} --published {input.published}"
        " --scores {input.scores} --scale {params.scale} --differences {params.differences:q}"
        " --output {output.csv} 2>&1 | tee {log}"


rule make_figure:
    input:
        lambda w: PLAN.figure_inputs(w.figure),
    output:
        pdf=f"{R}/figures/{{figure}}.pdf",
        png=f"{R}/figures/{{figure}}.png",
    log:
        f"{R}/logs/figures/{{figure}}.log",
    conda:
        "../../environment.yml"
    params:
        spec=lambda w: str(PLAN.outputs["figures"][w.figure]),
        data=DATASET,
        scale=PLAN.scale,
        code=code_digest("scripts/make_figure.py"),
    shell:
        "python scripts/make_figure.py --figure {wildcards.figure} --inputs {input}"
        " --data {params.data} --scale {params.scale} --output {output.pdf} 2>&1 | tee {log}"


# What the ledger's alternatives change: not part of all, as it runs many settings again.
rule measure_assumptions:
    input:
        scores=PLAN.assumption_inputs(),
        ledger="config/assumptions.yaml",
    output:
        csv=f"{R}/assumptions.csv",
        md=f"{R}/assumptions.md",
    log:
        f"{R}/logs/assumptions.log",
    conda:
        "../../environment.yml"
    params:
        scale=PLAN.scale,
        code=code_digest("scripts/measure_assumptions.py"),
    shell:
        "python scripts/measure_assumptions.py --ledger {input.ledger} --scores {input.scores}"
        " --scale {params.scale} --output {output.csv} 2>&1 | tee {log}"


rule assumptions:
    input:
        rules.measure_assumptions.output,


rule table05:
    input:
        PLAN.table_files("table05"),


rule fig02:
    input:
        PLAN.figure_files("fig02"),


rule fig07:
    input:
        PLAN.figure_files("fig07"),


rule fig08:
    input:
        PLAN.figure_files("fig08"),


rule all_tables:
    input:
        [file for name in PLAN.outputs["tables"] for file in PLAN.table_files(name)],


rule all_figures:
    input:
        [file for name in PLAN.outputs["figures"] for file in PLAN.figure_files(name)],


rule report:
    input:
        tables=[f"{R}/tables/{name}.csv" for name in PLAN.outputs["tables"]],
        figures=[f"{R}/figures/{name}.png" for name in PLAN.outputs["figures"]],
        template="src/fedreact/paper/report.html.j2",
        ledger="config/assumptions.yaml",
    output:
        f"{R}/report.html",
    log:
        f"{R}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        spec=str(PLAN.outputs),
        data=DATASET,
        scale=PLAN.scale,
        differences=PLAN.how_much["differences"],
        code=code_digest("scripts/make_report.py"),
    shell:
        "python scripts/make_report.py --tables {input.tables} --figures {input.figures}"
        " --template {input.template} --ledger {input.ledger} --data {params.data}"
        " --scale {params.scale} --differences {params.differences:q}"
        " --output {output} 2>&1 | tee {log}"
