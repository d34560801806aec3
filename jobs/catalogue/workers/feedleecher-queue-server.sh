#!/bin/sh
# Fetches feeds that members have linked; sites are slow, so small batches in many workers.
# Event: {"feed":"https://example.org/ann.rss"}
. "$(dirname "$0")/shared.sh"

may_fail "the site of a feed does not answer"
while read -r event; do
  feed=$(field feed)
  case $feed in http*) ;; *) refuse "no feed address" ;; esac
  work 0.2
  echo "fetched $feed"
done
