"""Every kind of figure in a real Chromium: nothing complains, nothing is loaded, everything fits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from charts.examples import EXAMPLES, HOSTILE
from tiltmeter import charts
from tiltmeter.results import Figure


def opened(browser: Any, figures: list[Figure], path: Path, *, width: int = 900, theme: str = "light") -> Any:
    """A page with these figures, as a report embeds them, and with all that it asked for and complained about."""
    places = "".join(
        f'<div class="chart"><script type="application/json">{charts.specification(figure)}</script><div></div></div>'
        for figure in figures
    )
    path.write_text(
        '<!doctype html><meta charset="utf-8"><style>body { margin: 8px } .chart > div { width: 100% }</style>'
        f"{places}<script>{charts.script()}</script><script>"
        f"const config = {json.dumps(charts.THEMES[theme])};"
        "window.drawn = Promise.all([...document.querySelectorAll('.chart')].map(chart => vegaEmbed("
        "chart.querySelector('div'), JSON.parse(chart.querySelector('script').textContent),"
        "{config, renderer: 'svg', actions: false})));</script>",
        "utf-8",
    )
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (page.complaints.append("dialog"), dialog.dismiss()))
    page.goto(path.as_uri())
    page.evaluate("window.drawn.then(() => null)")
    return page


def cut_off(page: Any) -> Any:
    """Texts that do not lie inside their picture."""
    return page.evaluate(
        """[...document.querySelectorAll('svg text')].filter(text => {
            const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
            return text.textContent && text.getAttribute('opacity') !== '0' &&
                (inner.left < outer.left - 1 || inner.right > outer.right + 1 ||
                inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2);
        }).map(text => text.textContent)"""
    )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_kind_is_drawn_without_a_complaint_and_fits(browser: Any, tmp_path: Path, width: int, theme: str) -> None:
    page = opened(browser, [*EXAMPLES.values()], tmp_path / "page.html", width=width, theme=theme)
    assert page.complaints == []
    assert page.asked == [(tmp_path / "page.html").as_uri()]
    assert page.locator(".chart svg").count() == len(EXAMPLES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert cut_off(page) == []
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_and_hints_fit(browser: Any, tmp_path: Path, width: int) -> None:
    hinted = "female less male association: ← nearer to female | nearer to male words →"
    names = [f"{test}: masculine gender / feminine gender" for test in ("E1", "E2", "E3")]
    colours = ("pkg:navec-news", "pkg:navec-hudlit")
    rows = tuple(
        {"name": name, hinted: 0.3, "who": who, "low": 0.1, "high": 0.5, "q25": 0.2, "q75": 0.4}
        for name in names
        for who in colours
    )
    classes = tuple({"name": name, "who": who, hinted: 0.3} for name in names for who in ("female-typed", "balanced"))
    shared: dict[str, Any] = {"title": "t", "neutral": 0}
    figures = [
        Figure(kind="intervals", rows=rows, x=hinted, y="name", low="low", high="high", colour="who", **shared),
        Figure(kind="sorted", rows=rows, x=hinted, y="name", colour="who", **shared),
        Figure(kind="box", rows=rows, x=hinted, y="name", low="low", high="high", colour="who", **shared),
        Figure(kind="heat", rows=classes, x="who", y="name", colour=hinted, **shared),
        Figure(kind="scatter", rows=rows, x="low", y=hinted, label="name", colour="who", **shared),
    ]
    page = opened(browser, figures, tmp_path / "page.html", width=width)
    assert page.locator(".chart svg").count() == len(figures)
    assert cut_off(page) == []
    page.close()


def test_names_are_cut_on_a_phone_and_whole_on_a_wide_page_also_when_it_is_resized(
    browser: Any, tmp_path: Path
) -> None:
    test, adjectives = "E7: rationality / emotionality", "самостоятельный/самостоятельная"
    nested = Figure(
        kind="intervals",
        title="n",
        rows=tuple({"model": "m", "test": name, "d": 1.0} for name in (test, "E1")),
        x="d",
        y="model",
        within="test",
    )
    names = (adjectives, *map(str, range(20)))
    bars = Figure(
        kind="sorted", title="s", rows=tuple({"w": w, "v": v} for v, w in enumerate(names)), x="v", y="w", neutral=0
    )
    for width, other in ((390, 1280), (1280, 390)):
        page = opened(browser, [nested, bars], tmp_path / "page.html", width=width)
        for now in (width, other):
            page.set_viewport_size({"width": now, "height": 900})
            page.wait_for_timeout(300)
            shown = page.locator(".role-axis-label text").all_text_contents()
            assert (test in shown, adjectives in shown) == ((True, True) if now == 1280 else (False, False))
            assert sum("…" in name for name in shown) == (0 if now == 1280 else 2)
            assert cut_off(page) == []
        page.close()


@pytest.mark.parametrize("kind", EXAMPLES)
def test_hostile_text_and_names_are_shown_as_they_are(browser: Any, tmp_path: Path, kind: str) -> None:
    odd = 'na"me.[0]\\'
    rows = tuple({**row, odd: HOSTILE, "image": "https://example.org/x.png"} for row in EXAMPLES[kind].rows)
    page = opened(browser, [replace(EXAMPLES[kind], rows=rows, title=HOSTILE)], tmp_path / "page.html")
    mark = page.locator("svg .role-mark.mark-symbol path, svg .role-mark.mark-rect path").last
    mark.hover(force=True)
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for(timeout=5_000)
    cells = dict(zip(tip.locator("td.key").all_inner_texts(), tip.locator("td.value").all_inner_texts(), strict=True))
    assert cells[odd] == HOSTILE.replace("\u2028", " ")
    assert cells["image:"] == "https://example.org/x.png"
    assert set(EXAMPLES[kind].rows[0]) <= {key.replace(" ", "_") for key in cells}
    assert page.locator("img").count() == 0
    assert page.complaints == []
    assert page.asked == [(tmp_path / "page.html").as_uri()]
    page.close()
