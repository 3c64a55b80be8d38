#!/bin/sh
# A part of tests/distributions/check.sh: in a new root directory of a Debian release, the packages for apt in a folder are
# installed, used and removed; nothing of them stays. The time from the start of the installation, without downloads, to
# the end of the first inference is printed, for machines that run compiled models and for such that compile; it may be
# 60 s.
#
#   tests/distributions/use_packages.sh bookworm|trixie PACKAGES QUICK_START
#
# PACKAGES: what cmake/make_packages.sh built there; QUICK_START: build/quick_start of examples/quick_start.sh. It needs
# root, debootstrap, unshare and a network, and 2 GB in build/distributions/NAME.users, which is replaced.
set -eu
[ $# -eq 3 ] || { echo "usage: tests/distributions/use_packages.sh bookworm|trixie PACKAGES QUICK_START" >&2; exit 2; }
. "$(dirname "$0")/roots.sh"
make_private "$0" "$@"
name=$1 packages=$(realpath "$2") quick_start=$(realpath "$3")
cd "$(dirname "$0")/../.."
root=$PWD/build/distributions/$name.users
make_system "$name" "$root"
mkdir "$root/work"
cp "$packages"/*.deb "$root/work"
cp -r "$quick_start"/package "$quick_start"/residual_network.* examples/compile "$root/work"
cat > "$root/work/use.sh" << 'END'
set -eux
install="apt-get -q install -y --no-install-recommends"
timed() {  # timed WHAT COMMAND
  begin=$(date +%s%N)
  sh -eux -c "$2"
  seconds=$((($(date +%s%N) - begin) / 1000000000))
  echo "$1 to the first inference: $seconds s" >> times
  [ $seconds -lt 60 ]
}

refused() {  # refused COMMAND: its message is in the file `without`
  if sh -eu -c "$1" 2> without; then exit 1; fi
}

$install --download-only ./libcppgen-runtime*.deb
timed "from the package of the runtime" "$install ./libcppgen-runtime*.deb; cppgen-run package"
refused "command -v g++"
$install --download-only ./cppgen_*.deb
timed "from the package of the compiler" "$install ./cppgen_*.deb; cppgen run residual_network.onnx"
refused "cppgen bench residual_network.onnx --against onednn"
grep -q "oneDNN is in the package libcppgen-onednn for apt" without
$install ./libcppgen-onednn_*.deb ./libcppgen-dev_*.deb cmake make pkg-config
cppgen bench residual_network.onnx --against onednn --runs 2
cppgen compile residual_network.onnx -o compiled --set MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN
cppgen-run compiled
zgrep -q CPPGEN_THREADS "$(dpkg -L cppgen | grep 'man1/cppgen.1.gz')"
zgrep -q PACKAGE "$(dpkg -L libcppgen-runtime0.2 | grep 'man1/cppgen-run.1.gz')"
cmake -S compile -B build
cmake --build build
build/compile_model residual_network.onnx by_library
for completion in bash-completion/completions/cppgen zsh/vendor-completions/_cppgen fish/vendor_completions.d/cppgen.fish; do
  dpkg -L cppgen | grep "$completion"
done
dpkg -L cppgen | grep doc/cppgen/copyright

$install ./python3-cppgen_*.deb
cat > use.py << 'PYTHON'
import importlib.metadata
import cppgen
import numpy as np
session = cppgen.Session("residual_network.onnx", settings={"CACHE_DIR": "/work/python_cache"})
x = np.random.default_rng(1).standard_normal(session.inputs[0].shape, np.float32)
results = session.run([x])
assert [y.shape for y in results.values()] == [output.shape for output in session.outputs]
assert all((results[name] == y).all() for name, y in cppgen.Session("package").run([x]).items())
assert importlib.metadata.version("cppgen") == cppgen.__version__
backends = importlib.metadata.entry_points(group="torch_dynamo_backends")
assert backends["cppgen"].value == "cppgen.torch:backend"
PYTHON
python3 use.py
python3 -m cppgen run residual_network.onnx
apt-get -q purge -y "libcppgen*" cppgen python3-cppgen
rm -rf /root/.cache/cppgen
left=$(find / -xdev \( -path /work -o -path /proc -o -path /sys -o -path /var/log \) -prune -o -name "*cppgen*" -print)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
END
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  sh -c 'cd /work && exec sh use.sh' < /dev/null > "$root.use.log" 2>&1 ||
  { tail -n 40 "$root.use.log" >&2; exit 1; }
cat "$root/work/times"
echo "the packages were installed, used and removed; the root directory is $root"
