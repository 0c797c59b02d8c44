# Runs of all kinds (src/fedreact/kinds/): a job has some methods, one setting and one seed. Its kind says
# what it needs, which methods it has, and whether it trains for long.


# Seconds each; profiles/slurm has many of them share a job.
rule run:
    input:
        unpack(lambda w: job("run", w).inputs),
    output:
        scores=f"{R}/runs/{{kind}}/{{paper}}/{{dataset}}/{{setting}}/{{job}}/seed{{seed}}.csv",
        clients=f"{R}/runs/{{kind}}/{{paper}}/{{dataset}}/{{setting}}/{{job}}/seed{{seed}}.clients.npz",
    log:
        f"{R}/logs/runs/{{kind}}/{{paper}}/{{dataset}}/{{setting}}/{{job}}/seed{{seed}}.log",
    wildcard_constraints:
        kind=PLAN.runs.kinds(trains=False),
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, threads, attempt: attempt * job("run", w).megabytes(threads),
        runtime=lambda w, attempt: attempt * job("run", w).minutes,
    params:
        options=words("run"),
        code=code("run"),
        device=PLAN.config.device,
        checkpoint=lambda w: job("run", w).checkpoint,
    shell:
        "python scripts/run.py {params.options} --device {params.device} --workers {threads}"
        " --checkpoint {params.checkpoint} --output {output.scores} 2>&1 | tee {log}"


# Long ones. Checkpoints are kept as in Phase 1.
use rule run as train with:
    wildcard_constraints:
        kind=PLAN.runs.kinds(trains=True),
    threads: lambda w: job("train", w).threads
    resources:
        mem_mb=lambda w, threads, attempt: attempt * job("run", w).megabytes(threads),
        runtime=lambda w, attempt: attempt * job("run", w).minutes,
        gpu=PLAN.experiments.gpus,


# What needs no data: theorems, counts.
rule study:
    output:
        f"{R}/studies/{{study}}.csv",
    log:
        f"{R}/logs/studies/{{study}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words("study"),
        code=code("study"),
    shell:
        "python scripts/study.py {params.options} --output {output} 2>&1 | tee {log}"
