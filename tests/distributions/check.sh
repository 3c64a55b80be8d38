#!/bin/sh
# A long check, which continuous integration does not run: in a new root directory of a Debian release, which has nothing
# but the base system, both commands of the README, then kernels by every known compiler that the release has, and then the
# packages for apt, which are installed, used and removed in another root directory.
#
#   tests/distributions/check.sh bookworm|trixie
#
# It needs root, debootstrap, unshare and a network, 8 GB in build/distributions/NAME, which is replaced, and hours of
# one CPU. The root stays afterwards, to look at. Mounts are private to the check, so they end with it, however it ends.
#
# Environment:
#   DEBIAN_MIRROR  default: that of debootstrap
#   JOBS           concurrent compilations and tests; default: the number of CPUs
set -eu

case ${1:-} in
  bookworm | trixie) name=$1 ;;
  *) echo "usage: tests/distributions/check.sh bookworm|trixie" >&2; exit 2 ;;
esac
. "$(dirname "$0")/roots.sh"
make_private "$0" "$@"
trap 'exit 130' INT TERM  # the first process of its process namespace ends for no signal otherwise
cd "$(dirname "$0")/../.."
root=$PWD/build/distributions/$name

stage() { printf '\n== %s: %s\n' "$name" "$1"; }

# A new root directory with the files of the project: what git tracks, or everything that a source archive holds.
make_root() {
  make_system "$name" "$root"
  mkdir -p "$root/src/cppgen"
  if [ -n "$(git ls-files -- CMakeLists.txt 2> /dev/null)" ]; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -type f ! -path './build/*' -print0
  fi | tar -c --null -T - | tar -x -C "$root/src/cppgen" --no-same-owner
}

inside() {  # inside COMMAND
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin JOBS="${JOBS:-$(nproc)}" \
    sh -euc "cd /src/cppgen; $1" < /dev/null
}

# Installs those of the compilers of tests/cli/compilers_test.cpp that the release has.
install_compilers() {
  wanted=$(grep -oE '/usr/bin/(g|clang)\+\+-[0-9]+' tests/cli/compilers_test.cpp | sed 's|.*/||; s/clang++/clang/' | tr '\n' ' ')
  found=$(inside "apt-cache policy $wanted" |
    awk '/^[^ ]/ { name = substr($1, 1, length($1) - 1) } /Candidate: [0-9]/ { printf " %s", name }')
  echo "compilers:$found"
  inside "DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $found > /dev/null"
}

stage "a new root directory"
make_root
stage "examples/quick_start.sh"
inside ./examples/quick_start.sh
stage "tests/run.sh"
inside ./tests/run.sh
stage "kernels by all compilers"
install_compilers
inside "build/release/bin/test_cli --gtest_filter='Compilers.*'"
stage "packages for apt"
inside cmake/make_packages.sh
tests/distributions/use_packages.sh "$name" "$root/src/cppgen/build/package" "$root/src/cppgen/build/quick_start"
stage "passed; the root directory is $root"
