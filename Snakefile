# What `snakemake` runs in this folder: workflow/Snakefile, which lies where Snakemake's workflow catalogue looks for it.


include: "workflow/Snakefile"
