#!/bin/sh
# A long check, which continuous integration does not run: in a new root directory of a release of Debian or Ubuntu, the
# wheel of tests/python/wheel.sh is installed, used and removed, first without a compiler, then with clang of the package
# ziglang.
# The time from the start of the installation to the end of the first inference is printed, without downloads.
#
#   tests/distributions/use_wheel.sh bookworm|trixie|jammy|noble WHEEL QUICK_START
#
# QUICK_START: build/quick_start of examples/quick_start.sh. It needs root, debootstrap, unshare, python3-venv and a
# network, and 1 GB in build/distributions/NAME.wheel, which is replaced.
set -eu
usage="usage: tests/distributions/use_wheel.sh bookworm|trixie|jammy|noble WHEEL QUICK_START"
[ $# -eq 3 ] || { echo "$usage" >&2; exit 2; }
case $1 in
  bookworm) version=3.11 python=python3 ;;
  trixie) version=3.13 python=python3 ;;
  jammy) version=3.11 python=python3.11 ;;
  noble) version=3.12 python=python3 ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
. "$(dirname "$0")/roots.sh"
make_private "$0" "$@"
name=$1 wheel=$(realpath "$2") quick_start=$(realpath "$3")
cd "$(dirname "$0")/../.."
root=$PWD/build/distributions/$name.wheel
make_system "$name" "$root"
mkdir "$root/work" "$root/work/wheels"
cp "$wheel" "$root/work/wheels"
cp -r "$quick_start"/package "$quick_start"/residual_network.* "$root/work"

# What the wheel needs of PyPI, for the release's Python.
python3 -m venv "$root.pip"
"$root.pip/bin/pip" download -q --only-binary :all: --python-version $version --platform manylinux_2_28_x86_64 \
  --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_12_x86_64 \
  -d "$root/work/wheels" numpy "ziglang>=0.12"
rm -rf "$root.pip"

cat > "$root/work/use.sh" << 'END'
set -eux
apt-get -q update
apt-get -q install -y --no-install-recommends "$1-venv"
"$1" -m venv environment
find / -xdev \( -path /work/environment/lib -o -path /proc -o -path /sys -o -path /tmp \) -prune -o -type f -print | sort > before
pip="environment/bin/pip --disable-pip-version-check"
install="$pip install -q --no-index --find-links wheels"
timed() {  # timed WHAT COMMAND
  begin=$(date +%s%N)
  sh -eux -c "$2"
  echo "$1: $((($(date +%s%N) - begin) / 1000000)) ms" >> times
}
cat > run.py << 'PYTHON'
import sys
import cppgen
import numpy as np
session = cppgen.Session(sys.argv[1])
y = session(np.ones(session.inputs[0].shape, np.float32))
assert np.isfinite(y).all()
PYTHON
refused() {  # refused COMMAND: its message is in the file `without`
  if sh -eu -c "$1" 2> without; then exit 1; fi
}
refused "command -v g++"
refused "command -v clang++"
timed "from the wheel to the first inference of a package" "$install cppgen; environment/bin/python run.py package"
refused "environment/bin/python run.py residual_network.onnx"
grep -q "apt-get install g++" without
grep -q "pip install 'cppgen\[compiler\]'" without
timed "the same with the extra [compiler], to the first inference of a model" \
  "$install 'cppgen[compiler]'; environment/bin/python run.py residual_network.onnx"
timed "another process" "environment/bin/python run.py residual_network.onnx"
refused "environment/bin/cppgen bench residual_network.onnx --against onednn"
grep -q "comparisons with oneDNN need the plugin" without
environment/bin/cppgen compile residual_network.onnx -o compiled --set MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN
environment/bin/python run.py compiled
$pip uninstall -q -y cppgen ziglang numpy
rm -rf /root/.cache/cppgen /root/.cache/zig compiled
find / -xdev \( -path /work/environment/lib -o -path /proc -o -path /sys -o -path /tmp \) -prune -o -type f -print | sort > after
diff before after | grep -vE '^[0-9]|/work/(before|after|times|run.py|without)$' && exit 1
left=$(find environment -name "*cppgen*" -print)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
END
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  sh -c "cd /work && exec sh use.sh $python" < /dev/null > "$root.use.log" 2>&1 ||
  { tail -n 40 "$root.use.log" >&2; exit 1; }
cat "$root/work/times"
echo "the wheel was installed, used and removed; the root directory is $root"
