#!/bin/sh
# Puts a message of a group into the mailbox of each of its members.
# Event: {"group":7,"message":81}
. "$(dirname "$0")/shared.sh"

may_fail "a mailbox server does not answer"
while read -r event; do
  group=$(field group)
  [ -n "$group" ] || refuse "no group"
  work 0.05
  echo "message $(field message) delivered to group $group"
done
