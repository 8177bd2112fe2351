"""The web application: pages, static files, and what is said when something goes wrong."""

import logging
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from tiltmeter.errors import TiltmeterError
from tiltmeter.web import owner, reviewer
from tiltmeter.web.guarding import Guard
from tiltmeter.web.reviewer import NoSuchLink
from tiltmeter.web.site import Site, message

_log = logging.getLogger("tiltmeter.web")


def create_app(site: Site, hosts: Collection[str]) -> Guard:
    """The pages of a review, which answer under these names of hosts only."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"))
    app.include_router(reviewer.router)
    app.include_router(owner.router)

    @app.exception_handler(NoSuchLink)
    def no_such_link(request: Request, _: Exception) -> Response:
        return message(request, "invalid", status=404)

    @app.exception_handler(HTTPException)
    def not_found(request: Request, error: HTTPException) -> Response:
        return message(request, "invalid" if error.status_code == 404 else "bad_form", status=error.status_code)

    @app.exception_handler(RequestValidationError)
    def bad_form(request: Request, _: Exception) -> Response:
        return message(request, "bad_form", status=400)

    @app.exception_handler(DBAPIError)
    @app.exception_handler(TiltmeterError)
    def not_saved(request: Request, error: Exception) -> Response:
        _log.error("a page could not be answered: %s", str(error).splitlines()[0])
        return message(request, "not_saved", status=503)

    @app.exception_handler(Exception)
    def broken(request: Request, _: Exception) -> Response:
        return message(request, "not_saved", status=500)

    return Guard(app, hosts, public=urlsplit(site.url).netloc)
