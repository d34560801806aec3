"""The client of a cluster."""

from __future__ import annotations

import os
from typing import Mapping, Optional, Sequence, Union

from millrace import target
from millrace.connection import Clock, Connection
from millrace.job import Jobs
from millrace.target import PathLike


class Client:
    """A cluster, found as the ``millrace`` command finds it. Thread-safe.

    Without arguments these are the servers and the token of the environment (``MILLRACE_URL``,
    ``MILLRACE_TOKEN_FILE``, ``MILLRACE_DATA``) or of this user's last ``millrace up``.
    ``servers`` are central managers, as a list or separated by commas. ``data`` is the data
    directory of a running ``up``. ``deadline`` is in seconds: how long a call is repeated while
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
        deadline: float = 60.0,
        environment: Optional[Mapping[str, str]] = None,
        clock: Clock = Clock(),
    ) -> None:
        named = servers.split(",") if isinstance(servers, str) else list(servers or ())
        variables = os.environ if environment is None else environment
        urls = [target.address(one) for one in named]
        found = target.find(variables, urls, token, token_file, data)
        self._central = Connection(found.servers, found.token, deadline, clock=clock)
        self.jobs = Jobs(self._central)
        """The jobs of the cluster."""
