# The multiverse: what the claims of a paper come to under all values of its open choices. It is not part of
# all, as it runs hundreds of universes.


localrules:
    multiverse_sum,
    multiverse_curve,
    multiverse,


# A job runs some universes, which takes minutes.
rule multiverse_part:
    input:
        lambda w: job("multiverse_part", w).inputs["files"],
    output:
        FILES.universes("{paper}", "{view}", "{setting}", "{part}"),
    log:
        f"{R}/logs/multiverse/{{paper}}/{{view}}/{{setting}}/part{{part}}.log",
    wildcard_constraints:
        view="drawn|tuned",
        part=r"\d+",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1500,
        runtime=lambda w, attempt: attempt * 60,
    params:
        options=words_by_file("multiverse_part"),
        code=code("multiverse_part"),
    shell:
        "python scripts/multiverse.py {params.options} --output {output} 2>&1 | tee {log}"


rule multiverse_sum:
    input:
        lambda w: job("multiverse_sum", w).inputs["scores"],
    output:
        tables=expand(
            f"{OUT}/multiverse/{{{{paper}}}}/{{table}}.csv",
            table=PLAN.multiverse.tables,
        ),
        md=f"{OUT}/multiverse/{{paper}}/multiverse.md",
        asked=f"{OUT}/multiverse/{{paper}}/asked.json",
        pdf=expand(
            f"{OUT}/multiverse/{{{{paper}}}}/{{figure}}.pdf",
            figure=["matters", "over"],
        ),
        matters=shown(f"{OUT}/multiverse/{{paper}}/matters.png", "Multiverse", "paper"),
        over=shown(f"{OUT}/multiverse/{{paper}}/over.png", "Multiverse", "paper"),
    log:
        f"{R}/logs/multiverse/{{paper}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("multiverse_sum"),
        folder=lambda w, output: Path(output.md).parent,
        scale=PLAN.scale,
        code=code("multiverse_sum"),
    shell:
        "python scripts/multiverse.py sum {params.options} --scores {input} --scale {params.scale}"
        " --output {params.folder} 2>&1 | tee {log}"


rule multiverse_curve:
    input:
        lambda w: job("multiverse_curve", w).inputs["scores"],
    output:
        pdf=f"{OUT}/multiverse/{{paper}}/curves/{{claim}}+{{setting}}.pdf",
        png=f"{OUT}/multiverse/{{paper}}/curves/{{claim}}+{{setting}}.png",
    log:
        f"{R}/logs/multiverse/{{paper}}/{{claim}}+{{setting}}.log",
    wildcard_constraints:
        claim="[A-Za-z0-9_-]+",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("multiverse_curve"),
        scale=PLAN.scale,
        code=code("multiverse_curve"),
    shell:
        "python scripts/multiverse.py curve {params.options} --scores {input} --claim {wildcards.claim}"
        " --setting {wildcards.setting} --scale {params.scale} --output {output.pdf} 2>&1 | tee {log}"


rule multiverse:
    input:
        lambda w: [
            f"{OUT}/multiverse/{paper}/multiverse.md"
            for paper in PLAN.multiverse.papers()
        ],
        lambda w: [
            f"{OUT}/multiverse/{paper}/curves/{claim}+{setting}.png"
            for paper in PLAN.multiverse.papers()
            for claim, setting in PLAN.multiverse.curves(paper)
        ],
