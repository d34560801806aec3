"""Submits an array of jobs, waits for its end, and prints why elements failed."""

import sys

import millrace

client = millrace.Client()
script = 'test "$MILLRACE_ARRAY_INDEX" != 7 || { echo "7 is not allowed" >&2; exit 3; }'
spec = millrace.JobSpec(["sh", "-c", script], name="check", array="1-20%5", tags=["example"])
array = client.jobs.wait(client.jobs.submit(spec).id)
if array.progress:
    print(f"{array.progress.succeeded} of {array.progress.size} elements succeeded")
for element in client.jobs.list(f"array:{array.id} state:failed"):
    said = client.jobs.output(element.id, stream="stderr").strip()
    print(f"element {element.index} exited with code {element.exit_code}: {said}")
sys.exit(0 if array.succeeded else 1)
