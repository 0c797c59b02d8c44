# What the shell around every step does first (rules/common.smk).
set -euo pipefail
# The scripts find the package also where it is not installed (conda environments of the rules).
export PYTHONPATH=$1
# They end when the workflow that waits for them is gone (src/fedreact/parent.py).
export FEDREACT_STEP=1
# Only the log has what a step prints, unless all is to be printed (src/fedreact/workflow/console.py).
if [ -n "${FEDREACT_QUIET:-}" ]; then
  tee() { cat > "$1"; }
fi
# A killed step can say nothing, so the shell does. A step that failed ends its log by saying of which run
# it is (src/fedreact/workflow/failures.py); the log is the last word of the command.
stopped() {
  [ "$1" -ne 0 ] || return 0
  local log=${BASH_EXECUTION_STRING##*| tee } words
  [ -f "$log" ] || log=/dev/null
  if [ "$1" -gt 128 ]; then
    words="error: stopped by signal $(($1 - 128)); run the same command again"
    echo "$words" >> "$log"
    [ -n "${FEDREACT_QUIET:-}" ] || echo "$words" >&2
  fi
  echo "failed in run ${FEDREACT_RUN_ID:-}: status $1" >> "$log"
}
trap 'stopped $?' EXIT
# Where the workflow keeps a Python that has loaded what steps need, a fork of it runs the script.
if [ -n "${FEDREACT_FORKS:-}" ] && [ "$FEDREACT_FORKS" != no ]; then
  python() { command python -IS "${BASH_SOURCE[0]%/*}/fork.py" "$@"; }
fi
