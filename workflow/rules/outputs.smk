# Tables and figures, each also a target by its name, like each paper and each search.


# Seconds each, so not worth a job of their own on a cluster.
localrules:
    make_table,
    make_figure,
    make_metrics,
    measure_ledger,
    assumptions,
    measure_search,


rule make_table:
    input:
        unpack(lambda w: job("make_table", w).inputs),
    output:
        csv=shown(f"{OUT}/tables/{{table}}.csv", "Tables", "table"),
        tex=f"{OUT}/tables/{{table}}.tex",
        md=shown(f"{OUT}/tables/{{table}}.md", "Tables", "table"),
        origins=f"{OUT}/tables/{{table}}.provenance.json",
    log:
        f"{R}/logs/tables/{{table}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("make_table"),
        spec=lambda w: job("make_table", w).params["spec"],
        scale=PLAN.scale,
        code=code("make_table"),
    shell:
        "python scripts/make_table.py {params.options} --published {input.published}"
        " --scores {input.scores} --scale {params.scale} --output {output.csv} 2>&1 | tee {log}"


rule make_figure:
    input:
        unpack(lambda w: job("make_figure", w).inputs),
    output:
        pdf=f"{OUT}/figures/{{figure}}.pdf",
        png=shown(f"{OUT}/figures/{{figure}}.png", "Figures", "figure"),
    log:
        f"{R}/logs/figures/{{figure}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("make_figure"),
        spec=lambda w: job("make_figure", w).params["spec"],
        data=lambda w: job("make_figure", w).params["data"],
        scale=PLAN.scale,
        code=code("make_figure"),
    shell:
        "python scripts/make_figure.py {params.options} --scores {input.scores} --files {input.files}"
        " --data={params.data:q} --scale {params.scale} --output {output.pdf} 2>&1 | tee {log}"


# What a ledger's alternatives change: not part of all, as it runs many settings again.
rule measure_ledger:
    input:
        lambda w: job("measure_ledger", w).inputs["scores"],
    output:
        csv=f"{OUT}/assumptions/{{paper}}.csv",
        md=f"{OUT}/assumptions/{{paper}}.md",
        pdf=f"{OUT}/assumptions/{{paper}}.pdf",
        png=f"{OUT}/assumptions/{{paper}}.png",
    log:
        f"{R}/logs/assumptions/{{paper}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("measure_ledger"),
        scale=PLAN.scale,
        code=code("measure_ledger"),
    shell:
        "python scripts/measure_ledger.py {params.options} --scores {input}"
        " --scale {params.scale} --output {output.csv} 2>&1 | tee {log}"


rule assumptions:
    input:
        [
            file
            for paper in PLAN.measures.papers_measured()
            for file in FILES.summary("assumptions", paper)
        ],


# What the options of methods are chosen from: not part of all either. Each is a target by its name.
rule measure_search:
    input:
        lambda w: job("measure_search", w).inputs["scores"],
    output:
        csv=f"{OUT}/searches/{{search}}.csv",
        md=f"{OUT}/searches/{{search}}.md",
    log:
        f"{R}/logs/searches/{{search}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("measure_search"),
        scale=PLAN.scale,
        code=code("measure_search"),
    shell:
        "python scripts/measure_search.py {params.options} --scores {input} --scale {params.scale}"
        " --output {output.csv} 2>&1 | tee {log}"


# For `dvc metrics diff`.
rule make_metrics:
    input:
        lambda w: [
            f"{OUT}/tables/{name}.csv" for name in PLAN.outputs.chosen(PLAN.tables)
        ],
    output:
        f"{OUT}/metrics.json",
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
        [
            file
            for name in PLAN.outputs.chosen(PLAN.tables)
            for file in FILES.table(name)
        ],
        rules.make_metrics.output,


rule all_figures:
    input:
        [
            file
            for name in PLAN.outputs.chosen(PLAN.figures)
            for file in FILES.figure(name)
        ],


for name, files in PLAN.targets().items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
