# Raw files -> dataset -> who holds what.


localrules:
    prepare_data,


# Local, since compute nodes often reach no network.
rule prepare_data:
    input:
        lambda w: PLAN.data.part_files(w.dataset),
    output:
        f"{R}/data/{{dataset}}.npz",
    log:
        f"{R}/logs/data/{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        options=lambda w, input: words(PLAN.data.dataset_words(w.dataset, input)),
        pinned=lambda w: PLAN.sources.pinned(w.dataset),
        raw=lambda w: PLAN.sources.raw_digest(w.dataset),
        code=lambda w: PLAN.data.source_code("scripts/prepare_data.py", w.dataset),
    shell:
        "python scripts/prepare_data.py {params.options} --output {output} 2>&1 | tee {log}"


# One simulation a process, so each town of simulated vehicles is a job.
rule prepare_part:
    output:
        f"{R}/parts/{{dataset}}/{{part}}.npz",
    log:
        f"{R}/logs/parts/{{dataset}}/{{part}}.log",
    conda:
        "../../environment.yml"
    params:
        options=lambda w: words(PLAN.data.part_words(w.dataset, w.part)),
        code=lambda w: PLAN.data.source_code("scripts/prepare_part.py", w.dataset),
    shell:
        "python scripts/prepare_part.py {params.options} --output {output} 2>&1 | tee {log}"


# Seeds of searches deal what no table is tested on.
rule make_partition:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        apart=lambda w: PLAN.data.apart_from(
            w.paper, w.dataset, w.partition, int(w.seed)
        ),
    output:
        f"{R}/partitions/{{paper}}/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/partitions/{{paper}}/{{dataset}}/{{partition}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 2 * attempt,
    params:
        options=lambda w: words(PLAN.data.partition_words(w.paper, w.partition)),
        code=lambda w: PLAN.data.partition_code(w.paper, w.partition),
    shell:
        "python scripts/make_partition.py {params.options} --data {input.data} --seed {wildcards.seed}"
        " --apart-from {input.apart} --output {output} 2>&1 | tee {log}"
