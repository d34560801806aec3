#!/bin/sh
# What the sample workers have in common; sourced by them, and does nothing when it is run.
#
# FAIL_EVERY   every so many jobs one fails, as things do; 0 or unset for never
# set -u catches a variable that Millrace should have set and did not.
set -u
job=${MILLRACE_ATTEMPT%%.*}

# field NAME: the text or number of that name in $event, one event's line
field() {
  printf '%s\n' "$event" | sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# every N: whether this job is one of every so many
every() {
  [ "$1" -gt 0 ] && [ $((job % $1)) -eq 0 ]
}

# may_fail WORDS: what goes wrong now and then; nothing of the batch is done then
may_fail() {
  if every "${FAIL_EVERY:-0}"; then
    echo "$1" >&2
    exit 1
  fi
}

# refuse WORDS: this event can never be done, so it ends among the dead letters
refuse() {
  echo "$1: $event" >&2
  exit 1
}

# work SECONDS: stands for the work itself
work() {
  sleep "$1"
}
