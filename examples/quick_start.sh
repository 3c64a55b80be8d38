#!/bin/sh
# From a fresh clone to a compiled network: installs missing packages, builds the release preset, compiles the bundled
# network, checks its result against the reference interpreter, and compares its time with oneDNN on the same graph.
#
#   examples/quick_start.sh
#
# It writes only to build/. JOBS: the number of concurrent compilations; default: the number of CPUs. A new build
# directory is configured without tests and benchmarks, which tests/run.sh adds; an existing one stays as it is.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

work=build/quick_start
model=$work/residual_network.onnx
cppgen=build/release/bin/cppgen
build_minutes=24  # of one CPU of a slow server
stage() { printf '\n== %s\n' "$1"; }
# The kernel cache of this example is next to its other files, so that the first run compiles and the user's cache is
# not changed.
CPPGEN_CACHE_DIR=$PWD/$work/cache
export CPPGEN_CACHE_DIR

jobs=${JOBS:-$(nproc)}
minutes=$(((build_minutes + jobs - 1) / jobs + 2))
echo "This takes about $minutes minutes with $jobs concurrent compilations, and at most half of that on a fast CPU; less if"
echo "much is installed or built already. On a bare Debian, packages of 120 MB are downloaded, which take 510 MB."

stage "1/6 Debian packages"
install_packages apt-packages.txt

stage "2/6 Build cppgen (preset release)"
without_tests="-DCPPGEN_TESTS=OFF -DCPPGEN_BENCH=OFF"
[ ! -f build/release/build.ninja ] || without_tests=
# shellcheck disable=SC2086  # a list of words
cmake --preset release $without_tests
cmake --build --preset release -j "$jobs" --target cppgen cppgen-run make_network

stage "3/6 Write the bundled network: a residual CNN for 224x224 images"
rm -rf "$work"
mkdir -p "$work/cache"
chmod 700 "$work/cache"
build/release/bin/make_network "$work"

stage "4/6 Compile it into a package: time of each stage"
"$cppgen" compile "$model" -o "$work/package"

stage "5/6 Check the compiled result against the reference interpreter"
"$cppgen" run "$model" --reference --seed 1 --output "$work/expected"
"$cppgen" verify "$work/package" "$work/expected"

stage "6/6 Time of one inference, compared with oneDNN on the same graph"
"$cppgen" bench "$model" --against onednn

cat <<END

Done. The program is $cppgen; try:
  $cppgen run $model
  $cppgen explain $model
  build/release/bin/cppgen-run $work/package      (needs no compiler)
END
