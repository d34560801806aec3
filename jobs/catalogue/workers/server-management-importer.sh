#!/bin/sh
# Imports what the servers report of themselves, almost perpetually; never twice at a time.
. "$(dirname "$0")/shared.sh"

may_fail "a report cannot be read"
if every 3; then
  echo "no new report"
  exit 75
fi
work 0.3
echo "$((job % 9 + 1)) reports imported"
