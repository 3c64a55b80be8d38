#!/bin/sh
# Which packages of a list .ci/packages.sh installs, with programs in place of dpkg-query, sudo and apt-get.
# Usage: packages.sh SOURCE_DIR. Prints what is wrong and fails if anything is.
set -eu
. "$1/.ci/packages.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf '%s\n' '# A comment' here missing 'here-too test' 'for-tests test' 'for-ci ci' > "$folder/list"
cat > "$folder/dpkg-query" <<'END'
#!/bin/sh
for package in "$@"; do :; done
case $package in here*) echo installed ;; *) exit 1 ;; esac
END
for program in sudo apt-get; do printf '#!/bin/sh\n' > "$folder/$program"; done
chmod +x "$folder"/*
PATH=$folder:$PATH

status=0
expect() {  # expect PACKAGES KIND...
  expected=$1
  shift
  got=$(install_packages "$folder/list" "$@" | sed -n 's/^packages: //p')
  [ "$got" = "$expected" ] || { echo "for '$*': '$got' instead of '$expected'"; status=1; }
}
expect "installing missing"
expect "installing missing for-tests" test
expect "installing missing for-tests for-ci" test ci
printf 'here\n' > "$folder/list"
expect "all installed" test

# The list of the project has no other kinds.
awk '!/^#/ && NF != 1 && !(NF == 2 && ($2 ~ /^(test|ci|package)$/)) { print "apt-packages.txt: " $0; bad = 1 }
     END { exit bad }' "$1/apt-packages.txt" || status=1
exit $status
