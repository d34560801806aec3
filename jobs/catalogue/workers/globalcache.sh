#!/bin/sh
# Keeps the global cache warm, almost continuously, with two workers.
. "$(dirname "$0")/shared.sh"

may_fail "the cache does not answer"
if every 3; then
  echo "nothing to warm"
  exit 75
fi
work 0.3
echo "100 entries warmed"
