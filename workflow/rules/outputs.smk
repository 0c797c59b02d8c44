# Tables and figures, each also a target by its name.


# Seconds each, so not worth a job of their own on a cluster.
localrules:
    make_table,
    make_figure,
    make_metrics,
    report,
    measure_assumptions,
    assumptions,
    measure_search,
    search,
    measure_tuning,
    tune,


rule make_table:
    input:
        scores=lambda w: PLAN.table_inputs(w.table),
        published="config/published/{table}.yaml",
    output:
        csv=f"{R}/tables/{{table}}.csv",
        tex=f"{R}/tables/{{table}}.tex",
        md=f"{R}/tables/{{table}}.md",
        origins=f"{R}/tables/{{table}}.provenance.json",
    log:
        f"{R}/logs/tables/{{table}}.log",
    wildcard_constraints:
        table="|".join(PLAN.outputs["tables"]),
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


# Parameters, FLOPs, measured milliseconds and bytes: no data is needed.
rule make_costs:
    input:
        published="config/published/table12.yaml",
    output:
        [file for name in PLAN.outputs["costs"] for file in PLAN.table_files(name)],
        [f"{R}/tables/{name}.provenance.json" for name in PLAN.outputs["costs"]],
    log:
        f"{R}/logs/costs.log",
    conda:
        "../../environment.yml"
    params:
        tables=[PLAN.table_files(name)[0] for name in PLAN.outputs["costs"]],
        spec=str(PLAN.outputs["costs"]),
        code=code_digest("scripts/make_costs.py"),
    shell:
        "python scripts/make_costs.py --published {input.published}"
        " --outputs-csv {params.tables} 2>&1 | tee {log}"


# The bound of Theorem 1 beside what is measured: no data is needed.
rule study_theorem1:
    output:
        f"{R}/theorem1.csv",
    log:
        f"{R}/logs/theorem1.log",
    conda:
        "../../environment.yml"
    params:
        seeds=PLAN.seeds,
        code=code_digest("scripts/study_theorem1.py"),
    shell:
        "python scripts/study_theorem1.py --seeds {params.seeds} --output {output} 2>&1 | tee {log}"


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
        data=lambda w: PLAN.figure_sources(w.figure),
        scale=PLAN.scale,
        code=code_digest("scripts/make_figure.py"),
    shell:
        "python scripts/make_figure.py --figure {wildcards.figure} --inputs {input}"
        " --data={params.data:q} --scale {params.scale} --output {output.pdf} 2>&1 | tee {log}"


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


# What the options of methods are chosen from: not part of all either.
rule measure_search:
    input:
        PLAN.search_inputs(),
    output:
        csv=f"{R}/search.csv",
        md=f"{R}/search.md",
    log:
        f"{R}/logs/search.log",
    conda:
        "../../environment.yml"
    params:
        scale=PLAN.scale,
        code=code_digest("scripts/measure_search.py"),
    shell:
        "python scripts/measure_search.py --scores {input} --scale {params.scale}"
        " --output {output.csv} 2>&1 | tee {log}"


rule search:
    input:
        rules.measure_search.output,


# The learning rates of Table 1's tuned baselines.
rule measure_tuning:
    input:
        PLAN.tune_inputs(),
    output:
        csv=f"{R}/tuning.csv",
        md=f"{R}/tuning.md",
    log:
        f"{R}/logs/tuning.log",
    conda:
        "../../environment.yml"
    params:
        scale=PLAN.scale,
        code=code_digest("scripts/measure_tuning.py"),
    shell:
        "python scripts/measure_tuning.py --scores {input} --scale {params.scale}"
        " --output {output.csv} 2>&1 | tee {log}"


rule tune:
    input:
        rules.measure_tuning.output,


# Each table and figure of config/outputs.yaml is a target by its name, e.g. table05.
for name, files in PLAN.named_outputs().items():

    rule:
        name:
            name
        input:
            files,
        localrule: True


# Of tables of scores; those of costs hold measured milliseconds, which vary.
rule make_metrics:
    input:
        [f"{R}/tables/{name}.csv" for name in PLAN.outputs["tables"]],
    output:
        f"{R}/metrics.json",
    log:
        f"{R}/logs/metrics.log",
    conda:
        "../../environment.yml"
    params:
        code=code_digest("scripts/make_metrics.py"),
    shell:
        "python scripts/make_metrics.py --tables {input} --output {output} 2>&1 | tee {log}"


rule all_tables:
    input:
        [file for name in PLAN.table_names() for file in PLAN.table_files(name)],
        rules.make_metrics.output,


rule all_figures:
    input:
        [file for name in PLAN.outputs["figures"] for file in PLAN.figure_files(name)],


rule report:
    input:
        tables=[f"{R}/tables/{name}.csv" for name in PLAN.table_names()],
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
        data=", ".join(PLAN.datasets.values()),
        scale=PLAN.scale,
        differences=PLAN.how_much["differences"],
        code=code_digest("scripts/make_report.py"),
    shell:
        "python scripts/make_report.py --tables {input.tables} --figures {input.figures}"
        " --template {input.template} --ledger {input.ledger} --data {params.data:q}"
        " --scale {params.scale} --differences {params.differences:q}"
        " --output {output} 2>&1 | tee {log}"
