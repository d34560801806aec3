#!/bin/sh
# Signals between the site's servers: many, short and urgent; on several queue nodes.
# Event: {"signal":"online","member":17}
. "$(dirname "$0")/shared.sh"

may_fail "a server of the site does not answer"
while read -r event; do
  signal=$(field signal)
  [ -n "$signal" ] || refuse "no signal"
  work 0.01
  echo "signal $signal forwarded"
done
