"""A reviewer's page in a real Chromium: phone and desktop, by touch, by keyboard alone, in every language."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from web.served import Client, Served

Serve = Callable[..., Served]
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LANGUAGES = ["en", "es", "zh", "ja", "ru", "eu", "de"]


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a link as a fresh browser does; what it complains about and asks of others is noted."""
    contexts = []

    def go(link: str, viewport: dict[str, int] = DESKTOP, lang: str = "en", **options: Any) -> Any:
        context = browser.new_context(viewport=viewport, locale=lang, **options)
        contexts.append(context)
        page = context.new_page()
        page.complaints, page.asked = [], set()
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.asked.add("/".join(request.url.split("/")[:3])))
        page.goto(link)
        return page

    yield go
    for context in contexts:
        context.close()


def sentence_on(page: Any) -> str:
    shown: str = page.locator("input[name=sentence]").first.input_value()
    return shown


def press(page: Any, key: str) -> None:
    """A key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def cast_by(served: Served) -> list[tuple[str, str, str]]:
    lines = Client(served.owner).open("/files/votes.csv").text.splitlines()
    header = lines[0].lstrip("\ufeff").split(",")
    rows = [dict(zip(header, line.split(","), strict=False)) for line in lines[1:]]
    return [(row["choice"], row["reason"], row["note"]) for row in rows]


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_language_fits_the_screen_is_accessible_and_asks_nobody_else(
    serve: Serve, look: Callable[..., Any], viewport: dict[str, int]
) -> None:
    served = serve("--reviewers", "Ana")
    for lang in LANGUAGES:
        page = look(served.reviewer("Ana"), viewport, lang)
        assert page.locator("html").get_attribute("lang") == lang
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], lang
        cut = page.evaluate(
            "[...document.querySelectorAll('button')].filter(b => b.scrollWidth > b.clientWidth + 1)"
            ".map(b => b.textContent)"
        )
        assert cut == [], lang
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.complaints == []
        assert page.asked == {served.root}


def test_on_a_phone_the_sentence_and_every_answer_are_on_the_first_screen_and_large_enough_to_touch(
    serve: Serve, look: Callable[..., Any]
) -> None:
    served = serve("--reviewers", "Ana")
    for lang in ("zh", "en"):
        page = look(served.reviewer("Ana"), PHONE, lang)
        boxes = [button.bounding_box() for button in page.locator("#vote button").all()]
        assert len(boxes) == 10
        assert all(box["height"] >= 44 and box["width"] >= 44 for box in boxes)
        assert max(box["y"] + box["height"] for box in boxes) <= PHONE["height"]


def test_touching_a_reason_drops_the_sentence_and_shows_the_next(serve: Serve, look: Callable[..., Any]) -> None:
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"), PHONE, "zh", has_touch=True)
    before = sentence_on(page)
    with page.expect_navigation():
        page.locator("button[value='drop:biological']").tap()
    assert sentence_on(page) != before
    with page.expect_navigation():
        page.get_by_role("button", name="撤销").tap()
    assert sentence_on(page) == before
    with page.expect_navigation():
        page.locator("button[value=keep]").tap()
    assert cast_by(served) == [("keep", "", "")]


def test_all_of_it_by_keyboard_alone(serve: Serve, look: Callable[..., Any]) -> None:
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"))
    first = sentence_on(page)
    press(page, "k")
    press(page, "2")
    press(page, "u")
    press(page, "z")
    press(page, "z")
    press(page, "z")
    assert sentence_on(page) == first
    page.keyboard.press("n")
    page.keyboard.type("keys 1 u k z are letters here")
    page.keyboard.press("Escape")
    press(page, "1")
    assert cast_by(served) == [("drop", "sense", "keys 1 u k z are letters here")]


def test_keys_of_another_script_and_shortcuts_of_the_browser(serve: Serve, look: Callable[..., Any]) -> None:
    """On a Russian keyboard the key K types л."""
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"), lang="ru")
    before = sentence_on(page)
    for key, code, more in (("u", "KeyU", "ctrlKey: true"), ("u", "KeyU", "repeat: true"), ("Process", "", "")):
        page.evaluate(
            f"document.body.dispatchEvent(new KeyboardEvent('keydown', "
            f"{{key: '{key}', code: '{code}', bubbles: true, {more}}}))"
        )
    assert sentence_on(page) == before
    with page.expect_navigation():
        page.evaluate(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'л', code: 'KeyK', bubbles: true}))"
        )
    assert cast_by(served) == [("keep", "", "")]


def test_the_tab_key_reaches_every_control_in_the_order_in_which_they_stand(
    serve: Serve, look: Callable[..., Any]
) -> None:
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"))
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.value || document.activeElement.id"))
    reasons = ["sense", "name", "gendered-term", "biological", "generic", "inside-word", "unfinished", "other"]
    assert reached == ["en", "keep", "unsure", *(f"drop:{reason}" for reason in reasons), "note"]
    page.keyboard.press("Shift+Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert cast_by(served) == [("drop", "other", "")]


def test_two_impatient_touches_are_one_vote(serve: Serve, look: Callable[..., Any]) -> None:
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"))
    with page.expect_navigation():
        page.evaluate("for (const b of document.querySelectorAll('#vote button')) b.click()")
    assert len(cast_by(served)) == 1


def test_the_page_works_without_javascript_and_the_back_button_shows_no_old_form(
    serve: Serve, look: Callable[..., Any]
) -> None:
    served = serve("--reviewers", "Ana")
    plain = look(served.reviewer("Ana"), java_script_enabled=False)
    with plain.expect_navigation():
        plain.locator("button[value=keep]").click()
    plain.locator("#lang").select_option("eu")
    with plain.expect_navigation():
        plain.locator(".language button").click()
    assert plain.locator("html").get_attribute("lang") == "eu"
    assert cast_by(served) == [("keep", "", "")]
    page = look(served.reviewer("Ana"))
    press(page, "k")
    now = sentence_on(page)
    page.go_back()
    page.wait_for_load_state()
    assert sentence_on(page) == now


def test_between_the_link_and_the_first_vote_stands_nothing_but_one_touch(
    serve: Serve, look: Callable[..., Any]
) -> None:
    """No name, no log-in, no text to click away: that is what lets a first vote be cast within ten seconds."""
    served = serve("--reviewers", "Ana")
    page = look(served.reviewer("Ana"), PHONE)
    assert page.url == served.reviewer("Ana")
    assert page.locator("dialog, [role=dialog], input:visible").count() == 0
    with page.expect_navigation():
        page.get_by_role("button", name="Keep").click()
    assert cast_by(served) == [("keep", "", "")]


def test_the_owners_pages_fit_are_accessible_and_refresh_themselves(serve: Serve, look: Callable[..., Any]) -> None:
    served = serve("--reviewers", "Ana,Ben", "--per-sentence", "2", "--pilot", "1", count=2)
    for name, choice in (("Ana", "keep"), ("Ben", "drop:name")):
        Client(served.reviewer(name)).vote(choice, "a note")
    for viewport in (PHONE, DESKTOP):
        for path in ("", "/disagreements", "/criteria", "/files"):
            page = look(served.owner + path, viewport)
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
            found = Axe().run(page)
            assert found.violations_count == 0, (path, found.generate_report())
            assert page.complaints == []
    page = look(served.owner)
    assert "2 of 2 votes" in page.inner_text("#numbers")
    with page.expect_navigation():
        page.get_by_role("button", name="Open the main part").click()
    Client(served.reviewer("Ana")).vote("unsure")
    page.get_by_text("3 of 4 votes").wait_for(timeout=30_000)
    assert page.complaints == []
