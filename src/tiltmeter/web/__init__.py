"""Pages in the browser: the review of sentence sets."""

from tiltmeter.errors import MissingExtra

try:
    from tiltmeter.web.server import is_loopback, serve_review
    from tiltmeter.web.site import Site
except ModuleNotFoundError as error:
    raise MissingExtra(error.name or "fastapi", "web") from error

__all__ = ["Site", "is_loopback", "serve_review"]
