#!/bin/sh
# Computes recommendations for members, almost continuously; one run at a time.
. "$(dirname "$0")/shared.sh"

may_fail "the model cannot be read"
if every 6; then
  echo "nothing new to recommend"
  exit 75
fi
work 0.5
echo "recommendations computed for 100 members"
