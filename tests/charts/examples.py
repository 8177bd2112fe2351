"""A figure of every kind, small and whole; and text that tries to be more than text."""

from tiltmeter.results import Figure

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028‮😀 \"'\\ {{datum}}"

_CLASSES = ("female", "male")
_TESTS = [
    {"test": test, "d": d, "low": d - 0.4, "high": d + 0.5, "lang": lang, "who": who}
    for test, d in (("career / family", 0.7), ("science / arts", -0.2))
    for lang in ("en", "ru")
    for who in ("first model", "second model")
]
_BOXES = [
    {"class": name, "who": who, "median": 0.1, "q25": -0.5, "q75": 0.6, "lowest": -2, "highest": 3}
    for name in _CLASSES
    for who in _CLASSES
]
_JOBS = [
    {"share": share, "difference": share / 50 - 1, "profession": name, "class": _CLASSES[share < 50]}
    for share, name in ((2, "mason"), (34, "judge"), (55, "baker"), (91, "nurse"))
]
_STEPS = [
    {"step": step, "bias": 2 - step / 100 + place, "low": 1 - step / 100, "high": 3 - step / 100, "who": who}
    for place, who in enumerate(_CLASSES)
    for step in (0, 100, 200)
]
_BINS = [
    {"from": edge / 4, "to": (edge + 1) / 4, "n": edge * edge, "list": name} for name in "ab" for edge in range(-3, 4)
]
_PARTS = [
    {"who": who, "n": n, "label": label}
    for who in ("nurse", "judge")
    for n, label in ((20, "entailment"), (30, "neutral"), (50, "contradiction"))
]

EXAMPLES: dict[str, Figure] = {
    figure.kind: figure
    for figure in (
        Figure(
            kind="intervals",
            title="d",
            rows=tuple(_TESTS),
            x="d",
            y="test",
            low="low",
            high="high",
            colour="who",
            within="lang",
            neutral=0,
        ),
        Figure(kind="sorted", title="s", rows=tuple(_JOBS), x="difference", y="profession", colour="class", neutral=0),
        Figure(
            kind="box",
            title="b",
            rows=tuple(_BOXES),
            x="median",
            y="class",
            low="lowest",
            high="highest",
            colour="who",
            neutral=0,
        ),
        Figure(kind="histogram", title="h", rows=tuple(_BINS), x="from", y="n", high="to", colour="list", neutral=0),
        Figure(kind="heat", title="m", rows=tuple(_BOXES), x="class", y="who", colour="median", neutral=0),
        Figure(
            kind="scatter",
            title="p",
            rows=tuple(_JOBS),
            x="share",
            y="difference",
            label="profession",
            colour="class",
            neutral=0,
        ),
        Figure(
            kind="series",
            title="l",
            rows=tuple(_STEPS),
            x="step",
            y="bias",
            low="low",
            high="high",
            colour="who",
            neutral=0,
        ),
        Figure(kind="shares", title="q", rows=tuple(_PARTS), x="n", y="who", colour="label"),
    )
}
