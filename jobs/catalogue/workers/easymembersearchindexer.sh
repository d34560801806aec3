#!/bin/sh
# Indexes members for search, by the first letter of their names.
. "$(dirname "$0")/shared.sh"

may_fail "the index is locked"
work 0.3
echo "members of '$MILLRACE_CHUNK' indexed"
