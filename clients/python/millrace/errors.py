"""Errors of calls to Millrace, with the stable codes of its API."""

from __future__ import annotations

import json
from typing import Optional


class MillraceError(Exception):
    """A call failed.

    ``code`` is the stable code of the problem document (RFC 9457), such as ``UNKNOWN_QUEUE``;
    codes of newer servers are kept as they are. ``detail`` says what happened and what to do.
    ``status`` is the HTTP status, or 0 if no server answered.
    """

    def __init__(self, code: str, detail: str, status: int = 0) -> None:
        super().__init__(code, detail, status)
        self.code = code
        self.detail = detail
        self.status = status

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Unreachable(MillraceError):
    """No server answered within the deadline.

    ``outcome_unknown`` is true if a server may have carried the call out although its answer did
    not arrive.
    """

    def __init__(self, detail: str, outcome_unknown: bool = False) -> None:
        super().__init__("UNREACHABLE", detail)
        self.outcome_unknown = outcome_unknown


class TimedOut(MillraceError, TimeoutError):
    """What was waited for did not happen in the time allowed; it may still happen."""

    def __init__(self, detail: str) -> None:
        super().__init__("TIMEOUT", detail)


def problem(status: int, content_type: str, body: bytes) -> MillraceError:
    """Returns the error of an answer that is not a success; INTERNAL if it does not say why."""
    if content_type.startswith("application/problem+json"):
        described = _described(status, body)
        if described is not None:
            return described
    text = body[:500].decode("utf-8", "replace").strip()
    detail = f"the server answered {status} without saying why"
    return MillraceError("INTERNAL", f"{detail}: {text}" if text else detail, status)


def _described(status: int, body: bytes) -> Optional[MillraceError]:
    try:
        document = json.loads(body)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    detail = document.get("detail") or document.get("title") or f"status {status}"
    return MillraceError(str(document.get("code") or "INTERNAL"), str(detail), status)
