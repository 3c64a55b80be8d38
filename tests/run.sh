#!/bin/sh
# Installs missing packages, builds the release preset and runs its tests.
#
#   tests/run.sh [--sanitizers] [--slow]
#
#   --sanitizers  also builds and runs the tests that are most useful under AddressSanitizer and ThreadSanitizer; CI
#                 runs only those of untrusted input, memory, processes and threads
#   --slow        also runs the tests labelled slow (hours: all 2^32 floats through every math function)
#
# Environment:
#   CPPGEN_MODELS_SOURCE  folder with make_weights.py and real networks for tests; default ../shared/models, next to the
#                         repository. Without it these tests are skipped.
#   CI=true               some of --sanitizers; fuzzers on the importer and the formats of files; clang-tidy on recently
#                         changed files; more networks; a missing CPPGEN_MODELS_SOURCE is an error
#   CI_MINUTES            with CI=true, a stage after the tests is left out, with a message, if it would probably not end
#                         within so many minutes of the start; default: 40
#   JOBS                  concurrent compilations and tests; default: the number of CPUs
#   TEST_TURN             which samples of operators are compiled; default: the number of commits, so that each has others
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

case ${CI:-} in
  true | 1 | yes) ci=true ;;
  *) ci=false ;;
esac
sanitizers=none
[ "$ci" != true ] || sanitizers=some
slow=false
for argument in "$@"; do
  case $argument in
    --sanitizers) sanitizers=all ;;
    --slow) slow=true ;;
    *) echo "usage: tests/run.sh [--sanitizers] [--slow]" >&2; exit 2 ;;
  esac
done
jobs=${JOBS:-$(nproc)}
fuzz_seconds=60
formats_seconds=20  # archives, settings, results, arrays; and texts
models_source=${CPPGEN_MODELS_SOURCE:-../shared/models}
unset CPPGEN_MODELS_SOURCE  # it is of this script; cppgen would warn about it

start=$(date +%s)
elapsed() { echo $(($(date +%s) - start)); }
stage() { printf '\n== %s (after %d s)\n' "$1" "$(elapsed)"; }

# fits SECONDS NAME: whether a stage ends within CI_MINUTES that takes so many seconds where the build takes 500.
ci_seconds=$((${CI_MINUTES:-40} * 60))
fits() {
  expected=$(($1 * build_seconds / 500))
  [ "$ci" != true ] || [ $(($(elapsed) + expected)) -le "$ci_seconds" ] && return 0
  printf '\n== left out: %s, which takes about %d s on this machine (after %d s of %d)\n' \
    "$2" "$expected" "$(elapsed)" "$ci_seconds"
  return 1
}

# Small networks by default; CI adds one of each larger kind that still loads quickly; slow tests use all of them.
networks="squeezenet1_1 mobilenet_v2 shufflenet_v1 dlrm"
[ "$ci" = true ] || [ "$slow" = true ] && networks="$networks resnet50 inception_v1 bert_base"
[ "$slow" = true ] && networks="$networks alexnet densenet121_opset9 gpt2_small vit_b_16"

prepare_models() {
  models_dir=
  if [ ! -f "$models_source/make_weights.py" ]; then
    echo "$models_source/make_weights.py does not exist: tests on real networks are skipped"
    [ "$ci" != true ] || { echo "CI requires the networks (CPPGEN_MODELS_SOURCE)" >&2; return 1; }
    return 0
  fi
  models_dir=$PWD/build/models
  wanted=
  for name in $networks; do
    # shellcheck disable=SC3013  # -nt: Debian's shells have it
    if [ ! -f "$models_dir/$name.weights" ] || [ "$models_source/$name.onnx" -nt "$models_dir/$name.weights" ]; then
      wanted="$wanted $name"
    fi
  done
  # shellcheck disable=SC2086  # a list of words
  [ -z "$wanted" ] || /usr/bin/python3 "$models_source/make_weights.py" --out "$models_dir" $wanted
  [ ! -d "$models_dir" ] || chmod -R u+w "$models_dir"  # copies of read-only files are to be replaced next time
  echo "networks in build/models: $networks"
}

# bounded SECONDS COMMAND...: a stage that exceeds its time limit fails.
bounded() {
  limit=$1
  shift
  status=0
  timeout --kill-after=30 "$limit" "$@" || status=$?
  [ "$status" -ne 124 ] || echo "stopped after $limit s: $*" >&2
  return "$status"
}

# Builds TARGETS with the preset and runs the tests whose names match the regular expression.
sanitize() {  # sanitize PRESET BUILD_LIMIT TEST_LIMIT TESTS TARGET...
  preset=$1 build_limit=$2 test_limit=$3 tests=$4
  shift 4
  stage "$preset: $*"
  cmake --preset "$preset" "-DCPPGEN_MODELS_DIR=$models_dir" > "build/$preset.log" || { cat "build/$preset.log"; return 1; }
  bounded "$build_limit" cmake --build --preset "$preset" -j "$jobs" --target "$@"
  bounded "$test_limit" ctest --preset "$preset" -R "^($tests)\$" -LE slow --no-tests=error
}

# libFuzzer with the sanitizers of clang; a finding fails and is kept in build/fuzz.
fuzz_formats() {
  bounded 600 cmake --build build/fuzz -j "$jobs" --target fuzz_formats make_formats_corpus
  mkdir -p build/fuzz/formats
  build/fuzz/bin/make_formats_corpus build/fuzz/formats
  bounded $((formats_seconds + 120)) build/fuzz/bin/fuzz_formats -max_total_time="$formats_seconds" -max_len=8192 \
    -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/ build/fuzz/formats
}

# The seeds are the texts among the cases of passes.
fuzz_text() {
  bounded 600 cmake --build build/fuzz -j "$jobs" --target fuzz_text
  mkdir -p build/fuzz/text
  for file in tests/passes/files/*.txt; do
    awk -v out="build/fuzz/text/$(basename "$file" .txt)" \
      '/^(graph|program)( |$)/ { n++; into = out "_" n } /^(## |RUN: |----|error: )/ { into = "" } into { print > into }' "$file"
  done
  bounded $((formats_seconds + 120)) build/fuzz/bin/fuzz_text -max_total_time="$formats_seconds" -max_len=8192 \
    -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/ build/fuzz/text
}

fuzz_importer() {
  CC=clang CXX=clang++ cmake -S . -B build/fuzz -G Ninja -DCPPGEN_FUZZ=ON > build/fuzz.log || { cat build/fuzz.log; return 1; }
  bounded 900 cmake --build build/fuzz -j "$jobs" --target fuzz_import make_import_corpus
  mkdir -p build/fuzz/corpus
  build/fuzz/bin/make_import_corpus build/fuzz/corpus
  bounded $((fuzz_seconds + 120)) build/fuzz/bin/fuzz_import -max_total_time="$fuzz_seconds" -max_len=65536 \
    -rss_limit_mb=4096 -timeout=30 -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/ build/fuzz/corpus
}

stage "packages"
kinds="test"
[ "$ci" != true ] || kinds="test ci"
# shellcheck disable=SC2086  # a list of words
install_packages apt-packages.txt $kinds
mkdir -p build
stage "Python packages"
tests/make_python.sh
stage "networks"
prepare_models
stage "build (preset release, $jobs jobs)"
cmake --preset release -DCPPGEN_TESTS=ON -DCPPGEN_BENCH=ON "-DCPPGEN_MODELS_DIR=$models_dir"
before_build=$(elapsed)
cmake --build --preset release -j "$jobs"
build_seconds=$(($(elapsed) - before_build))
stage "tests"
# Samples of operators take turns from commit to commit; outside of a clone, the turn is always the same.
TEST_TURN=${TEST_TURN:-$(git rev-list --count HEAD 2> /dev/null || echo 0)}
export TEST_TURN
echo "TEST_TURN=$TEST_TURN: the samples of test_differential and test_size_sweep"
results=$PWD/build/release/test_results
rm -rf "$results"
status=0
GTEST_OUTPUT="xml:$results/" ctest --preset release -j "$jobs" -LE slow || status=$?
/usr/bin/python3 tests/report.py "$results"
[ "$status" -eq 0 ] || exit "$status"
if [ -s build/release/guides_left_out.txt ]; then
  echo "left out, as their packages are large; tests/guides/check.sh runs them:"
  sed 's/^/  /' build/release/guides_left_out.txt
fi
echo "left out, as they take long or install much: tests/python/packages.sh, tests/python/onnx_suite.py,"
echo "  tests/onnxruntime/mixed.py, tests/torch/check.sh, tests/distributions/check.sh (docs/architecture.md, Tests)"
if [ "$slow" = true ]; then
  stage "slow tests"
  ctest --preset release -j "$jobs" -L slow
fi
# The sources that changed last, newest first: tests/tidy.sh without arguments checks all.
changed_sources() {
  git log --since='12 hours ago' --name-only --format= -- 'cppgen/*.cpp' 'isa/*.cpp' 'runtime/*.cpp' | awk '!seen[$0]++' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done | head -n 100
}

if [ "$sanitizers" != none ] && fits 450 "tests with AddressSanitizer"; then
  # Untrusted input, child processes, memory that kernels and sessions share; kernels are instrumented, too.
  asan="import import_untrusted runtime support compile kernel_sanitizer ops property"
  [ "$sanitizers" = some ] || asan="$asan codegen models modules baseline"
  # shellcheck disable=SC2046,SC2086  # lists of words
  sanitize asan 2000 1800 "$(echo $asan | tr ' ' '|')" $(printf 'test_%s ' $asan)
fi
if [ "$sanitizers" != none ] && fits 180 "tests with ThreadSanitizer"; then
  # Everything that threads share.
  sanitize tsan 700 300 'threads|runtime' test_threads test_runtime
fi
if [ "$ci" = true ] && fits 250 "fuzzing the importer"; then
  stage "fuzzing the importer for $fuzz_seconds s"
  fuzz_importer
  fuzz_formats
  fuzz_text
fi
tidied=$(changed_sources)
if [ "$ci" = true ] && [ -n "$tidied" ] && fits 300 "clang-tidy"; then
  stage "clang-tidy"
  # shellcheck disable=SC2086  # a list of files
  bounded 1500 tests/tidy.sh -j "$jobs" $tidied
fi
stage "passed: build/release/bin/cppgen"
