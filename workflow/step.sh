# What the shell around every step does first (rules/common.smk).
set -euo pipefail
# The scripts find the package also where it is not installed (conda environments of the rules).
export PYTHONPATH=$1
# A killed step can say nothing, so the shell does.
stopped() { [ "$1" -le 128 ] || echo "error: stopped by signal $(($1 - 128)); run the same command again" >&2; }
trap 'stopped $?' EXIT
