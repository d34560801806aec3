#!/bin/sh
# Notifies search engines of new blog posts.
# Event: {"url":"https://example.org/ann/first"}
. "$(dirname "$0")/shared.sh"

may_fail "the search engine does not answer"
while read -r event; do
  url=$(field url)
  [ -n "$url" ] || refuse "no address"
  work 0.03
  echo "pinged for $url"
done
