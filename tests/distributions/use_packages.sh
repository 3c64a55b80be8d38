#!/bin/sh
# A part of tests/distributions/check.sh: in a new root directory of a Debian release, the packages for apt in a folder are
# installed, used and removed; nothing of them stays.
#
#   tests/distributions/use_packages.sh bookworm|trixie PACKAGES QUICK_START
#
# PACKAGES: what cmake/make_packages.sh built there; QUICK_START: build/quick_start of examples/quick_start.sh. It needs
# root, debootstrap, unshare and a network, and 2 GB in build/distributions/NAME.users, which is replaced.
set -eu
[ $# -eq 3 ] || { echo "usage: tests/distributions/use_packages.sh bookworm|trixie PACKAGES QUICK_START" >&2; exit 2; }
if [ -z "${CPPGEN_CHECK_IS_PRIVATE:-}" ]; then
  export CPPGEN_CHECK_IS_PRIVATE=yes
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
name=$1 packages=$(realpath "$2") quick_start=$(realpath "$3")
cd "$(dirname "$0")/../.."
. tests/distributions/roots.sh
root=$PWD/build/distributions/$name.users
make_system "$name" "$root"
mkdir "$root/work"
cp "$packages"/*.deb "$root/work"
cp -r "$quick_start"/package "$quick_start"/residual_network.* examples/compile "$root/work"
cat > "$root/work/use.sh" << 'END'
set -eux
install="apt-get -q install -y --no-install-recommends"
$install ./libcppgen-runtime*.deb
! command -v g++
cppgen-run package
$install ./cppgen_*.deb ./libcppgen-onednn_*.deb ./libcppgen-dev_*.deb cmake make pkg-config
cppgen compile residual_network.onnx -o compiled
cppgen-run compiled
cat $(dpkg -L cppgen | grep 'man1/cppgen.1') | grep -q CPPGEN_THREADS
cmake -S compile -B build
cmake --build build
build/compile_model residual_network.onnx by_library
dpkg -L cppgen | grep doc/cppgen/copyright
apt-get -q purge -y "libcppgen*" cppgen
rm -rf /root/.cache/cppgen
left=$(find / -xdev \( -path /work -o -path /proc -o -path /sys -o -path /var/log \) -prune -o -name "*cppgen*" -print)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
END
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  sh -c 'cd /work && exec sh use.sh' < /dev/null > "$root.use.log" 2>&1 ||
  { tail -n 40 "$root.use.log" >&2; exit 1; }
echo "the packages were installed, used and removed; the root directory is $root"
