"""Serves a review until it is stopped."""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from urllib.parse import urlsplit

import uvicorn

from tiltmeter.errors import TiltmeterError
from tiltmeter.reviews import Opened, admit, new_token, usable_name
from tiltmeter.web.app import create_app
from tiltmeter.web.site import Site


def serve_review(
    open_it: Callable[[], Opened],
    *,
    reviewers: Sequence[str] = (),
    per_sentence: int | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    url: str = "",
    ready: Callable[[Site, Opened], None],
) -> None:
    """Opens a review and answers at this address; calls `ready` when it does. `url`: where reviewers reach it, if that
    is another. Nothing is changed in a review before the address and the database are ours."""
    public, names = _checked(url), [usable_name(name) for name in reviewers]
    with closing(_listen(host, port)) as listening:
        place = f"http://{_written(host)}:{listening.getsockname()[1]}"
        opened = open_it()
        with closing(opened.database), opened.database.served(place):
            site = Site(opened.database, opened.pack, public or place, new_token())
            added = admit(opened.database, names, per_sentence)
            site.links |= {name: site.reviewer_link(token) for name, token in added.items()}
            hosts = {"127.0.0.1", "localhost", "::1", host, urlsplit(public).hostname or host, *_own_names(host)}
            app = create_app(site, hosts)
            config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, proxy_headers=False)
            server = uvicorn.Server(config)
            ready(site, opened)
            server.run(sockets=[listening])


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(200)
        except OSError:
            listening.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise TiltmeterError(
            f"nothing can be served at {host}:{port} ({why}): give another --host or --port"
        ) from error
    return listening


def _own_names(host: str) -> set[str]:
    """Under which names this machine is asked where it listens to all of its addresses."""
    if host not in ("0.0.0.0", "::"):
        return set()
    name = socket.gethostname()
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    return {name, socket.getfqdn(), *found}


def _checked(url: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise TiltmeterError(f"--url is {url!r}, and something like https://review.example.org was expected")
    return f"{parts.scheme}://{parts.netloc}"


def _written(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
