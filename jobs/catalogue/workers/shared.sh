#!/bin/sh
# Functions shared by the sample workers, which source this file; running it does nothing.
#
# FAIL_EVERY   one job in this many fails; 0 or unset for never
# set -u detects variables that Millrace should have set.
set -u
job=${MILLRACE_ATTEMPT%%.*}

# field NAME: the string or number of that name in $event, the line of one event
field() {
  printf '%s\n' "$event" | sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# every N: whether this job is one in every N
every() {
  [ "$1" -gt 0 ] && [ $((job % $1)) -eq 0 ]
}

# may_fail MESSAGE: fails now and then, before anything of the batch is done
may_fail() {
  if every "${FAIL_EVERY:-0}"; then
    echo "$1" >&2
    exit 1
  fi
}

# refuse MESSAGE: this event can never be processed, so it becomes a dead letter
refuse() {
  echo "$1: $event" >&2
  exit 1
}

# work SECONDS: simulates the work
work() {
  sleep "$1"
}
