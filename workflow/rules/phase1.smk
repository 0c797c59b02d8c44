# Phase 1: the encoder, and the features that it gives.


# Training is resumed from its checkpoint, which is no declared output: those are deleted when a
# job fails. It is keyed by its content, so one of other settings is never taken up.
rule train_encoder:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        partition=f"{R}/partitions/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    output:
        f"{R}/encoders/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    params:
        options=command_options(PLAN.phase1_options()),
        code=code_digest("scripts/train_encoder.py"),
        device=PLAN.device,
        checkpoint=f"{R}/checkpoints/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/encoders/{{dataset}}/{{partition}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    threads: lambda w: min(PLAN.n_clients(w.partition), 32)
    resources:
        mem_mb=lambda w, threads: 1000 + 500 * threads,
    shell:
        "python scripts/train_encoder.py --data {input.data} --partition {input.partition}"
        " --seed {wildcards.seed} {params.options} --device {params.device} --workers {threads}"
        " --checkpoint {params.checkpoint} --output {output} 2>&1 | tee {log}"


rule extract_features:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        encoder=f"{R}/encoders/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    output:
        f"{R}/features/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    params:
        code=code_digest("scripts/extract_features.py"),
    log:
        f"{R}/logs/features/{{dataset}}/{{partition}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python scripts/extract_features.py --data {input.data} --encoder {input.encoder}"
        " --output {output} 2>&1 | tee {log}"
