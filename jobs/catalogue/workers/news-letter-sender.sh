#!/bin/sh
# Sends a newsletter: a large backlog at once, which may take a while.
# Event: {"edition":5,"email":"ann@example.org"}
. "$(dirname "$0")/shared.sh"

may_fail "the mail server does not answer"
while read -r event; do
  email=$(field email)
  case $email in *@*) ;; *) refuse "no mail address" ;; esac
  work 0.01
  echo "edition $(field edition) sent to $email"
done
