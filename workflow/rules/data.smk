# Raw files -> dataset -> who holds what.


localrules:
    prepare_data,


# Local, since compute nodes often reach no network.
rule prepare_data:
    output:
        f"{R}/data/{{dataset}}.npz",
    log:
        f"{R}/logs/data/{{dataset}}.log",
    wildcard_constraints:
        dataset="(?!sumo-ev)[a-z0-9-]+",
    conda:
        "../../environment.yml"
    params:
        options=lambda w: command_options(PLAN.data_options(w.dataset)),
        registered=lambda w: str(PLAN.registry.get(w.dataset)),
        raw=lambda w: PLAN.raw_digest(w.dataset),
        code=code_digest("scripts/prepare_data.py"),
    shell:
        "python scripts/prepare_data.py --dataset {wildcards.dataset} {params.options}"
        " --output {output} 2>&1 | tee {log}"


rule make_partition:
    input:
        f"{R}/data/{{dataset}}.npz",
    output:
        f"{R}/partitions/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/partitions/{{dataset}}/{{partition}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 2 * attempt,
    params:
        options=lambda w: command_options(PLAN.partition_options(w.partition)),
        code=code_digest("scripts/make_partition.py"),
    shell:
        "python scripts/make_partition.py --data {input} --seed {wildcards.seed}"
        " {params.options} --output {output} 2>&1 | tee {log}"
