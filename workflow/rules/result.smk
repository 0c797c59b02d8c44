# Pages of results on data of a user's own: one for each folder of config/papers that cites nobody.


localrules:
    result_page,


rule result_page:
    input:
        unpack(lambda w: job("result_page", w).inputs),
        templates=sorted(Path("src/fedreact/result/templates").glob("*")),
        shared="src/fedreact/benchmark/templates/benchmark.css",
    output:
        f"{OUT}/{{paper}}.html",
    log:
        f"{R}/logs/pages/{{paper}}.log",
    wildcard_constraints:
        paper="|".join(PLAN.result_pages.papers()) or "(?!)",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("result_page"),
        code=code("result_page"),
    shell:
        "python scripts/make_result.py {params.options} --output {output} 2>&1 | tee {log}"
