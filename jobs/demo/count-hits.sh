#!/bin/sh
# Counts the hits of one batch per symbol and minute.
#
# stdin    one event per line: {"id":"alert-000123",...,"data":{"symbol":"AAPL","minute":"..."}}
# result   $RESULTS/$MILLRACE_QUEUE/$MILLRACE_ATTEMPT.tsv, complete or absent:
#          hit <TAB> symbol <TAB> minute <TAB> count, and id <TAB> event id
# exit     0 done; 1 something could not be read or written; there is no result then
#
# An attempt that is restarted overwrites its own result with the same content.
set -u
: "${RESULTS:?set it to the folder for results}"
: "${MILLRACE_QUEUE:?}" "${MILLRACE_ATTEMPT:?}"

folder=$RESULTS/$MILLRACE_QUEUE
result=$folder/$MILLRACE_ATTEMPT.tsv
unfinished=$folder/.$MILLRACE_ATTEMPT.$$.tmp
[ -d "$folder" ] || mkdir -p "$folder" || exit 1

if ! awk -v out="$unfinished" '
function text(name,    found) {
  if (!match($0, "\"" name "\" *: *\"[^\"\\\\]+\"")) {
    print "line " NR " has no " name ": " substr($0, 1, 200) > "/dev/stderr"
    failed = 1
    exit
  }
  found = substr($0, RSTART, RLENGTH - 1)
  sub(/^"[a-z]+" *: *"/, "", found)
  return found
}
!/^\{.*\} *\r?$/ {
  print "line " NR " is not an event: " substr($0, 1, 200) > "/dev/stderr"
  failed = 1
  exit
}
{
  ids[NR] = text("id")
  hits[text("symbol") "\t" text("minute")]++
}
function write(line) {
  print line > out
  written += length(line)
}
END {
  if (failed) exit 1
  if (NR == 0) exit 0
  for (hit in hits) write("hit\t" hit "\t" hits[hit])
  for (i = 1; i <= NR; i++) write("id\t" ids[i])
  close(out)
  # Not every awk detects a full disk.
  while ((getline line < out) > 0) written -= length(line)
  if (written != 0) {
    print "cannot write " out > "/dev/stderr"
    exit 1
  }
}'; then
  [ ! -e "$unfinished" ] || rm -f "$unfinished"
  exit 1
fi

[ -e "$unfinished" ] || exit 0
exec mv -f "$unfinished" "$result"
