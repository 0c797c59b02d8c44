# Claims of the papers, judged on the scores of their tables.


localrules:
    make_claims,
    claims,


rule make_claims:
    input:
        unpack(lambda w: job("make_claims", w).inputs),
    output:
        csv=f"{OUT}/claims/{{paper}}.csv",
        md=shown(f"{OUT}/claims/{{paper}}.md", "Claims", "paper"),
        tex=f"{OUT}/claims/{{paper}}.tex",
        pdf=f"{OUT}/claims/{{paper}}.pdf",
        png=shown(f"{OUT}/claims/{{paper}}.png", "Claims", "paper"),
    log:
        f"{R}/logs/claims/{{paper}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("make_claims"),
        scale=PLAN.scale,
        code=code("make_claims"),
    shell:
        "python scripts/make_claims.py {params.options} --scores {input.scores}"
        " --scale {params.scale} --output {output.csv} 2>&1 | tee {log}"


rule claims:
    input:
        FILES.claims(PLAN.claims.papers()),
    output:
        csv=f"{OUT}/claims.csv",
        md=f"{OUT}/claims.md",
    log:
        f"{R}/logs/claims.log",
    conda:
        "../../environment.yml"
    params:
        code=code_digest("scripts/join_claims.py"),
    shell:
        "python scripts/join_claims.py --claims {input} --output {output.csv} 2>&1 | tee {log}"
