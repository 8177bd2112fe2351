"""The pages of a reviewer: one sentence at a time."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from tiltmeter.packs import Criterion, Pack, Wording, load_pack, shipped_languages
from tiltmeter.reviews import (
    CHOICES,
    LONGEST_NOTE,
    Ballot,
    Edition,
    Reviewer,
    Stale,
    cast,
    current_criteria,
    edition,
    last_vote,
    next_task,
    progress,
    reviewer_of,
    set_language,
    storable,
    undo,
)
from tiltmeter.web.guarding import LARGEST_NUMBER, form_mark, same_mark
from tiltmeter.web.site import Site, page, site, to
from tiltmeter.web.texts import all_texts, preferred

router = APIRouter(prefix="/review/{token}")


class NoSuchLink(Exception):
    """A token that is nobody's, or was revoked."""


def _reviewer(token: str, here: Annotated[Site, Depends(site)]) -> Reviewer:
    found = reviewer_of(here.database, token)
    if found is None:
        raise NoSuchLink
    return found


_Here = Annotated[Site, Depends(site)]
_Me = Annotated[Reviewer, Depends(_reviewer)]
_Number = Annotated[int, Form(ge=0, le=LARGEST_NUMBER)]
_Round = Annotated[Literal["pilot", "main"], Form()]


@router.get("")
def show(request: Request, token: str, here: _Here, me: _Me) -> Response:
    return _page(request, token, here, me)


@router.post("/vote")
def vote(
    request: Request,
    token: str,
    here: _Here,
    me: _Me,
    mark: Annotated[str, Form()],
    sentence: _Number,
    round: _Round,
    criteria: _Number,
    choice: Annotated[str, Form()],
    note: Annotated[str, Form()] = "",
) -> Response:
    """`choice` is `keep`, `unsure`, or `drop:` and the criterion."""
    if not same_mark(mark, token, "vote", sentence, round, criteria):
        return _page(request, token, here, me, notice="bad_form", status=403)
    name, _, reason = choice.partition(":")
    seen = edition(here.database, criteria)
    if name not in CHOICES or seen is None or (reason and name != "drop"):
        return _page(request, token, here, me, notice="bad_form", status=400)
    note = storable(note)
    written = (sentence, note)
    if name == "drop" and not reason:
        return _page(request, token, here, me, notice="no_reason", status=400, written=written)
    if len(note) > LONGEST_NOTE:
        return _page(request, token, here, me, notice="long_note", status=400, written=written)
    if reason and not all(known.reason(reason) for known in (seen, current_criteria(here.database))):
        return _page(request, token, here, me, notice="stale_reason", status=409, written=written)
    try:
        cast(here.database, me.id, sentence, round, Ballot(name, reason, note), criteria)  # type: ignore[arg-type]
    except Stale as stale:
        return _page(request, token, here, me, notice=stale.why, status=409)
    return to(f"/review/{token}")


@router.post("/undo")
def take_back(
    request: Request,
    token: str,
    here: _Here,
    me: _Me,
    mark: Annotated[str, Form()],
    sentence: _Number,
    round: _Round,
) -> Response:
    if not same_mark(mark, token, "undo", sentence, round):
        return _page(request, token, here, me, notice="bad_form", status=403)
    try:
        undo(here.database, me.id, sentence, round)
    except Stale as stale:
        return _page(request, token, here, me, notice=stale.why, status=409)
    return to(f"/review/{token}")


@router.post("/language")
def language(
    request: Request, token: str, here: _Here, me: _Me, mark: Annotated[str, Form()], lang: Annotated[str, Form()]
) -> Response:
    if not same_mark(mark, token, "language") or lang not in all_texts():
        return _page(request, token, here, me, notice="bad_form", status=403)
    set_language(here.database, me.id, lang)
    return to(f"/review/{token}")


def _page(
    request: Request,
    token: str,
    here: Site,
    me: Reviewer,
    *,
    notice: str = "",
    status: int = 200,
    written: tuple[int, str] = (0, ""),
) -> Response:
    """The sentence to vote on, or that there is none; what others voted is never on it. `written`: a sentence, and the
    note on it that was sent with a form that could not be taken."""
    lang = me.lang or preferred(request.headers.get("accept-language", ""), here.pack.lang)
    texts = all_texts()[lang]
    task = next_task(here.database, me.id)
    criteria = current_criteria(here.database)
    last = last_vote(here.database, me.id)
    return page(
        "review.html",
        status=status,
        lang=lang,
        languages={name: known["language"] for name, known in all_texts().items()},
        texts=texts,
        here=here,
        me=me,
        token=token,
        task=task,
        note=(written[1] if task and task.sentence.id == written[0] else "") or (task.note if task else ""),
        keep=_wording(criteria.keep, lang, here.pack),
        reasons=[(reason.id, _wording(reason, lang, here.pack)) for reason in criteria.reasons],
        criteria=criteria.version,
        last=last,
        last_vote=_said(last.ballot, criteria, lang, here.pack) if last else "",
        progress=progress(here.database, me.id),
        notice=texts[notice].format(most=LONGEST_NOTE) if notice else "",
        form_mark=form_mark,
    )


def _wording(criterion: Criterion, lang: str, pack: Pack) -> Wording:
    """A criterion in the reviewer's language: as it is written there, else, where nobody has changed the pack's text,
    as the pack of that language says it; else in the language of the sentences, which the reviewer reads."""
    if lang not in criterion.wordings and criterion in pack.criteria and lang in shipped_languages():
        for known in load_pack(lang).criteria:
            if known.id == criterion.id:
                return known.wording(lang)
    return criterion.wording(lang, pack.lang, "en")


def _said(ballot: Ballot, criteria: Edition, lang: str, pack: Pack) -> str:
    """A vote in words."""
    if ballot.choice == "unsure":
        return all_texts()[lang]["unsure"]
    found = criteria.keep if ballot.choice == "keep" else criteria.reason(ballot.reason)
    return _wording(found, lang, pack).title if found else ballot.reason
