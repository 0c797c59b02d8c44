# Raw files -> dataset -> who holds what.


localrules:
    prepare_data,


# Local, since compute nodes often reach no network.
rule prepare_data:
    input:
        unpack(lambda w: job("prepare_data", w).inputs),
    output:
        f"{R}/data/{{dataset}}.npz",
    log:
        f"{R}/logs/data/{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        options=words("prepare_data"),
        raw=lambda w: job("prepare_data", w).params,
        code=code("prepare_data"),
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
        options=words("prepare_part"),
        code=code("prepare_part"),
    shell:
        "python scripts/prepare_part.py {params.options} --output {output} 2>&1 | tee {log}"


# Seeds of searches deal what no table is tested on.
rule make_partition:
    input:
        unpack(lambda w: job("make_partition", w).inputs),
    output:
        f"{R}/partitions/{{paper}}/{{dataset}}/{{partition}}/seed{{seed}}.npz",
    log:
        f"{R}/logs/partitions/{{paper}}/{{dataset}}/{{partition}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 2 * attempt,
    params:
        options=words("make_partition"),
        code=code("make_partition"),
    shell:
        "python scripts/make_partition.py {params.options} --output {output} 2>&1 | tee {log}"
