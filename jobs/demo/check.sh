#!/bin/sh
# Compares the workers' results with the replayed day, event by event; see README.md.
#
# usage: check.sh RESULTS_DIR [RATES_CSV] [--acknowledged FILE]
# exit:  0 correct (duplicates are allowed); 1 lost, unexpected, miscounted or unreadable; 2 usage
set -u

usage() {
  echo "usage: check.sh RESULTS_DIR [RATES_CSV] [--acknowledged FILE]" >&2
  exit 2
}

results= rates= acknowledged=
while [ $# -gt 0 ]; do
  case $1 in
    --acknowledged)
      [ $# -ge 2 ] || usage
      acknowledged=$2
      shift
      ;;
    -*) usage ;;
    *)
      if [ -z "$results" ]; then results=$1
      elif [ -z "$rates" ]; then rates=$1
      else usage
      fi
      ;;
  esac
  shift
done
[ -n "$results" ] || usage
[ -n "$rates" ] || rates=$(dirname "$0")/rates-2015-03-09.csv
[ -d "$results" ] || { echo "check.sh: no folder $results" >&2; exit 2; }
for file in "$rates" ${acknowledged:+"$acknowledged"}; do
  [ -r "$file" ] || { echo "check.sh: cannot read $file" >&2; exit 2; }
done

# Each result file is checked against its own IDs, so that errors in two files cannot cancel out.
find "$results" -type f -name '*.tsv' -print |
RATES=$rates ACKNOWLEDGED=$acknowledged awk '
BEGIN {
  FS = "\t"
  rates = ENVIRON["RATES"]
  acknowledged = ENVIRON["ACKNOWLEDGED"]
  derive()
  if (acknowledged != "") {
    expected = 0
    while ((getline line < acknowledged) > 0) {
      sub(/\r$/, "", line)
      if (line == "" || line in due) continue
      due[line] = 1
      expected++
      if (!(line in cell)) strange("acknowledged, but not of this day: " line)
    }
  }
}

# Every event of the day: cell[id] is its symbol and minute.
function derive(    line, columns, names, part, slot, queue, n, i, number, start, minute) {
  if ((getline line < rates) <= 0) fatal("empty: " rates)
  sub(/\r$/, "", line)
  columns = split(line, names, ",")
  while ((getline line < rates) > 0) {
    sub(/\r$/, "", line)
    if (split(line, slot, ",") != columns) fatal("not a slot of " rates ": " line)
    # A slot begins on a full five minutes, so its minutes stay within the hour.
    start = substr(slot[1], 1, length(slot[1]) - 2)
    minute = substr(slot[1], length(slot[1]) - 1) + 0
    for (queue = 2; queue <= columns; queue++) {
      split(names[queue], part, ":")
      n = slot[queue] + 0
      for (i = 0; i < n; i++) {
        number = sprintf("%s-%06d", part[1], ++last[queue])
        cell[number] = part[2] "\t" start sprintf("%02d", minute + int(i * 5 / n))
      }
      expected += n
    }
  }
}

function fatal(why) {
  print "check.sh: " why > "/dev/stderr"
  failed = 2
  exit 2
}

function strange(what) {
  unreadable++
  if (unreadable <= 10) print "check.sh: " what > "/dev/stderr"
}

{
  file = $0
  foreign = 0
  split("", surplus)
  while ((got = (getline line < file)) > 0) {
    fields = split(line, field, "\t")
    if (fields == 4 && field[1] == "hit") {
      surplus[field[2] "\t" field[3]] += field[4]
    } else if (fields == 2 && field[1] == "id") {
      id = field[2]
      if (!(id in cell)) {
        foreign++
        unexpected++
        if (unexpected <= 10) print "check.sh: unexpected " id " in " file > "/dev/stderr"
      } else {
        surplus[cell[id]]--
        if (times[id]++) duplicates++
        else processed++
      }
    } else {
      strange("unreadable in " file ": " line)
    }
  }
  close(file)
  if (got < 0) strange("cannot read " file)
  wrong = 0
  for (hit in surplus) wrong += surplus[hit] < 0 ? -surplus[hit] : surplus[hit]
  # The hits of unexpected events belong to no known minute and are reported as unexpected.
  if (wrong > foreign) miscounted += wrong - foreign
}

END {
  if (failed) exit failed
  if (acknowledged != "") {
    for (id in due) if (!(id in times)) lose(id)
  } else {
    for (id in cell) if (!(id in times)) lose(id)
  }
  printf "expected %d  processed %d  lost %d  duplicates %d  unexpected %d  miscounted %d\n",
    expected, processed, lost, duplicates, unexpected, miscounted
  exit lost + unexpected + miscounted + unreadable > 0 ? 1 : 0
}

function lose(id) {
  lost++
  if (lost <= 10) print "check.sh: lost " id > "/dev/stderr"
}
'
