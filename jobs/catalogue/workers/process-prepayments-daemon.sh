#!/bin/sh
# Books payments announced by a bank.
# Event: {"payment":501,"cents":1000}
. "$(dirname "$0")/shared.sh"

may_fail "the bank does not answer"
while read -r event; do
  payment=$(field payment)
  [ -n "$payment" ] || refuse "no payment"
  work 0.05
  echo "booked payment $payment of $(field cents) cents"
done
