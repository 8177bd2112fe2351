"""Word vectors that stand in memory: a world's, measured a thousand times without a file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tiltmeter.packs import Word
from tiltmeter.subjects.vector_files import Traits
from tiltmeter.subjects.vectors import Found, Vector


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Vectors by word. Words are matched as they are written, adjectives taken in the form that is listed."""

    rows: Mapping[str, Vector]
    name: str = "vectors in memory"
    fingerprint: str = ""
    lang: str | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)
    to_fetch: int = 0

    capabilities = frozenset({"vectors"})
    engine = "table-1"
    packages = ()

    def vectors(self, words: Iterable[Word], *, match: str = "", adjectives: str = "") -> Found:  # noqa: ARG002
        asked = list(dict.fromkeys(word.text for word in words))
        lengths = {text: float(np.linalg.norm(self.rows[text])) for text in asked if text in self.rows}
        known = [text for text in lengths if lengths[text] > 0]
        dimensions = len(next(iter(self.rows.values()), ()))
        return Found(
            vectors={text: self.rows[text] / lengths[text] for text in known},
            lengths=lengths,
            forms={text: text for text in known},
            lost={text: "not in the vocabulary" for text in asked if text not in known},
            policies=("exact",),
            averaged=(),
            traits=Traits(len(self.rows), dimensions, cased=True, yo=True, tagged=False, rows=len(self.rows)),
        )

    def estimated_seconds(self, questions: int) -> float:  # noqa: ARG002
        return 0.0
