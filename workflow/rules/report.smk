# The report: one page in a browser, and the same tables and figures as a PDF.


localrules:
    report,


rule report:
    input:
        unpack(lambda w: job("report", w).inputs),
        templates=sorted(Path("src/fedreact/report/templates").glob("*")),
    output:
        html=f"{OUT}/report.html",
        pdf=f"{OUT}/report.pdf",
    log:
        f"{R}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        options=words_by_file("report"),
        code=code("report"),
    shell:
        "python scripts/make_report.py {params.options} --output {output.html} 2>&1 | tee {log}"
