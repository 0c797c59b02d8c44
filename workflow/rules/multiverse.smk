# The multiverse: what the claims of a paper come to under all values of its open choices. It is not part of
# all, as it runs hundreds of universes.


localrules:
    multiverse_sum,
    multiverse_curve,
    multiverse,


# Fifty universes each, minutes.
rule multiverse_part:
    input:
        lambda w: PLAN.multiverse.inputs(w),
    output:
        FILES.universes("{paper}", "{setting}", "{part}"),
    log:
        f"{R}/logs/multiverse/{{paper}}/{{setting}}/part{{part}}.log",
    wildcard_constraints:
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
        csv=f"{OUT}/multiverse/{{paper}}.csv",
        matters=f"{OUT}/multiverse/{{paper}}_matters.csv",
        md=f"{OUT}/multiverse/{{paper}}.md",
        pdf=f"{OUT}/multiverse/{{paper}}.pdf",
        png=shown(f"{OUT}/multiverse/{{paper}}.png", "Multiverse", "paper"),
    log:
        f"{R}/logs/multiverse/{{paper}}.log",
    conda:
        "../../environment.yml"
    params:
        shown=lambda w: words_by_file(["--shown", PLAN.multiverse.shown(w.paper)]),
        scale=PLAN.scale,
        code=code_digest("scripts/multiverse.py"),
    shell:
        "python scripts/multiverse.py sum {params.shown} --scores {input} --scale {params.scale}"
        " --output {output.csv} 2>&1 | tee {log}"


rule multiverse_curve:
    input:
        lambda w: PLAN.multiverse.files(w.paper),
    output:
        pdf=f"{OUT}/multiverse/{{paper}}/{{claim}}+{{setting}}.pdf",
        png=f"{OUT}/multiverse/{{paper}}/{{claim}}+{{setting}}.png",
    log:
        f"{R}/logs/multiverse/{{paper}}/{{claim}}+{{setting}}.log",
    wildcard_constraints:
        claim="[A-Za-z0-9_-]+",
    conda:
        "../../environment.yml"
    params:
        shown=lambda w: words_by_file(["--shown", PLAN.multiverse.shown(w.paper)]),
        scale=PLAN.scale,
        code=code_digest("scripts/multiverse.py"),
    shell:
        "python scripts/multiverse.py curve {params.shown} --scores {input} --claim {wildcards.claim}"
        " --setting {wildcards.setting} --scale {params.scale} --output {output.pdf} 2>&1 | tee {log}"


rule multiverse:
    input:
        [
            file
            for paper in PLAN.multiverse.papers()
            for file in [
                f"{OUT}/multiverse/{paper}.csv",
                *(
                    f"{OUT}/multiverse/{paper}/{claim}+{setting}.png"
                    for claim, setting in PLAN.multiverse.curves(paper)
                ),
            ]
        ],
