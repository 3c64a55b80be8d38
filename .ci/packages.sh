# Sourced by the scripts that prepare a machine: install_packages FILE KIND... installs those Debian packages of the list
# that are missing, as root or through sudo: lines with a package alone, and those that end in one of these kinds ("test",
# "ci"). It asks nothing. Without missing packages it needs no rights and no network.

install_packages() {
  list=$1
  shift
  missing=
  for package in $(awk -v kinds=" $* " '!/^#/ && (NF == 1 || index(kinds, " " $2 " ")) { print $1 }' "$list"); do
    # Also true of packages that are only provided by another one.
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
  done
  if [ -z "$missing" ]; then
    echo "packages: all installed"
    return 0
  fi
  echo "packages: installing$missing"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "packages: neither root nor sudo; install as root: apt-get install$missing" >&2
      return 1
    fi
    as_root="sudo"
  fi
  # Another apt may be at work, as on a machine that has just started; mirrors fail now and then.
  apt_get="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
  # shellcheck disable=SC2086  # both are lists of words
  $apt_get update < /dev/null && $apt_get install -y --no-install-recommends $missing < /dev/null
}
