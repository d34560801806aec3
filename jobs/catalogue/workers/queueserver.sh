#!/bin/sh
# General work deferred by web pages: an action and a member.
# Event: {"action":"resize-photo","member":17}
. "$(dirname "$0")/shared.sh"

may_fail "a server of the site does not answer"
while read -r event; do
  member=$(field member)
  [ -n "$member" ] || refuse "no member"
  work 0.02
  echo "done: $(field action) for member $member"
done
