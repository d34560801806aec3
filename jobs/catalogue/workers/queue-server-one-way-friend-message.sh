#!/bin/sh
# Notifies members that someone has added them as a friend.
# Event: {"from":17,"to":4711}
. "$(dirname "$0")/shared.sh"

may_fail "a mailbox server does not answer"
while read -r event; do
  from=$(field from)
  to=$(field to)
  [ "$from" != "$to" ] || refuse "from and to are the same"
  work 0.02
  echo "notified $to of $from"
done
