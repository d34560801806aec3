#!/bin/sh
# Compares orders with bookings every hour, shop by shop.
. "$(dirname "$0")/shared.sh"

may_fail "the shop does not answer"
work 0.3
echo "orders of $MILLRACE_CHUNK are consistent"
