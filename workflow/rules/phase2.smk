# Phase 2: rounds of local fits, clustering and aggregation, all methods side by side.


rule run_phase2:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        features=lambda w: PLAN.features(w.dataset, w.setting, w.seed),
        partition=lambda w: PLAN.partition(w.dataset, w.setting, w.seed),
    output:
        f"{R}/rounds/{{dataset}}/{{setting}}/seed{{seed}}.csv",
    log:
        f"{R}/logs/rounds/{{dataset}}/{{setting}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 5 * attempt,
    params:
        options=lambda w: command_options(PLAN.phase2_options(w.setting)),
        code=lambda w: code_digest(
            "scripts/run_phase2.py", *PLAN.own_methods(w.setting)
        ),
    shell:
        "python scripts/run_phase2.py --data {input.data} --features {input.features}"
        " --partition {input.partition} --seed {wildcards.seed} {params.options}"
        " --output {output} 2>&1 | tee {log}"


# How many clusters there are, by the elbow and the silhouette of the task models.
rule estimate_clusters:
    input:
        data=f"{R}/data/{{dataset}}.npz",
        features=lambda w: PLAN.features(w.dataset, w.setting, w.seed),
        partition=lambda w: PLAN.partition(w.dataset, w.setting, w.seed),
    output:
        f"{R}/n_clusters/{{dataset}}/{{setting}}/seed{{seed}}.csv",
    log:
        f"{R}/logs/n_clusters/{{dataset}}/{{setting}}/seed{{seed}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda w, attempt: 5 * attempt,
    params:
        options=lambda w: command_options(PLAN.n_clusters_options(w.setting)),
        code=code_digest("scripts/estimate_clusters.py"),
    shell:
        "python scripts/estimate_clusters.py --data {input.data} --features {input.features}"
        " --partition {input.partition} --seed {wildcards.seed} {params.options}"
        " --output {output} 2>&1 | tee {log}"
