#!/bin/sh
# Processes every member once a day, until none is left.
. "$(dirname "$0")/shared.sh"

may_fail "the database does not answer"
if every 10; then
  echo "no member is left"
  exit 75
fi
work 0.3
echo "done for 100 members"
