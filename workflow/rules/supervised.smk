# Table 1's baselines: one architecture, trained with labels by each federated algorithm. Checkpoints
# are kept as in Phase 1.


rule train_supervised:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        partition=lambda w: PLAN.partition(w.dataset, w.setting, w.seed),
    output:
        f"{R}/supervised/{{dataset}}/{{setting}}/{{architecture}}/seed{{seed}}.csv",
    log:
        f"{R}/logs/supervised/{{dataset}}/{{setting}}/{{architecture}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    threads: lambda w: PLAN.supervised_threads(w.setting)
    resources:
        mem_mb=lambda w, threads, attempt: attempt * (2000 + 700 * threads),
        runtime=lambda w, attempt: attempt * PLAN.how_much["minutes"]["supervised"],
        gpu=PLAN.gpus,
    params:
        options=lambda w: command_options(
            PLAN.supervised_options(w.setting, w.architecture)
        ),
        code=code_digest("scripts/train_supervised.py"),
        device=PLAN.device,
        checkpoint=f"{R}/checkpoints/supervised/{{dataset}}/{{setting}}/{{architecture}}/seed{{seed}}-"
        + code_digest("scripts/train_supervised.py")
        + ".npz",
    shell:
        "python scripts/train_supervised.py --data {input.data} --partition {input.partition}"
        " --seed {wildcards.seed} {params.options} --device {params.device} --workers {threads}"
        " --checkpoint {params.checkpoint} --output {output} 2>&1 | tee {log}"
