# Phase 2: rounds of local fits, clustering and aggregation, all methods side by side.


def features_of(wildcards):
    partition, seed = PLAN.encoder_of(PLAN.partition_of(wildcards.setting), wildcards.seed)
    return f"{R}/features/{wildcards.dataset}/{partition}/seed{seed}.npz"


def partition_of(wildcards):
    partition = PLAN.partition_of(wildcards.setting)
    return f"{R}/partitions/{wildcards.dataset}/{partition}/seed{wildcards.seed}.npz"


rule run_phase2:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        features=features_of,
        partition=partition_of,
    output:
        f"{R}/rounds/{{dataset}}/{{setting}}/seed{{seed}}.csv",
    params:
        options=lambda w: command_options(PLAN.phase2_options(w.setting)),
        code=code_digest("scripts/run_phase2.py"),
    log:
        f"{R}/logs/rounds/{{dataset}}/{{setting}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python scripts/run_phase2.py --data {input.data} --features {input.features}"
        " --partition {input.partition} --seed {wildcards.seed} {params.options}"
        " --output {output} 2>&1 | tee {log}"
