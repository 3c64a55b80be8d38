#!/bin/sh
# Prints, as a list for the linker's option --dynamic-list, the functions of cppgen that the objects of a static library
# call and do not define: what a program exports for its plugin that is made of these objects.
#
#   cmake/called_names.sh NM LIBRARY
set -eu
echo "{"
"$1" --format=posix "$2" | awk '
  $2 == "U" && /^_ZN?[A-Z]*6cppgen/ { called[$1] = 1 }
  $2 != "U" { defined[$1] = 1 }
  END { for (name in called) if (!(name in defined)) print name ";" }' | sort
echo "};"
