"""Which servers are called, and with which token, as the ``millrace`` command finds them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Mapping, Optional, Sequence, Union
from urllib.parse import urlsplit

from millrace.errors import MillraceError, Unreachable

PathLike = Union[str, Path]

_LARGEST_TOKEN = 16 * 1024


@dataclass(frozen=True)
class Target:
    """Central managers, tried in order, and what returns the token for them; None without one."""

    servers: Sequence[str]
    token: Callable[[], Optional[str]]


@dataclass(frozen=True)
class _Pointer:
    """What ``millrace up`` writes about itself."""

    url: str
    token_file: Optional[Path]


def find(
    environment: Mapping[str, str],
    servers: Sequence[str] = (),
    token: Optional[str] = None,
    token_file: Optional[PathLike] = None,
    data: Optional[PathLike] = None,
) -> Target:
    """Finds the servers: those given, else of ``data``, ``MILLRACE_URL``, ``MILLRACE_DATA`` or
    the last ``up`` of this user.

    The token is the one given, else that of ``token_file``, ``MILLRACE_TOKEN_FILE`` or the ``up``
    that the servers belong to; it is not sent to other servers. Reads files. Raises Unreachable if
    no server is configured, ValueError for an address that is none.
    """
    named = token_file or environment.get("MILLRACE_TOKEN_FILE", "").strip() or None
    urls = [address(one) for one in servers]
    pointers = _pointers(environment, data)
    if not urls and data is None:
        urls = _urls(environment.get("MILLRACE_URL", ""))
    if urls:
        pointer = next((one for one in pointers if all(url == one.url for url in urls)), None)
    else:
        pointer = _of_up(environment, data)
        urls = [pointer.url]
    file = Path(named) if named else pointer.token_file if pointer else None
    if token is not None:
        return Target(urls, lambda: token)
    return Target(urls, lambda: read_token(file) if file else None)


def address(text: str) -> str:
    """Returns the address of a server; ``host:port`` means http. Raises ValueError for others."""
    url = text.strip() if "://" in text else "http://" + text.strip()
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("the address of a server has no user name: servers identify callers by tokens")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(f"'{text}' is not the address of a server; write one such as http://127.0.0.1:7700")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(f"'{text}' has more than a host and a port; write only {parts.scheme}://{parts.netloc}")
    return f"{parts.scheme}://{parts.netloc}"


def read_token(file: Path) -> str:
    """Returns the token in a file: one word of printable ASCII. Raises UNAUTHENTICATED if there is none."""
    try:
        with file.open("rb") as content:
            text = content.read(_LARGEST_TOKEN + 1).decode("ascii", "replace").strip()
    except OSError as e:
        raise _no_token(f"cannot read token file {file} ({e.strerror})") from e
    if not text or len(text) > _LARGEST_TOKEN or not all(" " < letter < "\x7f" for letter in text):
        raise _no_token(f"{file} contains no token")
    return text


def _no_token(what: str) -> MillraceError:
    return MillraceError("UNAUTHENTICATED", f"{what}; specify another one with token_file or MILLRACE_TOKEN_FILE")


def _urls(text: str) -> List[str]:
    return [address(one) for one in text.split(",")] if text.strip() else []


# The ups whose token may be used: of the data directory that was named, and of this user's last one.
def _pointers(environment: Mapping[str, str], data: Optional[PathLike]) -> List[_Pointer]:
    directory = data or environment.get("MILLRACE_DATA", "").strip() or None
    files = [] if directory is None else [Path(directory) / "current.json"]
    if data is None:
        files.append(_user_file(environment))
    return [pointer for pointer in map(_read, files) if pointer is not None]


def _of_up(environment: Mapping[str, str], data: Optional[PathLike]) -> _Pointer:
    directory = data or environment.get("MILLRACE_DATA", "").strip() or None
    file = _user_file(environment) if directory is None else Path(directory) / "current.json"
    pointer = _read(file)
    if pointer is None:
        raise Unreachable(
            "no server configured; start one with 'millrace up', or name it with servers or MILLRACE_URL"
            if directory is None
            else f"no 'up' is running on data directory {directory}; start it with 'millrace up --data {directory}'"
        )
    return pointer


def _user_file(environment: Mapping[str, str]) -> Path:
    configured = environment.get("XDG_CONFIG_HOME", "")
    base = Path(configured) if configured else Path(environment.get("HOME", ".")) / ".config"
    return base / "millrace" / "current.json"


def _read(file: Path) -> Optional[_Pointer]:
    try:
        document = json.loads(file.read_bytes())
        token_file = document.get("tokenFile")
        return _Pointer(address(document["url"]), Path(token_file) if token_file else None)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
