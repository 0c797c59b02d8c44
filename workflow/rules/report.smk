# The report: one page in a browser, and the same tables and figures as a PDF.


localrules:
    report,


rule report:
    input:
        tables=PLAN.report.tables(),
        tex=PLAN.report.tex(),
        figures=PLAN.report.figures(),
        claims=PLAN.report.claims(),
        entries=PLAN.report.entries(),
        templates=sorted(Path("src/fedreact/report/templates").glob("*")),
    output:
        html=f"{OUT}/report.html",
        pdf=f"{OUT}/report.pdf",
    log:
        f"{R}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        options=lambda w: words_by_file(PLAN.report.words()),
        code=lambda w: PLAN.report.code(),
    shell:
        "python scripts/make_report.py {params.options} --output {output.html} 2>&1 | tee {log}"
