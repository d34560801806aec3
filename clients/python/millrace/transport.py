"""One HTTP exchange with one server; nothing is repeated here."""

from __future__ import annotations

import http.client
import socket
import time
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, Iterator, Mapping, Optional, Tuple
from urllib.parse import urlsplit

CONNECT_SECONDS = 5.0
_CHUNK = 64 * 1024


@dataclass(frozen=True)
class Call:
    """A request.

    ``path`` is encoded and includes the query. ``timeout`` is in seconds, until the complete
    answer has arrived, of a stream its headers. ``quiet`` is the longest time between two parts of
    a stream, in seconds. ``repeatable`` says whether sending
    it twice has the effect of sending it once. ``deadline`` is in seconds over all repetitions;
    0 for none, None for that of the connection. ``max_answer`` is in bytes.
    """

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 30.0
    repeatable: bool = True
    deadline: Optional[float] = None
    quiet: float = 30.0
    max_answer: int = 64 << 20

    def within(self, timeout: float) -> Call:
        """Returns the same call with a timeout of at most so many seconds."""
        return replace(self, timeout=min(self.timeout, timeout))


@dataclass(frozen=True)
class Answer:
    """A complete answer; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class NothingSent(Exception):
    """No connection was made: the server has seen nothing of the request."""


class AnswerLost(Exception):
    """The request was sent at least in part, and no complete answer arrived.

    ``silent`` is true if the server kept the connection and did not answer in time.
    """

    def __init__(self, message: str, silent: bool) -> None:
        super().__init__(message)
        self.silent = silent


class AnswerTooLarge(Exception):
    """The answer is larger than the call allows; what was read of it is dropped."""


class Transport:
    """Sends requests over HTTP/1.1, with a connection for each. Thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now

    def send(self, server: str, call: Call, token: Optional[str]) -> Answer:
        """Returns the complete answer, whatever its status. Blocks up to the call's timeout.

        Raises NothingSent, AnswerLost or AnswerTooLarge.
        """
        end = self._now() + call.timeout
        connection, sock, response = self._open(server, call, token)
        try:
            parts = []
            size = 0
            while True:
                sock.settimeout(max(0.001, end - self._now()))
                part = response.read1(_CHUNK)
                if not part:
                    break
                parts.append(part)
                size += len(part)
                if size > call.max_answer:
                    raise AnswerTooLarge(f"the answer of {server} is larger than {call.max_answer} bytes")
            if response.length:
                raise AnswerLost(f"{server} sent only a part of its answer", silent=False)
            return Answer(response.status, _headers(response), b"".join(parts))
        except (OSError, http.client.HTTPException) as e:
            raise _lost(server, e) from e
        finally:
            response.close()
            connection.close()

    def stream(self, server: str, call: Call, token: Optional[str]) -> Tuple[Answer, Iterator[bytes]]:
        """Returns the answer without its body, and the body as it arrives.

        Of an answer that is not a success the body is read, and the iterator is empty. The
        iterator raises AnswerLost if the connection breaks; closing it ends the exchange.
        """
        connection, sock, response = self._open(server, call, token)
        headers = _headers(response)
        if not 200 <= response.status < 300:
            try:
                return Answer(response.status, headers, response.read(_CHUNK)), iter(())
            except (OSError, http.client.HTTPException) as e:
                raise _lost(server, e) from e
            finally:
                response.close()
                connection.close()

        def parts() -> Iterator[bytes]:
            try:
                while True:
                    part = response.read1(_CHUNK)
                    if not part:
                        if response.length:
                            raise AnswerLost(f"{server} sent only a part of its answer", silent=False)
                        return
                    yield part
            except (OSError, http.client.HTTPException) as e:
                raise _lost(server, e) from e
            finally:
                response.close()
                connection.close()

        sock.settimeout(call.quiet)
        return Answer(response.status, headers, b""), parts()

    def _open(
        self, server: str, call: Call, token: Optional[str]
    ) -> Tuple[http.client.HTTPConnection, socket.socket, http.client.HTTPResponse]:
        url = urlsplit(server)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=min(CONNECT_SECONDS, call.timeout))
        try:
            connection.connect()
        except OSError as e:
            connection.close()
            raise NothingSent(f"no server answers at {url.netloc} ({_words(e)})") from e
        sock = connection.sock
        try:
            sock.settimeout(call.timeout)
            _request(connection, call, token)
            return connection, sock, connection.getresponse()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise _lost(server, e) from e


def _request(connection: http.client.HTTPConnection, call: Call, token: Optional[str]) -> None:
    # Not "Connection: close": some servers then mark the end of an answer by that of the connection
    # only, which a server that was killed does as well.
    headers: Dict[str, str] = dict(call.headers)
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    body = call.body if call.body or call.method in ("POST", "PUT") else None
    try:
        connection.request(call.method, call.path, body, headers)
    except (BrokenPipeError, ConnectionResetError):
        # A server may refuse a body before it has read all of it; its answer says why.
        if connection.sock is None:
            raise


def _headers(response: http.client.HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): value for name, value in reversed(response.getheaders())}


def _lost(server: str, cause: Exception) -> AnswerLost:
    silent = isinstance(cause, socket.timeout)
    return AnswerLost(f"{server} did not answer ({_words(cause)})", silent)


def _words(cause: Exception) -> str:
    return str(cause) or type(cause).__name__
