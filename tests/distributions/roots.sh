# Sourced by the checks that use root directories of releases of Debian and Ubuntu.

# make_private SCRIPT ARGUMENT...: starts the script again, with mounts and processes that end with it, unless it was
# started so.
make_private() {
  [ -z "${CPPGEN_CHECK_IS_PRIVATE:-}" ] || return 0
  [ "$(id -u)" -eq 0 ] || { echo "$1 must run as root" >&2; exit 2; }
  export CPPGEN_CHECK_IS_PRIVATE=yes
  exec unshare --mount --propagation private --pid --fork --kill-child "$@"
}

# make_system RELEASE ROOT: a new root directory, which has nothing but the base system, with its mounts, which end with
# the mount namespace of the caller. It is a mount itself, so that programs inside may mount.
make_system() {
  rm -rf "$2"
  mkdir -p "$2"
  case $1 in
    jammy | noble)  # 22.04 and 24.04
      mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
      debootstrap --variant=minbase --components=main,universe "$1" "$2" "$mirror" /usr/share/debootstrap/scripts/gutsy &&
        echo "deb $mirror $1-updates main universe" >> "$2/etc/apt/sources.list" ;;
    *) debootstrap --variant=minbase "$1" "$2" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} ;;
  esac > "$2.log" 2>&1 || { tail "$2.log" >&2; return 1; }
  mount --bind "$2" "$2"
  mount -t proc proc "$2/proc"
  mount --rbind /dev "$2/dev"
  mount --rbind /sys "$2/sys"
}
