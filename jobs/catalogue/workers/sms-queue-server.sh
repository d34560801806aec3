#!/bin/sh
# Sends text messages through a gateway.
# Event: {"to":"+31612345678","text":"Your code is 4711"}
. "$(dirname "$0")/shared.sh"

may_fail "the gateway does not answer"
while read -r event; do
  to=$(field to)
  case $to in +[0-9]*) ;; *) refuse "no telephone number" ;; esac
  work 0.05
  echo "sent to $to"
done
