#!/bin/sh
# Builds the packages for apt and an archive of everything, for the distribution that it runs on, in build/package:
#
#   cmake/make_packages.sh
#
# It installs what it needs, as root or through sudo. JOBS: the number of concurrent compilations; default: the number of
# CPUs.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh
install_packages apt-packages.txt package
cmake --preset package
cmake --build --preset package -j "${JOBS:-$(nproc)}"
cd build/package
rm -f ./*.deb ./*.tar.gz
cpack --config CPackConfig.cmake
cpack --config CPackConfig.cmake -G TGZ
ls -l ./*.deb ./*.tar.gz
