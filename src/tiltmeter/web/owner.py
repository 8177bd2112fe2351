"""The owner's pages: who is how far, how far they agree, what has to be decided, the criteria, the files."""

import difflib
import re
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import KEEP, Criterion, Wording
from tiltmeter.reviews import (
    CAUTION,
    CHOICES,
    FILES,
    HOW,
    LONGEST_NOTE,
    READING,
    Edition,
    Snapshot,
    add_reviewer,
    all_reviewers,
    begin_main,
    current_criteria,
    decide,
    import_label_studio,
    new_link,
    progress,
    revoke,
    save_criteria,
    storable,
    take_back,
    usable_name,
)
from tiltmeter.web.guarding import LARGEST_NUMBER, form_mark, same_mark
from tiltmeter.web.reviewer import NoSuchLink
from tiltmeter.web.site import Site, page, site, to

router = APIRouter(prefix="/owner/{token}")

_A_PAGE = 20
"""Sentences on a page of those to decide."""


def _owned(token: str, here: Annotated[Site, Depends(site)]) -> Site:
    if not here.is_owner(token):
        raise NoSuchLink
    return here


_Own = Annotated[Site, Depends(_owned)]
_Mark = Annotated[str, Form()]
_Number = Annotated[int, Path(ge=0, le=LARGEST_NUMBER)]


@router.get("")
def overview(here: _Own) -> Response:
    return page("owner.html", **_shared(here, "overview"), **_numbers(here))


@router.get("/numbers")
def numbers(here: _Own) -> Response:
    """What the overview refreshes itself with."""
    return page("numbers.html", **_shared(here, "overview"), **_numbers(here))


@router.post("/reviewers")
def add(here: _Own, mark: _Mark, name: Annotated[str, Form()]) -> Response:
    def change() -> None:
        usable = usable_name(name)
        here.links[usable] = here.reviewer_link(add_reviewer(here.database, usable))

    return _changed(here, mark, "reviewers", change)


@router.post("/reviewers/{number}/link")
def relink(here: _Own, mark: _Mark, number: _Number) -> Response:
    def change() -> None:
        here.links[_named(here, number)] = here.reviewer_link(new_link(here.database, number))

    return _changed(here, mark, "link", change, about=number)


@router.post("/reviewers/{number}/revoke")
def withdraw(here: _Own, mark: _Mark, number: _Number) -> Response:
    def change() -> None:
        here.links.pop(_named(here, number), None)
        revoke(here.database, number)

    return _changed(here, mark, "revoke", change, about=number)


@router.post("/main")
def main_part(here: _Own, mark: _Mark, again: Annotated[str, Form()] = "") -> Response:
    return _changed(here, mark, "main", lambda: begin_main(here.database, again=bool(again)))


@router.get("/disagreements")
def disagreements(
    here: _Own, decided: bool = False, number: Annotated[int, Query(alias="page", ge=1, le=100_000)] = 1
) -> Response:
    taken = here.snapshot()
    cases = [case for case in taken.outcomes if case.decision] if decided else taken.disputed
    some = cases[(number - 1) * _A_PAGE : number * _A_PAGE]
    return page(
        "disagreements.html",
        **_shared(here, "disagreements"),
        decided=decided,
        cases=[(case, taken.sentences[case.sentence_id]) for case in some],
        count=len(cases),
        how=HOW,
        number=number,
        pages=max(1, -(-len(cases) // _A_PAGE)),
        reasons=_titles(here, taken.editions),
        choices=_titles(here, taken.editions[-1:]),
    )


@router.post("/disagreements/{number}")
def adjudicate(
    here: _Own,
    mark: _Mark,
    number: _Number,
    choice: Annotated[str, Form()],
    reason: Annotated[str, Form()] = "",
    note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
) -> Response:
    def change() -> None:
        if choice == "back":
            return take_back(here.database, number)
        if choice not in CHOICES or choice == "unsure":
            raise TiltmeterError("a sentence is kept or dropped")
        if choice == "drop" and current_criteria(here.database).reason(reason) is None:
            raise TiltmeterError("choose the reason for which the sentence is dropped")
        return decide(here.database, number, choice, reason if choice == "drop" else "", storable(note))  # type: ignore[arg-type]

    after = "disagreements?decided=1" if choice == "back" else "disagreements"
    return _changed(here, mark, "decide", change, about=number, after=after)


@router.get("/criteria")
def criteria(here: _Own) -> Response:
    known = here.snapshot().editions
    return page(
        "criteria.html",
        **_shared(here, "criteria"),
        current=known[-1],
        languages=_languages(here, known[-1]),
        history=[
            (edition, _difference(before, edition)) for before, edition in zip([None, *known], known, strict=False)
        ][::-1],
        KEEP=KEEP,
    )


@router.post("/criteria")
async def edit_criteria(request: Request, here: _Own) -> Response:
    async with request.form(max_fields=2000) as form:
        wanted = _criteria_of(form)
        version, mark = str(form.get("version", "")), str(form.get("mark", ""))

    def change() -> None:
        if not re.fullmatch("[0-9]{1,9}", version):
            raise TiltmeterError("the form does not say which criteria it changes")
        save_criteria(here.database, wanted, after=int(version))

    return await run_in_threadpool(_changed, here, mark, "criteria", change, after="criteria")


@router.get("/files")
def files(here: _Own) -> Response:
    return page("files.html", **_shared(here, "files"), files=_ABOUT_FILES, taken=here.snapshot())


@router.get("/files/{name}")
def download(here: _Own, name: str) -> Response:
    if name not in FILES:
        raise NoSuchLink
    content = FILES[name](here.snapshot())
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.post("/import")
async def take_in(request: Request, here: _Own) -> Response:
    async with request.form(max_files=1, max_fields=5) as form:
        mark, given = str(form.get("mark", "")), form.get("file")
        content = await given.read() if isinstance(given, UploadFile) else b""
        name = given.filename or "" if isinstance(given, UploadFile) else ""

    def change() -> None:
        here.said = import_label_studio(here.database, content, name).sentence()

    return await run_in_threadpool(_changed, here, mark, "import", change, after="files")


_ABOUT_FILES = {
    "set.csv": "the final set in SlguSet's columns, for `tiltmeter measure slgu --sentences set.csv`",
    "set.parquet": "the same with source and mark",
    "votes.csv": "every vote with its reason, note, time and the criteria that its reviewer saw; then your decisions",
    "votes.parquet": "the same",
    "outcomes.parquet": "what became of every sentence, and by how many votes",
    "card.md": "how the set was reviewed: numbers, agreement, criteria",
    "card.json": "the same for programs",
    "label-studio.json": "all sentences and votes for Label Studio",
    "label-studio.xml": "the labelling interface that these tasks want",
}


def _changed(here: Site, mark: str, what: str, change: Any, *, about: object = "", after: str = "") -> Response:
    """Does what a form asks for and shows a page again; what cannot be done is said."""
    if not same_mark(mark, here.owner_token, what, about):
        return _refused(here, "The form did not come from this page; load it again.", 403, after)
    try:
        change()
    except TiltmeterError as error:
        return _refused(here, f"{error}", 409, after)
    return to(_place(here, after))


def _place(here: Site, name: str) -> str:
    return f"/owner/{here.owner_token}" + (f"/{name}" if name else "")


def _refused(here: Site, why: str, status: int, after: str) -> Response:
    said = {"lang": "en", "title": "Nothing was changed", "text": why, "back": _place(here, after), "back_text": "Back"}
    return page("message.html", status=status, **said)


def _shared(here: Site, current: str) -> dict[str, Any]:
    taken = here.snapshot()
    return {
        "lang": "en",
        "here": here,
        "token": here.owner_token,
        "current_page": current,
        "about": taken.about,
        "disputed": len(taken.disputed),
        "mark": lambda what, about="": form_mark(here.owner_token, what, about),
    }


def _numbers(here: Site) -> dict[str, Any]:
    taken = here.snapshot()
    return {
        "progress": progress(here.database),
        "counts": taken.counts(),
        "people": _people(here, taken),
        "agreements": here.agreements(),
        "pairs": here.two_by_two(),
        "reasons": _titles(here, taken.editions),
        "reading": READING,
        "caution": CAUTION,
    }


def _people(here: Site, taken: Snapshot) -> list[dict[str, Any]]:
    found = []
    for reviewer in all_reviewers(here.database):
        own = [vote for vote in taken.votes if vote.reviewer == reviewer.name]
        times = sorted(vote.seconds for vote in own if vote.origin == "web")
        found.append(
            {
                "reviewer": reviewer,
                "votes": len(own),
                **{choice: sum(vote.ballot.choice == choice for vote in own) for choice in CHOICES},
                "seconds": times[len(times) // 2] if times else None,
                "last": max((vote.voted for vote in own), default=None),
                "link": here.links.get(reviewer.name) if reviewer.has_link else None,
            }
        )
    return found


def _named(here: Site, number: int) -> str:
    names = {reviewer.id: reviewer.name for reviewer in all_reviewers(here.database)}
    if number not in names:
        raise TiltmeterError("there is no such reviewer")
    return names[number]


def _titles(here: Site, known: Sequence[Edition]) -> dict[str, str]:
    """What criteria are called in English, as these pages are; those of earlier editions too."""
    return {
        criterion.id: criterion.wording("en", here.pack.lang).title
        for edition in known
        for criterion in edition.reasons
    }


def _languages(here: Site, edition: Edition) -> list[str]:
    used = {lang for criterion in edition.criteria for lang in criterion.wordings}
    return sorted(used | {here.pack.lang}, key=lambda lang: (lang != here.pack.lang, lang))


def _criteria_of(form: FormData) -> list[Criterion]:
    """The criteria of a form, in its order; those marked to be removed and the empty one at its end are left out."""
    found = []
    for place in range(200):
        name = storable(str(form.get(f"id.{place}", "")))
        if not name or form.get(f"remove.{place}"):
            continue
        wordings = {}
        for key, value in form.multi_items():
            kind, _, rest = key.partition(".")
            if kind == "title" and rest.startswith(f"{place}.") and str(value).strip():
                lang = rest.partition(".")[2]
                text = storable(str(form.get(f"text.{place}.{lang}", "")))
                wordings[lang] = Wording(storable(str(value)), " ".join(text.split()))
        found.append(Criterion(name, wordings))
    return found


def _difference(before: Edition | None, after: Edition) -> list[tuple[str, str]]:
    """What changed from one edition to the next: lines with `-`, `+` or nothing before them."""
    if before is None:
        return []
    lines = (_lines(before), _lines(after))
    return [(line[0], line[2:]) for line in difflib.ndiff(*lines) if line[0] in "-+"]


def _lines(edition: Edition) -> list[str]:
    return [
        f"{criterion.id} ({lang}): {wording.title}. {wording.text}"
        for criterion in edition.criteria
        for lang, wording in criterion.wordings.items()
    ]
