# The benchmark: all its regimes on one page for a browser.


localrules:
    benchmark,


rule benchmark:
    input:
        unpack(lambda w: job("benchmark", w).inputs),
        templates=sorted(Path("src/fedreact/benchmark/templates").glob("*")),
    output:
        f"{OUT}/benchmark.html",
    log:
        f"{R}/logs/benchmark.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("benchmark"),
        code=code("benchmark"),
    shell:
        "python scripts/make_benchmark.py {params.options} --output {output} 2>&1 | tee {log}"
