#!/bin/sh
# Books orders; an order must not be lost, so it is retried often.
# Event: {"order":1001,"cents":1995}
. "$(dirname "$0")/shared.sh"

may_fail "the shop does not answer"
while read -r event; do
  order=$(field order)
  [ -n "$order" ] || refuse "no order number"
  work 0.05
  echo "booked order $order of $(field cents) cents"
done
