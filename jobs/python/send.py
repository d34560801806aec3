"""Sends the lines of standard input to the queue 'orders', once even if it is run again.

Usage: send.py NAME < orders.ndjson, where NAME stands for the contents of the file
"""

import json
import sys

import millrace

events = [json.loads(line) for line in sys.stdin if line.strip()]
sent = millrace.Client().queue("orders").send(*events, batch=sys.argv[1])
print(f"{sent.accepted} events, {'stored before' if sent.repeated else 'stored'} as {sent.batch}")
