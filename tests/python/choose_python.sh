# For scripts that run tests with pytest: include it after setting `python`, an interpreter, and `tests`, what they test.
#
# PREFERRED_PYTHON, an interpreter, is used instead if it exists and has what tests need: that of tests/make_python.sh.
# skip ends the script with status 77, as something is missing that is not needed to build cppgen, or 1 with CI=true.
if [ -x "${PREFERRED_PYTHON:-}" ] && "$PREFERRED_PYTHON" -c "import numpy, onnx, pytest" 2> /dev/null; then
  python=$PREFERRED_PYTHON
fi

skip() {
  echo "$tests are not tested: $1"
  case ${CI:-} in
    true | 1 | yes) exit 1 ;;
    *) exit 77 ;;
  esac
}

for module in numpy onnx pytest; do
  "$python" -c "import $module" 2> /dev/null || skip "Python's module $module is missing (package python3-$module)"
done
