"""The client of a cluster."""

from __future__ import annotations

import os
import threading
from typing import List, Mapping, Optional, Sequence, Union

from millrace import target
from millrace.connection import Clock, Connection
from millrace.errors import Unreachable
from millrace.format import Span
from millrace.job import Jobs
from millrace.partition import Member
from millrace.queue import Queue
from millrace.target import PathLike
from millrace.workflows import Workflows

_BRIEFLY = 5.0


class Client:
    """A cluster, found as the ``millrace`` command finds it. Thread-safe.

    Without arguments these are the servers and the token of the environment (``MILLRACE_URL``,
    ``MILLRACE_TOKEN_FILE``, ``MILLRACE_DATA``) or of this user's last ``millrace up``.
    ``servers`` are central managers, as a list or separated by commas. ``data`` is the data
    directory of a running ``up``. ``balancers`` are load balancers, to which events are sent; the
    central managers name them if they are not given. ``deadline`` is in seconds: how long a call is repeated while
    servers are unreachable, answer 502, 503 or 504, or limit its rate. The constructor reads
    files and calls nothing; it raises Unreachable if no server is configured.
    """

    def __init__(
        self,
        servers: Union[None, str, Sequence[str]] = None,
        *,
        token: Optional[str] = None,
        token_file: Optional[PathLike] = None,
        data: Optional[PathLike] = None,
        balancers: Union[None, str, Sequence[str]] = None,
        deadline: float = 60.0,
        environment: Optional[Mapping[str, str]] = None,
        clock: Clock = Clock(),
    ) -> None:
        variables = os.environ if environment is None else environment
        found = target.find(variables, _addresses(servers), token, token_file, data)
        self._central = Connection(found.servers, found.token, deadline, clock=clock)
        self.jobs = Jobs(self._central)
        """The jobs of the cluster."""
        self.workflows = Workflows(self._central, self.jobs)
        """The workflows of the cluster."""
        self._named_balancers = _addresses(balancers)
        self._balancers: Optional[Connection] = None
        self._lock = threading.Lock()

    def queue(self, name: str) -> Queue:
        """Returns a queue by its name; calls nothing."""
        return Queue(name, self._central, self._connection_to_balancers)

    def member(self, group: str, name: str, ttl: Span = 10) -> Member:
        """Returns a member of a group that shares resources; it has not joined yet.

        Programs that find the same resources share a group. ``name`` must be unique in it. After
        a silence of ``ttl``, 3 s to 1 h, its share goes to the others.
        """
        return Member(self._central, group, name, ttl)

    def _connection_to_balancers(self) -> Connection:
        with self._lock:
            if self._balancers is None:
                if self._named_balancers:
                    self._balancers = self._central.to(self._named_balancers)
                else:
                    self._balancers = self._central.to(self._first_balancers(), lambda: self._list(_BRIEFLY))
            return self._balancers

    def _first_balancers(self) -> List[str]:
        clock = self._central.clock
        end = clock.now() + self._central.deadline
        while True:
            found = self._list(self._central.deadline)
            if found:
                return found
            if clock.now() >= end:
                raise Unreachable("no load balancer is running; start one with 'millrace load-balancer'")
            clock.sleep(1.0)

    def _list(self, deadline: float) -> List[str]:
        running = self._central.get("/v1/load-balancers", timeout=10.0, deadline=deadline)
        return [target.address(one["address"]) for one in running]


def _addresses(servers: Union[None, str, Sequence[str]]) -> List[str]:
    named = servers.split(",") if isinstance(servers, str) else list(servers or ())
    return [target.address(one) for one in named]
