#!/bin/sh
# Rebuilds the search index; one run at a time.
. "$(dirname "$0")/shared.sh"

may_fail "the index is locked"
work 1
echo "search index built"
