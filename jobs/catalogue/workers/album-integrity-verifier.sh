#!/bin/sh
# Verifies the result after all parts are done; a failure fails the run.
. "$(dirname "$0")/shared.sh"

work 0.3
echo "nothing left to repair"
