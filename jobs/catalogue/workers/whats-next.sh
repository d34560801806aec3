#!/bin/sh
# Works out what members may like next, almost perpetually; never twice at a time.
. "$(dirname "$0")/shared.sh"

may_fail "the model cannot be read"
if every 6; then
  echo "nothing new to recommend"
  exit 75
fi
work 0.5
echo "100 members know what is next"
