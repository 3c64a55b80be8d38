#!/bin/sh
# Prints a manual page for a program, which shows the program's help as it is.
#
#   cmake/program_page.sh PROGRAM VERSION
set -eu
name=$(basename "$1" | sed 's/-/\\-/g')
"$1" --help | awk -v name="$name" -v version="$2" '
  function escaped(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return line ~ /^[.\x27]/ ? "\\&" line : line
  }
  NR == 1 {
    sub(/\.$/, "")
    printf ".TH %s 1 \"\" \"cppgen %s\"\n.SH NAME\n%s \\- %s\n", toupper(name), version, name,
      escaped(tolower(substr($0, 1, 1)) substr($0, 2))
    print ".SH DESCRIPTION\n.nf"
    next
  }
  { print escaped($0) }
  END { print ".fi\n.SH SEE ALSO\n.BR cppgen (1)" }'
