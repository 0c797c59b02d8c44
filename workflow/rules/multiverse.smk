# The multiverse: what the claims of a paper come to under all values of its open choices. It is not part of
# all, as it runs hundreds of universes.


localrules:
    multiverse_sum,
    multiverse_curve,
    multiverse,


# A job runs some universes, which takes minutes.
rule multiverse_part:
    input:
        lambda w: PLAN.multiverse.inputs(w),
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
        options=lambda w: words_by_file(PLAN.multiverse.words(w)),
        code=lambda w: PLAN.multiverse.code(w.paper),
    shell:
        "python scripts/multiverse.py run {params.options} --output {output} 2>&1 | tee {log}"


rule multiverse_sum:
    input:
        lambda w: PLAN.multiverse.files(w.paper),
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
        asked=lambda w: words_by_file(PLAN.multiverse.asked_words(w.paper)),
        folder=lambda w, output: Path(output.md).parent,
        scale=PLAN.scale,
        code=code_digest("scripts/multiverse.py"),
    shell:
        "python scripts/multiverse.py sum {params.asked} --scores {input} --scale {params.scale}"
        " --output {params.folder} 2>&1 | tee {log}"


rule multiverse_curve:
    input:
        lambda w: PLAN.multiverse.files(w.paper),
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
        asked=lambda w: words_by_file(PLAN.multiverse.asked_words(w.paper)),
        scale=PLAN.scale,
        code=code_digest("scripts/multiverse.py"),
    shell:
        "python scripts/multiverse.py curve {params.asked} --scores {input} --claim {wildcards.claim}"
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
