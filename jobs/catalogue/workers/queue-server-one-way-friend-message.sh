#!/bin/sh
# Tells somebody that another one calls him a friend.
# Event: {"from":17,"to":4711}
. "$(dirname "$0")/shared.sh"

may_fail "a mailbox server does not answer"
while read -r event; do
  from=$(field from)
  to=$(field to)
  [ "$from" != "$to" ] || refuse "nobody is his own friend"
  work 0.02
  echo "told $to of $from"
done
