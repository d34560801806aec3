#!/bin/sh
# Imports the servers' status reports, almost continuously; one run at a time.
. "$(dirname "$0")/shared.sh"

may_fail "a report cannot be read"
if every 3; then
  echo "no new report"
  exit 75
fi
work 0.3
echo "$((job % 9 + 1)) reports imported"
