# make setup | tables | figures | show | explain | plan | benchmark | campaign | federation | options | reference | compare | crate | docs | docs-site | benchmarks | test | long-tests | check | wheel | coverage | lint | unlock
# (see README.md and docs/howto/run.md)

PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
# cpu: the small CPU build of torch; gpu: the build of the package index, with CUDA on Linux.
TORCH ?= $(if $(shell command -v nvidia-smi),gpu,cpu)
# How much is run, planned or compared.
SCALE ?= quick
# Where none is named, a run takes that of config/config.yaml.
SCALED := $(if $(filter-out file,$(origin SCALE)),--config scale=$(SCALE))
TARGETS ?= all
# yes, or no: without the traffic simulator SUMO (250 MB), which only the dataset sumo-ev needs.
SUMO ?= yes
# uv installs the same packages in a fraction of the time; pip does without it.
INSTALLER ?= uv

# 1: a run prints all that its steps and Snakemake say. Else it prints how far it is, and a summary.
VERBOSE ?=
export FEDREACT_VERBOSE := $(VERBOSE)
# The command that the summary names to go on with a run.
ASKED = FEDREACT_COMMAND='make $@ $(MAKEOVERRIDES)'

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# A process for each core; the tests of a file stay together, since they share what they build.
# They go in the order of tests/conftest.py, which begins with what takes longest.
PARALLEL := -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder --durations=20

# What `make options` lists: a kind of run, encoder, a partitioner, a dataset, ...; all, if empty.
OF ?=

.PHONY: setup tables figures show explain plan benchmark campaign federation options reference compare crate docs docs-site benchmarks test long-tests check wheel coverage lint format pins unlock

setup: .venv/.installed

.venv/.installed: requirements.txt requirements-sumo.txt pyproject.toml
	@sh scripts/setup.sh $(PYTHON) $(TORCH) $(SUMO) $(INSTALLER)
	@touch $@

# Tables, claims and the report, which has the figures, too; a summary says what came of it.
tables: setup
	@$(ASKED) snakemake --cores $(CORES) all $(SCALED)

figures: setup
	@$(ASKED) snakemake --cores $(CORES) all_figures $(SCALED)

# TABLE=table05 prints a table of SCALE. CELL="table05/10 clients/w/ A2", or SETTING=stationary10 with METHOD=ifca
# and PAPER=fed_react, prints the whole configuration of a run: each option, and the line that it is written on.
# Without any: what is built.
show: setup
	@python -m fedreact show $(TABLE) $(if $(CELL),--cell "$(CELL)") $(if $(SETTING),--setting "$(SETTING)") \
	  $(if $(METHOD),--method "$(METHOD)") $(if $(PAPER),--paper "$(PAPER)") $(if $(filter 1,$(VERBOSE)),--whole) \
	  --scale $(SCALE)

# Where the number in a built cell came from: seeds, files, code, commit, machine, times.
explain: setup
	@python -m fedreact explain "$(CELL)" --scale $(SCALE)

# What a run will cost, and what it has taken.
plan: setup
	@python -m fedreact plan $(TARGETS) --scale $(SCALE) --cores $(CORES)

# For MINUTES: the missing runs of PAPER at SCALE (paper, if none is named), each kept once it has ended. Another
# evening goes on from there. PROFILE=profiles/slurm runs them on a cluster, CORES jobs at once.
MINUTES ?= 150
campaign: setup
	@test -n "$(PAPER)" || { echo "error: name a paper, e.g. make campaign PAPER=fedst" >&2; exit 2; }
	@python scripts/campaign.py --paper $(PAPER) --minutes $(MINUTES) --cores $(CORES) \
	  --scale $(if $(filter file,$(origin SCALE)),paper,$(SCALE)) $(if $(PROFILE),--profile $(PROFILE))

# All regimes of the benchmark on one page. METHOD=own/kinds/<kind>/algorithms/<name>.py or DATA=data/own/<name>.npz
# adds a method or a dataset of your own; KEPT=yes takes the benchmark's own tables from reference/.
benchmark: setup
	@$(ASKED) python -m fedreact bench --cores $(CORES) $(if $(filter-out file,$(origin SCALE)),--scale $(SCALE)) \
	  $(if $(METHOD),--method $(METHOD)) $(if $(DATA),--data $(DATA)) $(if $(KEPT),--kept)

# Ten processes that Flower connects, each with the file of one client, beside the simulation of the same plan.
federation: .venv/.federation
	@python apps/flower/demo.py

.venv/.federation: requirements-federation.txt .venv/.installed
	python -m pip install -q -r requirements-federation.txt -c requirements.txt
	@touch $@

# After a run was killed: its lock stays behind. Not while another run is going on.
unlock: setup
	snakemake --unlock

# The options of what can be configured, with their defaults and what they mean.
options: setup
	@python -m fedreact options $(OF)

# Keep the run of SCALE in reference/, and write the pages anew that take their numbers from it.
reference: setup
	@python scripts/keep_reference.py results/$(SCALE)
	@python scripts/make_docs.py docs/templates

# Where the run of SCALE differs from the one that is kept: cells beyond their intervals, claims.
compare: setup
	@python scripts/compare.py results/$(SCALE)

# The run of SCALE as an RO-Crate, in crates/: a zip file that archives and registries of workflows read.
crate: setup
	@python scripts/export_crate.py results/$(SCALE) --output crates/$(SCALE).zip

# Write README.md and pages of docs/ from docs/templates/ and reference/.
docs: setup
	@python scripts/make_docs.py docs/templates

# README, docs/ and the API as pages for a browser, in site/; what builds them is installed here.
docs-site: .venv/.docs
	@python scripts/make_site.py site

.venv/.docs: requirements-docs.txt .venv/.installed
	python -m pip install -q -r requirements-docs.txt -c requirements.txt
	@touch $@

# What docs/speed.md shows, but for what scales cost (benchmarks/costs.py, in a fresh clone) and for the minutes that
# the README names (benchmarks/main_job.py). Nothing else should run meanwhile. BENCHMARKS: some of them. FLOWER, FLSIM: the Python of an environment with
# flwr[simulation] or flsim, and this package, for comparisons with these. RIVALS=yes: beside Flower, pfl and FLSim,
# in environments that it makes below .rivals/ (5 GB, hours).
BENCHMARKS ?= products phase1 local_fits round affect landmarks engine stacked fedst clock asynchronous split
benchmarks: setup
	@mkdir -p reference/speed
	@for name in $(BENCHMARKS); do \
	  echo "python benchmarks/$$name.py" && \
	  python benchmarks/machine.py > reference/speed/$$name.part && \
	  python benchmarks/$$name.py >> reference/speed/$$name.part && \
	  mv reference/speed/$$name.part reference/speed/$$name.txt || exit 1; done
ifdef FLOWER
	python benchmarks/machine.py > reference/speed/flower.part
	python benchmarks/engine.py --architecture causal-cnn lstm --clients 100 --steps 1 \
	  --flower-python $(FLOWER) >> reference/speed/flower.part
	@mv reference/speed/flower.part reference/speed/flower.txt
endif
ifdef FLSIM
	python benchmarks/machine.py > reference/speed/asynchronous.part
	python benchmarks/asynchronous.py --flsim-python $(FLSIM) >> reference/speed/asynchronous.part
	@mv reference/speed/asynchronous.part reference/speed/asynchronous.txt
endif
ifeq ($(RIVALS),yes)
	@mkdir -p reference/speed/figures
	python benchmarks/machine.py > reference/speed/frameworks.part
	python benchmarks/frameworks.py >> reference/speed/frameworks.part
	@mv reference/speed/frameworks.part reference/speed/frameworks.txt
	python benchmarks/frameworks.py $(MANY_CLIENTS) > reference/speed/many_clients.part
	@mv reference/speed/many_clients.part reference/speed/many_clients.txt
	python benchmarks/frameworks.py --csv reference/speed/frameworks.csv --figure reference/speed/figures/frameworks.png
endif

# One run of each for each number of clients.
MANY_CLIENTS = --case har --frameworks ours pfl flower loop --clients 100 1000 10000 --rounds 1 --epochs 1 --turns 0 \
  --csv reference/speed/frameworks.csv

# Minutes: everything but campaigns, with a table from raw data on at the smallest scale.
test: setup
	python -m pytest -m "not campaign" $(PARALLEL)

# Everything but what `make long-tests` alone has: kills at random moments, full disks, SLURM, DVC, campaigns.
# Sphinx and Flower are installed for it; as root on Debian or Ubuntu also what LaTeX and Chromium are needed for.
check: setup lint .venv/.docs .venv/.federation
	tests/end_to_end/latex.sh
	tests/report/browser.sh
	tests/federation/systemd.sh
	FEDREACT_TEST_BUILT=$${FEDREACT_TEST_BUILT:-$$(mktemp -d)} && export FEDREACT_TEST_BUILT && \
	  python -m pytest -m "not campaign" $(PARALLEL) && \
	  python -m pytest -m "campaign and not rare" $(PARALLEL)

SLURM = FEDREACT_TEST_SLURM=$${FEDREACT_TEST_SLURM:-$$([ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo yes)}

# The long tests alone; as root on Debian or Ubuntu, SLURM is installed for them.
long-tests: .venv/.docs .venv/.federation
	tests/end_to_end/latex.sh
	tests/report/browser.sh
	tests/federation/systemd.sh
	$(SLURM) python -m pytest -m campaign $(PARALLEL)

# The wheel and the source distribution, and a notebook that runs with the wheel alone.
wheel: setup
	python -m pytest tests/end_to_end/test_wheel.py

# The share of lines that make test runs, as a table and as pages in coverage/html/. Processes that tests start are
# not counted. It is shown, and nothing is held to it.
coverage: setup
	python -m pytest -m "not campaign" $(PARALLEL) --cov --cov-report=term --cov-report=html:coverage/html

lint: setup
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	snakefmt --check Snakefile workflow
	snakemake --lint
	yamllint --strict .
	git ls-files -z | xargs -0 codespell

format: setup
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

# Write environment.yml from requirements.txt and requirements-sumo.txt.
pins:
	@{ echo "# The pins of requirements*.txt for conda users: written by make pins."; \
	   echo "name: fedreact"; echo "channels: [conda-forge, nodefaults]"; echo "dependencies:"; \
	   echo "  - python=3.11"; echo "  - pip"; echo "  - pip:"; \
	   grep -hv '^#' requirements.txt requirements-sumo.txt | sed 's/^/      - /'; } > environment.yml
