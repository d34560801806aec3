"""Polls one cycle of the machines of a file, together with all other agents that run at the same time.

Usage: agent.py NAME FILE, where NAME is unique among the agents
"""

import sys

import millrace

name, file = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    machines = lines.read().split()
with millrace.Client().member("machines", name) as agent:
    for batch in agent.cycle(machines, interval="1m", most=100):
        for machine in batch:
            print(f"{name} polls {machine}", flush=True)
