"""Programs whose objects are the sessions of a queue."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional

from millrace.client import Client
from millrace.session import SessionWorker


class SessionProgram:
    """A class of session objects with its queue, made by ``session_worker``; calls make objects."""

    def __init__(self, kind: Callable[[str, Any], Any], queue: str, options: Mapping[str, Any]) -> None:
        self.kind = kind
        self.queue = queue
        self._options = options

    def __call__(self, key: str, snapshot: Any = None) -> Any:
        return self.kind(key, snapshot)

    def worker(self, client: Optional[Client] = None) -> SessionWorker:
        """Returns a worker that has not started.

        Without a client, it is that of the job whose variables this process has, or of ``Client()``.
        """
        if client is None and "MILLRACE_QUEUE" in os.environ and "MILLRACE_TOKEN" in os.environ:
            return SessionWorker.of_job(self.kind, **self._options)
        return (client or Client()).queue(self.queue).sessions(self.kind, **self._options)

    def run(self, client: Optional[Client] = None) -> None:
        """Works until it is asked to leave, or gets SIGTERM or Ctrl-C."""
        self.worker(client).run()


def session_worker(queue: str, **options: Any) -> Callable[[Callable[[str, Any], Any]], SessionProgram]:
    """Decorates a class whose objects are the sessions of a queue; ``options`` are those of SessionWorker."""
    return lambda kind: SessionProgram(kind, queue, options)
