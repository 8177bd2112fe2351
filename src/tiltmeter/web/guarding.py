"""What keeps the pages safe: who may ask, from where, how much, and what a browser may do with the answer."""

import hashlib
import hmac
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Links hold tokens: no other site learns them. Our own forms still say where they come from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "no-store",
}

LARGEST_FORM = 1_000_000
LARGEST_FILE = 100_000_000
"""Bytes that a form may send, and one with a file in it."""

LARGEST_NUMBER = 2**31 - 1
"""That every database takes for the number of a thing."""


def form_mark(token: str, *about: object) -> str:
    """What a form carries to show that our page made it, for this link and about this thing (against CSRF)."""
    return hmac.new(token.encode(), "\n".join(map(str, about)).encode(), hashlib.sha256).hexdigest()


def same_mark(given: str, token: str, *about: object) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), form_mark(token, *about).encode())


class Guard:
    """Refuses requests under another host's name (DNS rebinding), forms from other sites and bodies that are too large;
    puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], public: str = "") -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}
        self._public = public.lower()
        """What stands between `https://` and the path where a proxy passes requests on."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal(Headers(scope=scope), scope)
        answer: ASGIApp = self._app if refused is None else PlainTextResponse(refused[1], status_code=refused[0])
        await answer(scope, receive, guarded)

    def _refusal(self, headers: Headers, scope: Scope) -> tuple[int, str] | None:
        host, own_address = _name(headers.get("host", "")), scope.get("server") or ("",)
        if host not in {*self._hosts, own_address[0]}:
            return 400, "This server does not answer under that name."
        if scope["method"] != "POST":
            return None  # nothing else is answered but to be refused
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        own = {headers["host"].lower(), self._public} - {""}
        if site not in ("same-origin", "none") or (
            origin is not None and origin.partition("://")[2].lower() not in own
        ):
            return 403, "This form came from another site."
        length = headers.get("content-length", "")
        if not length.isdecimal() or "transfer-encoding" in headers:
            return 411, "The size of the form is missing."
        if int(length) > (LARGEST_FILE if scope["path"].endswith("/import") else LARGEST_FORM):
            return 413, "The form is too large."
        return None


def _name(place: str) -> str:
    """A host without its port."""
    try:
        return urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""
