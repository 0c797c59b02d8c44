#!/usr/bin/env bash
# LaTeX for the test that compiles all tables, installed if it is missing (root, Debian or Ubuntu).
if command -v pdflatex >/dev/null && kpsewhich booktabs.sty graphicx.sty >/dev/null; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "There is no LaTeX with booktabs here, and it cannot be installed: its test is skipped." >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install -y --no-install-recommends texlive-latex-recommended; } \
  >/dev/null 2>&1 || echo "LaTeX could not be installed: its test is skipped." >&2
