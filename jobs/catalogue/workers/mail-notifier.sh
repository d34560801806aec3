#!/bin/sh
# Sends members mail about news; the largest queue, on several queue nodes.
# Event: {"member":17,"news":"message"}
. "$(dirname "$0")/shared.sh"

may_fail "the mail server does not answer"
while read -r event; do
  member=$(field member)
  [ -n "$member" ] || refuse "no member"
  work 0.02
  echo "notified member $member of $(field news)"
done
