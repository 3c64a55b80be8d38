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
if [ -z "${CPPGEN_CHECK_IS_PRIVATE:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo "tests/distributions/check.sh must run as root" >&2; exit 2; }
  export CPPGEN_CHECK_IS_PRIVATE=yes
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
trap 'exit 130' INT TERM  # the first process of its process namespace ends for no signal otherwise
cd "$(dirname "$0")/../.."
root=$PWD/build/distributions/$name

stage() { printf '\n== %s: %s\n' "$name" "$1"; }

# As a system has it; the root directory itself is a mount, too, so that programs inside may mount.
mount_system() {
  mount --bind "$1" "$1"
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount --rbind /sys "$1/sys"
}

# A new root directory with the files of the project: what git tracks, or everything that a source archive holds.
make_root() {
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase "$name" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} > "$root.log" 2>&1 ||
    { tail "$root.log" >&2; return 1; }
  mount_system "$root"
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

# Another new root directory, where the packages in a folder are installed, used and removed: nothing of them stays.
users_root() {
  user=$root.users
  rm -rf "$user"
  mkdir -p "$user"
  debootstrap --variant=minbase "$name" "$user" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} > "$user.log" 2>&1
  mount_system "$user"
  mkdir "$user/packages"
  cp "$1"/*.deb "$user/packages"
  cp -r "$root/src/cppgen/build/quick_start/package" "$root/src/cppgen/build/quick_start/residual_network.onnx" \
    "$root/src/cppgen/examples/compile" "$user/packages"
  chroot "$user" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    sh -euc 'cd /packages
      install="apt-get -q install -y --no-install-recommends"
      $install ./libcppgen-runtime*.deb > install.log || { cat install.log; exit 1; }
      ! command -v g++
      cppgen-run package
      $install ./cppgen_*.deb ./libcppgen-onednn_*.deb ./libcppgen-dev_*.deb cmake make pkg-config >> install.log
      cppgen compile residual_network.onnx -o compiled
      cppgen-run compiled
      zcat -f /usr/share/man/man1/cppgen.1* | grep -q CPPGEN_THREADS
      cmake -S compile -B build > build.log && cmake --build build >> build.log
      build/compile_model residual_network.onnx by_library > build.log
      dpkg -L cppgen libcppgen-dev | grep -q doc/cppgen/copyright
      apt-get -q purge -y "libcppgen*" cppgen >> install.log
      rm -rf /root/.cache/cppgen
      left=$(find / -xdev -path /packages -prune -o -name "*cppgen*" -print | grep -v "^/proc\|^/var/log" || true)
      [ -z "$left" ] || { echo "left behind: $left"; exit 1; }' < /dev/null
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
users_root "$root/src/cppgen/build/package"
stage "passed; the root directory is $root"
