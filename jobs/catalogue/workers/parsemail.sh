#!/bin/sh
# Reads incoming mail, almost continuously, with three workers.
. "$(dirname "$0")/shared.sh"

may_fail "the mailbox is locked"
if every 4; then
  echo "no mail"
  exit 75
fi
work 0.3
echo "$((job % 5 + 1)) mails parsed"
