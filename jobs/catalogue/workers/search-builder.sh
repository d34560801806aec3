#!/bin/sh
# Builds the search index anew; never twice at a time.
. "$(dirname "$0")/shared.sh"

may_fail "the index is locked"
work 1
echo "search index built"
