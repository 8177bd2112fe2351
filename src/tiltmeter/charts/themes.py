"""The looks of every chart, as Vega configurations: a specification has no colours, a page or a file hands them in."""

from typing import Any

PAPER = {"light": "white", "dark": "#16191d"}
"""The ground that each theme is made for; a chart itself is transparent."""

# Okabe and Ito's colours, which the colour-blind can tell apart; each theme takes those that stand out from its ground.
_BLUE, _SKY, _GREEN, _YELLOW = "#0072B2", "#56B4E9", "#009E73", "#F0E442"
_ORANGE, _VERMILLION, _PURPLE = "#E69F00", "#D55E00", "#CC79A7"


def _theme(
    *, text: str, soft: str, line: str, colours: list[str], low: str, middle: str, high: str, strong: str
) -> dict[str, Any]:
    axis = {"domainColor": soft, "tickColor": soft, "gridColor": line, "labelColor": text, "titleColor": text}
    symbols = {"symbolOpacity": 1, "symbolBaseFillColor": soft, "symbolBaseStrokeColor": soft}
    return {
        "background": "transparent",
        "padding": {"left": 4, "top": 4, "right": 14, "bottom": 4},
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            **axis,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelFlush": False,
        },
        "legend": {"labelColor": text, "titleColor": text, "labelFontSize": 11, **symbols},
        "title": {"color": text, "fontSize": 13, "anchor": "start", "offset": 10},
        # Read aloud, a mark would give our own names; the axes and the whole are described.
        "mark": {"color": colours[0], "aria": False},
        "rule": {"color": colours[0]},
        "range": {
            "category": colours,
            "diverging": [low, middle, high],
            "ramp": [middle, low],
            "symbol": ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"],
        },
        "style": {
            "neutral": {"color": soft, "strokeDash": [4, 4]},
            "label": {"color": text, "fontSize": 10},
            "weak": {"color": text, "fontSize": 11},
            "strong": {"color": strong, "fontSize": 11},
            "on-colour": {"color": "#000000", "fontSize": 11},
        },
    }


THEMES: dict[str, dict[str, Any]] = {
    "light": _theme(
        text="#1f2328",
        soft="#6b7280",
        line="#e5e7eb",
        colours=[_BLUE, _VERMILLION, _GREEN, _PURPLE, _ORANGE, _SKY, "#737373"],
        low="#00578a",
        middle="#f4f4f5",
        high="#a84300",
        strong="#ffffff",
    ),
    "dark": _theme(
        text="#e6e8eb",
        soft="#9aa1ab",
        line="#31363d",
        colours=[_SKY, _ORANGE, _GREEN, _PURPLE, _YELLOW, _VERMILLION, "#b4b4b4"],
        low=_SKY,
        middle="#2b3036",
        high=_ORANGE,
        strong="#000000",
    ),
}
"""`vegaEmbed(place, specification, {config: THEMES["dark"]})`."""
