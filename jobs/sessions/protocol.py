"""Checks that each event of a job comes once, and after all events that it names in ``previousEventIds``.

Reads the lines of one session and answers each; mistakes are written to the standard error output.
"""

import json
import sys
from typing import Any, Dict, List

EVERY = 50


def named(data: Dict[str, Any]) -> List[str]:
    """The events before this one; the field is a list, one id, or absent."""
    previous = data.get("previousEventIds") or []
    return [previous] if isinstance(previous, str) else previous


def mistakes(data: Dict[str, Any], seen: List[str]) -> List[str]:
    """What is wrong with an event after those that were seen."""
    found = [f"names {one}, which has not come" for one in named(data) if one not in seen]
    if data["eventId"] in seen:
        found.append("has come before")
    if seen and not named(data):
        found.append("names no event before it, and is not the first")
    return found


def main() -> None:
    session = json.loads(sys.stdin.readline())["session"]
    seen: List[str] = (session.get("snapshot") or {"seen": []})["seen"]
    for line in sys.stdin:
        event = json.loads(line)
        data = event["data"]
        for mistake in mistakes(data, seen):
            where = f"job {session['key']}: event {data['eventId']} ({data['eventType']})"
            print(where, mistake, file=sys.stderr, flush=True)
        if data["eventId"] not in seen:
            seen.append(data["eventId"])
        if event["n"] % EVERY == 0:
            answer = {"n": event["n"], "snapshot": {"seen": seen}}
        else:
            answer = {"n": event["n"], "ok": True}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
