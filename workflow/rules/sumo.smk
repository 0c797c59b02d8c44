# Electric vehicles: towns -> traces -> windows.


localrules:
    prepare_sumo,


# One simulation a process, so each town is a job.
rule simulate_region:
    output:
        f"{R}/sumo/{{region}}.npz",
    log:
        f"{R}/logs/sumo/{{region}}.log",
    wildcard_constraints:
        region="|".join(REGIONS),
    conda:
        "../../environment.yml"
    params:
        share=PLAN.how_much["sumo"]["share"],
        code=code_digest("scripts/simulate_sumo.py"),
    shell:
        "python scripts/simulate_sumo.py --region {wildcards.region} --share {params.share}"
        " --output {output} 2>&1 | tee {log}"


rule prepare_sumo:
    input:
        [f"{R}/sumo/{region}.npz" for region in REGIONS],
    output:
        f"{R}/data/sumo-ev.npz",
    log:
        f"{R}/logs/data/sumo-ev.log",
    conda:
        "../../environment.yml"
    params:
        code=code_digest("scripts/prepare_sumo.py"),
    shell:
        "python scripts/prepare_sumo.py --regions {input} --output {output} 2>&1 | tee {log}"
