# Phase 1: the encoder, and the features that it gives. An encoder is named after the partition that
# it is trained on, with its changes from the configuration, if any (partition+key=value).


# Training is resumed from its checkpoint, which is no declared output: those are deleted when a
# job fails. It carries a fingerprint of data and settings and is named after the code, so one of
# other work is never taken up.
rule train_encoder:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        partition=lambda w: (
            f"{R}/partitions/{w.dataset}/{split_variant(w.encoder)[0]}/seed{w.seed}.npz"
        ),
    output:
        f"{R}/encoders/{{dataset}}/{{encoder}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/encoders/{{dataset}}/{{encoder}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    threads: lambda w: PLAN.encoder_threads(w.encoder)
    resources:
        mem_mb=lambda w, threads, attempt: attempt * (1000 + 500 * threads),
        runtime=lambda w, attempt: attempt * PLAN.how_much["minutes"]["encoder"],
        gpu=PLAN.gpus,
    params:
        options=lambda w: command_options(PLAN.phase1_options(w.encoder)),
        code=lambda w: encoder_code("scripts/train_encoder.py", w),
        device=PLAN.device,
        checkpoint=lambda w: f"{R}/checkpoints/{w.dataset}/{w.encoder}/seed{w.seed}-"
        + encoder_code("scripts/train_encoder.py", w)
        + ".npz",
    shell:
        "python scripts/train_encoder.py --data {input.data} --partition {input.partition}"
        " --seed {wildcards.seed} {params.options} --device {params.device} --workers {threads}"
        " --checkpoint {params.checkpoint} --output {output} 2>&1 | tee {log}"


rule extract_features:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        encoder=f"{R}/encoders/{{dataset}}/{{encoder}}/seed{{seed}}.npz",
    output:
        f"{R}/features/{{dataset}}/{{encoder}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/features/{{dataset}}/{{encoder}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 10 * attempt,
    params:
        code=lambda w: encoder_code("scripts/extract_features.py", w),
    shell:
        "python scripts/extract_features.py --data {input.data} --encoder {input.encoder}"
        " --output {output} 2>&1 | tee {log}"
