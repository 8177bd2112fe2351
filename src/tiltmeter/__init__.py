"""tiltmeter measures how far a language model tilts toward one gender.

>>> import tiltmeter
>>> run = tiltmeter.measure("weat", "pkg:glove-6b-50d")  # doctest: +SKIP
>>> run.plot()  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltmeter.api import (
        Audit,
        Built,
        BuiltNli,
        Comparison,
        Outcome,
        Reading,
        Run,
        audit,
        build_nli,
        build_slguset,
        calibrate,
        certify,
        cite,
        compare,
        find_runs,
        gate,
        measure,
        open_review,
        reproduce,
        review,
        selftest,
        train_classifier,
        train_language_model,
        train_nli,
        train_vectors,
        write_report,
    )

__all__ = [
    "Audit",
    "Built",
    "BuiltNli",
    "Comparison",
    "Outcome",
    "Reading",
    "Run",
    "audit",
    "build_nli",
    "build_slguset",
    "calibrate",
    "certify",
    "cite",
    "compare",
    "find_runs",
    "gate",
    "measure",
    "open_review",
    "reproduce",
    "review",
    "selftest",
    "train_classifier",
    "train_language_model",
    "train_nli",
    "train_vectors",
    "write_report",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    # Loaded when used: the command's --help must not wait for numpy and polars.
    if name in __all__:
        from tiltmeter import api

        return getattr(api, name)
    raise AttributeError(f"module 'tiltmeter' has no attribute {name!r}")
