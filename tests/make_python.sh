#!/bin/sh
# Makes the virtual environment build/python, which has Debian's Python packages and those of tests/python-packages.txt.
# Where they cannot be installed, tests that need them are skipped; with CI=true that is an error.
set -eu
cd "$(dirname "$0")/.."
list=tests/python-packages.txt
folder=build/python
if cmp -s "$list" "$folder/installed.txt"; then
  echo "Python packages: all installed"
  exit 0
fi
if /usr/bin/python3 -m venv --system-site-packages --clear "$folder" &&
  "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check -r "$list" < /dev/null; then
  cp "$list" "$folder/installed.txt"
  echo "Python packages: installed in $folder"
  exit 0
fi
echo "Python packages of $list cannot be installed: tests that need them are skipped" >&2
case ${CI:-} in true | 1 | yes) exit 1 ;; esac
