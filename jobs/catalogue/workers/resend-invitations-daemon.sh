#!/bin/sh
# Resends unanswered invitations; not urgent.
# Event: {"invitation":31,"email":"ann@example.org"}
. "$(dirname "$0")/shared.sh"

may_fail "the mail server does not answer"
while read -r event; do
  email=$(field email)
  case $email in *@*) ;; *) refuse "no mail address" ;; esac
  work 0.03
  echo "invitation $(field invitation) sent again to $email"
done
