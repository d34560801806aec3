#!/bin/sh
# Deletes members with all their data; one per worker, because it takes long.
# Event: {"member":13}
. "$(dirname "$0")/shared.sh"

may_fail "a database does not answer"
while read -r event; do
  member=$(field member)
  [ -n "$member" ] || refuse "no member"
  for what in photos messages friends profile; do
    work 0.1
    echo "member $member: $what deleted"
  done
done
