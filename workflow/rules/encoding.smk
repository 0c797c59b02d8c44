# Phase 1: the encoder, and the features that it gives. An encoder is named after the partition that
# it is trained on, with its changes from the configuration, if any.


# Training is resumed from its checkpoint, which is no declared output: those are deleted when a
# job fails. It carries a fingerprint of data and settings and is named after the code, so one of
# other work is never taken up.
rule train_encoder:
    input:
        unpack(lambda w: job("train_encoder", w).inputs),
    output:
        f"{R}/encoders/{{paper}}/{{dataset}}/{{encoder}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/encoders/{{paper}}/{{dataset}}/{{encoder}}/seed{{seed}}.log",
    # First, as little else can run while the last one trains.
    priority: 1
    conda:
        "../../environment.yml"
    threads: lambda w: job("train_encoder", w).threads
    resources:
        mem_mb=lambda w, threads, attempt: attempt
        * job("train_encoder", w).megabytes(threads),
        runtime=lambda w, attempt: attempt * job("train_encoder", w).minutes,
        gpu=PLAN.experiments.gpus,
    params:
        options=words("train_encoder"),
        code=code("train_encoder"),
        device=PLAN.config.device,
        checkpoint=lambda w: job("train_encoder", w).checkpoint,
    shell:
        "python scripts/train_encoder.py {params.options} --device {params.device} --workers {threads}"
        " --checkpoint {params.checkpoint} --output {output} 2>&1 | tee {log}"


rule extract_features:
    input:
        unpack(lambda w: job("extract_features", w).inputs),
    output:
        f"{R}/features/{{paper}}/{{dataset}}/{{encoder}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/features/{{paper}}/{{dataset}}/{{encoder}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 10 * attempt,
    params:
        options=words("extract_features"),
        code=code("extract_features"),
    shell:
        "python scripts/extract_features.py {params.options} --output {output} 2>&1 | tee {log}"
