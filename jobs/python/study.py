"""Counts the primes below 5,000 by a workflow: parts that are listed one by one, and what waits for them.

    python3 jobs/python/study.py [RUN_KEY]
"""

import sys

import millrace

COUNT = """
import sys
first = int(sys.argv[1]) * 500
print(sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(max(2, first), first + 500)))
"""

workflow = millrace.Workflow("primes", max_running=4)
count = workflow.template("count", ["python3", "-c", COUNT, "{part}"], retry=2)
report = workflow.template("report", ["echo", "{size} parts are counted: {first} to {last}"])
for size, parts in {"small": range(0, 4), "large": range(4, 10)}.items():
    counted = [workflow.step(count, f"count-{part}", {"part": part}) for part in parts]
    workflow.step(report, size, {"size": size, "first": parts[0], "last": parts[-1]}, needs=counted)
workflow.template("end", ["echo", "all is counted"], needs=[report])

workflows = millrace.Client().workflows
try:
    run = workflows.run(workflow, sys.argv[1] if len(sys.argv) > 1 else None)
except millrace.MillraceError as e:
    sys.exit(str(e))
print(run)
for group in workflows.errors(run.id):
    print(f"{group.count} steps failed ({group.cause}), such as step {group.items[0]}: {group.sample.text}")
if run.succeeded:
    print(workflows.output(run.id, "small") + workflows.output(run.id, "large"), end="")
    steps = workflows.steps(run.id, template="count")
    print(sum(int(workflows.output(run.id, step.step)) for step in steps), "primes")
sys.exit(0 if run.succeeded else 1)
