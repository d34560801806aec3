"""Threads that run the steps of one key one after the other."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Deque, Dict

Step = Callable[[], None]


class KeyedThreads:
    """Threads that run the steps of one key one after the other, those of different keys at once."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Condition()
        # The first step of a key is running or about to.
        self._steps: Dict[str, Deque[Step]] = {}

    def add(self, key: str, step: Step) -> None:
        """Adds a step, which must not raise; dropped after the end."""
        with self._lock:
            waiting = self._steps.get(key)
            if waiting is not None:
                waiting.append(step)
                return
            self._steps[key] = deque([step])
        self._next(key)

    def _next(self, key: str) -> None:
        try:
            self._pool.submit(self._run, key)
        except RuntimeError:  # it has ended
            with self._lock:
                self._steps.pop(key, None)
                self._lock.notify_all()

    def _run(self, key: str) -> None:
        with self._lock:
            step = self._steps[key][0]
        try:
            step()
        except BaseException as e:
            # A future would keep it to itself.
            threading.excepthook(threading.ExceptHookArgs((type(e), e, e.__traceback__, threading.current_thread())))
        finally:
            with self._lock:
                waiting = self._steps[key]
                waiting.popleft()
                if not waiting:
                    del self._steps[key]
                    self._lock.notify_all()
            if waiting:
                self._next(key)

    def end(self, seconds: float) -> None:
        """Waits at most that long until nothing is left to run, and drops the rest."""
        with self._lock:
            self._lock.wait_for(lambda: not self._steps, seconds)
        self._pool.shutdown(wait=False)
