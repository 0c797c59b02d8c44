#!/usr/bin/env bash
# systemd-analyze for the test of the units of docs/howto/federation.md, installed if it is missing (root, Debian
# or Ubuntu). Nothing is started.
if command -v systemd-analyze >/dev/null; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "There is no systemd-analyze here, and it cannot be installed: its test is skipped." >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install -y --no-install-recommends systemd; } \
  >/dev/null 2>&1 || echo "systemd-analyze could not be installed: its test is skipped." >&2
