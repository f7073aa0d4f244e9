"""Who may talk to the server of a page: that page, opened on this machine, and no other.

Every web page that is open in a browser may connect to every port of this machine.  What tells them
apart are two headers that no page can choose (RFC 6454, RFC 6455 section 10.2): Host, the address
that the browser was asked for, and Origin, that of the page that asks.  Host must be a name of this
machine (a stranger's name may lead here: DNS rebinding), and a connection must come from a page of
the same address.  viser has no such check; the server that it starts is given one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from linkwork.errors import LinkworkError

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_starting = threading.Lock()


@contextmanager
def guarded(host: str) -> Iterator[None]:
    """The server that viser starts inside answers its own pages alone."""
    from websockets.asyncio import server as library

    names, starts = LOCAL | {host.lower()}, []

    def serve(*args: Any, process_request: Callable[..., Any], **more: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            refusal = refused(request.headers, names)
            if refusal:
                return connection.respond(HTTPStatus.FORBIDDEN, refusal + "\n")
            return process_request(connection, request)

        starts.append(args)
        return plain(*args, process_request=checked, **more)

    with _starting:
        plain = library.serve
        library.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            library.serve = plain  # type: ignore[misc]
    if not starts:
        raise LinkworkError(
            "the viewer cannot keep other web pages out with this version of viser; install the "
            "one it is tested with: pip install 'viser==1.1.1'"
        )


def refused(headers: Any, names: frozenset[str]) -> str:
    """Why a request is refused; nothing if it is not."""
    host, origin = (",".join(headers.get_all(word)) for word in ("Host", "Origin"))
    try:
        known = urlsplit(f"//{host}").hostname in names
    except ValueError:
        known = False
    if not known:
        return f"this page is for this machine alone: open it as http://localhost, not '{host}'"
    if "Upgrade" in headers and origin not in (f"http://{host}", f"https://{host}"):
        return f"only a page of http://{host} may connect, not one of '{origin or 'nowhere'}'"
    return ""
