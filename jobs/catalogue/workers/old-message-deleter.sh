#!/bin/sh
# Deletes old messages every hour until none is left.
. "$(dirname "$0")/shared.sh"

may_fail "the database does not answer"
if every 5; then
  echo "no old message is left"
  exit 75
fi
work 0.3
echo "1000 old messages deleted"
