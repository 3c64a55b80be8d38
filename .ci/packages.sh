# Sourced by the scripts that prepare a machine: install_packages FILE installs those Debian packages of the list that
# are missing, as root or through sudo; lines that end in "ci" only where CI=true. It asks nothing. Without missing
# packages it needs no rights and no network.

install_packages() {
  missing=
  for package in $(awk -v ci="${CI:-}" '!/^#/ && (NF == 1 || ci == "true") { print $1 }' "$1"); do
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
