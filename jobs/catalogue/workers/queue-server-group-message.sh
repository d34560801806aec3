#!/bin/sh
# Delivers a group's message to the mailbox of each member.
# Event: {"group":7,"message":81}
. "$(dirname "$0")/shared.sh"

may_fail "a mailbox server does not answer"
while read -r event; do
  group=$(field group)
  [ -n "$group" ] || refuse "no group"
  work 0.05
  echo "message $(field message) delivered to group $group"
done
