"""Jobs as Snakemake prints them, and what earlier runs of their like took."""

from fedreact.estimates.estimates import ToDo, parse
from fedreact.estimates.records import Seen

PRINTED = """
[Sat Nov 21 14:27:17 2026]
rule train_encoder:
    input: results/smoke/data/d.npz, results/smoke/partitions/p/d/clients10-beta1.5/seed0.npz
    output: results/smoke/encoders/p/d/clients10-beta1.5/seed0.npz
    log: results/smoke/logs/encoders/p/d/clients10-beta1.5/seed0.log
    jobid: 3
    wildcards: paper=p, dataset=d, encoder=clients10-beta1.5+encoder.rounds=10, seed=0
    threads: 2
    resources: mem_mb=2000, mem_mib=1908, tmpdir=/tmp
Shell command: python scripts/train_encoder.py --data d --seed 0 --rounds 10 --steps 500 \
--device auto --workers 2 --checkpoint c --output o 2>&1 | tee l

[Sat Nov 21 14:27:17 2026]
localrule table05:
    input: results/smoke/tables/table05.csv, results/smoke/tables/table05.md
    jobid: 0
    resources: tmpdir=/tmp
Shell command: None
"""
(ENCODER,) = parse(PRINTED)

RUN = ToDo(
    "run",
    ("results/smoke/data/d.npz",),
    ("results/smoke/runs/clustered/p/d/s10/all/seed0.csv",),
    "python scripts/run.py clustered --setting s10 --seed 0",
    {"kind": "clustered", "paper": "p", "dataset": "d", "setting": "s10", "job": "all"},
)
TABLE = ToDo("make_table", (), ("results/smoke/tables/t.csv",), "python scripts/make_table.py")


def seen(job=ENCODER, output="results/quick/encoders/p/d/clients10-beta0.1/seed0.npz", **changes):
    """What an earlier job took, of another scale and partition than :data:`ENCODER`."""
    values = {"cpu_seconds": 1004.0, "seconds": 600.0, "memory_mb": 900, "megabytes": 0.6}
    values |= {"gflops": 500.0, "gpu": False}
    return Seen(output, job.command, **(values | changes))
