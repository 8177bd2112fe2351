"""What a reader reports: the rows it found, and what its vocabulary looks like."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Traits:
    """What decides how words are matched: is there an upper-case letter, a ё, a part-of-speech tag?"""

    words: int
    dimensions: int
    cased: bool
    yo: bool
    tagged: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    rows: Mapping[str, NDArray[np.float32]]
    traits: Traits


def describe(words: Iterable[str], dimensions: int) -> Traits:
    """Looks at the whole vocabulary once."""
    text = "\n".join(words)
    return Traits(
        words=text.count("\n") + 1 if text else 0,
        dimensions=dimensions,
        cased=text != text.lower(),
        yo="ё" in text or "Ё" in text,
        tagged="_NOUN\n" in text,
    )
