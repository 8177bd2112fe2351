"""What all pages share: the review, how a page is made of a template, and how what goes wrong is told."""

import hmac
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from tiltmeter.packs import Pack
from tiltmeter.results import shown
from tiltmeter.reviews import Database, Row, Snapshot, Two, snapshot
from tiltmeter.web.texts import FALLBACK, all_texts, preferred

_environment = Environment(
    loader=PackageLoader("tiltmeter.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_environment.filters |= {
    "number": lambda value: shown(None if value != value else value),
    "interval": lambda found: "–" if found.low != found.low else f"{shown(found.low)} to {shown(found.high)}",
    "percent": lambda value: "–" if value != value else f"{100 * value:.0f}%",
    "moment": lambda seconds: datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC"),
}


@dataclass(slots=True)
class Site:
    """A review that is served."""

    database: Database
    pack: Pack
    url: str
    """Where it is reached, without a slash at the end."""
    owner_token: str
    links: dict[str, str] = field(default_factory=dict)
    """Links that were made since the server began, by reviewer; they are kept nowhere else."""
    said: str = ""
    """What the last file that was taken in gave."""
    _known: "_Known | None" = None

    def is_owner(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(errors="replace"), self.owner_token.encode())

    def snapshot(self) -> Snapshot:
        return self._now().taken

    def agreements(self) -> list[Row]:
        return self._now().agreements

    def two_by_two(self) -> list[Two]:
        return self._now().two_by_two

    def _now(self) -> "_Known":
        """Read and worked out again only where something was written since."""
        state = self.database.state()
        known = self._known
        if known is None or known.state != state:
            known = self._known = _Known(state, snapshot(self.database))
        return known

    def reviewer_link(self, token: str) -> str:
        return f"{self.url}/review/{token}"

    @property
    def owner_link(self) -> str:
        return f"{self.url}/owner/{self.owner_token}"


class _Known:
    """A snapshot, and what was worked out of it."""

    def __init__(self, state: object, taken: Snapshot) -> None:
        self.state = state
        self.taken = taken

    @cached_property
    def agreements(self) -> list[Row]:
        return self.taken.agreements()

    @cached_property
    def two_by_two(self) -> list[Two]:
        return self.taken.two_by_two()


def site(request: Request) -> Site:
    found: Site = request.app.state.site
    return found


def page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(_environment.get_template(template).render(**values), status_code=status)


def to(path: str) -> RedirectResponse:
    """After a form, another page is asked for, so that reloading it sends nothing twice."""
    return RedirectResponse(path, status_code=303)


def message(request: Request, what: str, *, status: int) -> HTMLResponse:
    """A page that only says something, in the language that the browser asks for; to the owner in English."""
    owner = request.url.path.startswith("/owner/")
    lang = FALLBACK if owner else preferred(request.headers.get("accept-language", ""))
    texts = all_texts()[lang]
    text = "" if owner and what == "not_saved" else texts.get(f"{what}_text", "")
    # Where the link itself is sound, the page that it leads to.
    back = "" if what == "invalid" else "/".join(request.url.path.split("/")[:3])
    said = {"title": texts[what], "text": text, "back": back, "back_text": "Back" if owner else texts["back"]}
    return page("message.html", status=status, lang=lang, **said)
