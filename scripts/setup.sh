#!/bin/sh
# Install the pinned packages into .venv: by uv where it can be had, else by pip. `make setup` calls this.
#
#   setup.sh PYTHON TORCH SUMO [INSTALLER]
#
# PYTHON: of 3.11 or later.  TORCH: cpu or gpu.  SUMO: yes or no.  INSTALLER: pip to do without uv.
# What the installers print is kept in .venv/setup.log. Where one fails, its last error is said in a line.
python=$1 torch=$2 sumo=$3 installer=${4:-uv}
uv="uv==0.13.8" # where none is installed already
cpu_builds=https://download.pytorch.org/whl/cpu
log=.venv/setup.log

fail() {
  echo "error: $1" >&2
  exit 2
}

# Its words are kept, and its errors are no news until nothing else is left to try.
quietly() {
  echo "+ $*" >> $log
  "$@" >> $log 2>&1
}

by_pip() { quietly .venv/bin/python -m pip install --progress-bar off "$@"; }
# As pip does, it compiles what it installs: the first start of each program need not.
by_uv() { quietly "$uv_command" pip install --python .venv --compile-bytecode "$@"; }

# The index that pip is told to use is uv's as well.
find_uv() {
  uv_command=$(command -v uv) || { by_pip --retries 1 --no-deps "$uv" && uv_command=.venv/bin/uv; } || return 1
  index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>> $log)}
  [ -z "$index" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
}

# Packages that need no CUDA, if the index of PyTorch can be reached; else those of the package index.
small_torch() {
  [ "$torch" = cpu ] || return 0
  pin=$(grep ^torch== requirements.txt)
  if [ "$installer" = uv ]; then
    UV_HTTP_RETRIES=0 by_uv --no-deps --default-index $cpu_builds "$pin"
  else
    by_pip --retries 0 --timeout 30 --no-deps --index-url $cpu_builds "$pin"
  fi || echo "The CPU build of torch cannot be downloaded now, so the build with CUDA is installed: 7 GB in place of 3. It works without a GPU."
}

packages() {
  if [ "$installer" = uv ]; then by_uv "$@"; else by_pip "$@"; fi
}

everything() {
  small_torch
  packages -r requirements.txt && packages --no-deps -e .
}

# The line of an installer that says what was wrong.
reason() {
  grep -iE '^ *(error|x|×|cause)[: ]|no solution|^ERROR' $log | tail -n 1 | sed -E 's/^ *(ERROR|error|x|×): *//'
}

command -v "$python" > /dev/null || fail "there is no $python; name another: make setup PYTHON=python3.11"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$python is older than Python 3.11; name another: make setup PYTHON=python3.11"
"$python" -m venv .venv > /dev/null ||
  fail "$python cannot make an environment (on Debian and Ubuntu: apt-get install python3-venv)"
: > $log
[ "$installer" = pip ] || find_uv || installer=pip
echo "Installing packages into .venv with $installer (once; 1 to 3 minutes) ..."
if ! everything; then
  [ "$installer" = uv ] || fail "packages could not be installed: $(reason) ($log)"
  installer=pip
  echo "uv could not install them; trying pip ..."
  everything || fail "packages could not be installed: $(reason) ($log)"
fi
[ "$sumo" = no ] || packages -r requirements-sumo.txt ||
  fail "SUMO could not be installed; all but vehicles (table06, iclr_table04, sumo_...) works without it: make setup SUMO=no ($log)"
