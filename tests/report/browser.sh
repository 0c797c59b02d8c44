#!/usr/bin/env bash
# Chromium and its driver for the tests of the report's page, installed if they are missing (root, Debian
# or Ubuntu).
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "There is no Chromium with its driver here, and it cannot be installed: its tests are skipped." >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get update && apt-get install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core; } \
  >/dev/null 2>&1 || echo "Chromium could not be installed: its tests are skipped." >&2
