"""An HTTP server whose answers are stated in advance, and a clock that only moves when slept on."""

from __future__ import annotations

import json
import socket
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Union

from millrace.connection import Clock
from millrace.transport import Answer, Call, Transport


@dataclass(frozen=True)
class Request:
    """A request as it arrived; names of headers are in lower case."""

    method: str
    path: str
    headers: Dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """An answer; ``cut`` is the number of bytes of the body after which the connection breaks.

    ``chunked`` sends the body without saying its length beforehand, as servers do with streams.
    """

    status: int = 200
    body: bytes = b""
    headers: Dict[str, str] = field(default_factory=dict)
    cut: Optional[int] = None
    chunked: bool = False


DROPPED = Reply(cut=-1)
"""The connection breaks before an answer."""

Behaviour = Union[Reply, Callable[[Request], Reply]]


def answer(document: Any, status: int = 200) -> Reply:
    """An answer with a JSON body."""
    return Reply(status, json.dumps(document).encode(), {"Content-Type": "application/json"})


def refusal(status: int, code: str, detail: str = "for the test", retry_after: Optional[int] = None) -> Reply:
    """A problem document of RFC 9457."""
    headers = {"Content-Type": "application/problem+json"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    document = {"type": "urn:x", "title": code.lower(), "status": status, "code": code, "detail": detail}
    return Reply(status, json.dumps(document).encode(), headers)


class FakeServer:
    """Answers each request with the next of its answers, and the last one from then on."""

    def __init__(self, *answers: Behaviour) -> None:
        self.requests: List[Request] = []
        self._answers = list(answers)
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                names = {name.lower(): value for name, value in self.headers.items()}
                outer._reply(self, Request(self.command, self.path, names, self.rfile.read(length)))

            do_GET = do_POST = do_DELETE = do_PUT = handle_one

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def paths(self) -> List[str]:
        """The methods and paths of all requests so far."""
        return [f"{one.method} {one.path}" for one in self.requests]

    def _reply(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        with self._lock:
            self.requests.append(request)
            behaviour = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        reply = behaviour if isinstance(behaviour, Reply) else behaviour(request)
        handler.close_connection = True
        if reply.cut is None or reply.cut >= 0:
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            body = reply.body if reply.cut is None else reply.body[: reply.cut]
            if reply.chunked:
                handler.send_header("Transfer-Encoding", "chunked")
                end = b"0\r\n\r\n" if reply.cut is None else b""
                body = b"%x\r\n%b\r\n" % (len(body), body) + end
            else:
                handler.send_header("Content-Length", str(len(reply.body)))
            handler.end_headers()
            handler.wfile.write(body)
            handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)


class PatientTransport(Transport):
    """Gives servers so long that a busy machine changes no outcome; all but the frozen one."""

    def __init__(self, frozen: Optional[str] = None) -> None:
        super().__init__()
        self._frozen = frozen

    def send(self, server: str, call: Call, token: Optional[str]) -> Answer:
        return super().send(server, call if server == self._frozen else replace(call, timeout=60.0), token)


def closed_address() -> str:
    """An address at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


class ManualClock:
    """A clock that moves only when it is slept on; keeps the pauses."""

    def __init__(self) -> None:
        self.time = 0.0
        self.pauses: List[float] = []
        self.clock = Clock(lambda: self.time, self._sleep, lambda: 1.0)

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds
