#!/bin/sh
# A long check, which continuous integration does not run: cppgen for 64-bit Arm, by Debian's cross compiler, with qemu to
# run its tests. It has the scalar instruction set there.
#
#   tests/architectures/aarch64.sh [TESTS]
#
# TESTS: a regular expression; default: the tests of vectors, tiles, the loop IR and the runtime. Kernels are compiled by
# the cross compiler, and run by qemu as the program does. squeezenet1_1 is verified if build/models has it.
#
# It needs root (for debootstrap), debootstrap, g++-aarch64-linux-gnu, qemu-user and a network. Debian's packages for arm64
# are unpacked into build/aarch64.root, which stays, and the build is build/aarch64.
#
# Environment:
#   DEBIAN_MIRROR  default: that of debootstrap
#   JOBS           concurrent compilations and tests; default: the number of CPUs
set -eu
cd "$(dirname "$0")/../.."
jobs=${JOBS:-$(nproc)}
sysroot=$PWD/build/aarch64.root
for program in debootstrap aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$program" > /dev/null || { echo "$program is missing: apt-get install debootstrap g++-aarch64-linux-gnu qemu-user" >&2; exit 2; }
done

# Packages are unpacked, not installed, because nothing of arm64 could run their scripts. libxsmm exists for x86-64 alone.
make_sysroot() {
  [ ! -f "$sysroot/complete" ] || return 0
  [ "$(id -u)" -eq 0 ] || { echo "debootstrap must run as root" >&2; exit 2; }
  rm -rf "$sysroot"
  wanted=$(awk '!/^#/ && ($2 == "" || $2 == "test") && $1 ~ /^(lib|nlohmann).*(-dev|3-dev|[67])$/ && $1 != "libxsmm-dev" { printf ",%s", $1 }' apt-packages.txt)
  debootstrap --arch=arm64 --foreign --variant=minbase --include="libstdc++-12-dev,libc6-dev$wanted" bookworm \
    "$sysroot" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
  for package in "$sysroot"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  touch "$sysroot/complete"
}

# Programs that cppgen starts are of this machine: the cross compiler makes kernels.
in_qemu() {
  CPPGEN_CXX=aarch64-linux-gnu-g++ CPPGEN_CACHE_DIR=$PWD/build/aarch64/cache "$@"
}

make_sysroot
[ -f build/aarch64/build.ninja ] || cmake -S . -B build/aarch64 -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/architectures/aarch64.cmake" \
  -DCPPGEN_TESTS=ON -DCPPGEN_BENCH=OFF -DCPPGEN_INSTALL=OFF -DCPPGEN_XSMM=OFF
tests="isa tiles split_tiles math ir index_rules text runtime base threads"
programs=
for name in $tests; do programs="$programs test_$name"; done
# shellcheck disable=SC2086  # a list of words
cmake --build build/aarch64 -j "$jobs" --target $programs cppgen cppgen-run make_network
pattern=$(echo "$tests" | tr ' ' '|')
in_qemu ctest --test-dir build/aarch64 -R "^(${1:-$pattern})\$" -j "$jobs" --output-on-failure --no-tests=error

for name in squeezenet1_1; do
  if [ -f "build/models/$name.weights" ]; then
    in_qemu qemu-aarch64 -L "$sysroot" build/aarch64/bin/cppgen verify "build/models/$name.onnx" "build/models/$name"
  else
    echo "build/models has no $name: it is not verified"
  fi
done
