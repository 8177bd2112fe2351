"""What a language model is asked: what may stand at a place in a text."""

from dataclasses import dataclass
from itertools import pairwise

from tiltmeter.errors import TiltmeterError

Span = tuple[int, int]
"""From the first character to behind the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """A place in a text, what may stand there, and what is hidden meanwhile.

    `hidden` spans are masked; a model that has no mask reads `neutral` in their place instead. `apart` are spans that
    are to be seen and yet tokenised as if they were hidden: in scripts without spaces two questions about a sentence
    could otherwise be about different tokens.
    """

    text: str
    span: Span
    candidates: tuple[str, ...]
    hidden: tuple[Span, ...] = ()
    apart: tuple[Span, ...] = ()
    neutral: str | None = None

    def __post_init__(self) -> None:
        if not self.candidates:
            raise TiltmeterError(f"there are no candidates to fill into {self.text!r}")
        for candidate in self.candidates:
            if not candidate or candidate != candidate.strip():
                raise TiltmeterError(f"the candidate {candidate!r} is empty, or begins or ends with a space")
        for start, end in (self.span, *self.hidden, *self.apart):
            if not 0 <= start < end <= len(self.text):
                raise TiltmeterError(
                    f"the span {start}-{end} lies outside the {len(self.text)} characters of {self.text!r}"
                )
        for (_, end), (start, _) in pairwise(sorted((self.span, *self.hidden, *self.apart))):
            if start < end:
                raise TiltmeterError(f"two spans overlap in {self.text!r}")

    def filled(self, candidate: str) -> "Sentence":
        """The text with the candidate in its place, and where the spans lie then."""
        start, end = self.span
        longer = len(candidate) - (end - start)
        hidden, apart = (
            tuple(sorted((a + longer, b + longer) if a >= end else (a, b) for a, b in spans))
            for spans in (self.hidden, self.apart)
        )
        text = self.text[:start] + candidate + self.text[end:]
        return Sentence(text, (start, start + len(candidate)), hidden, apart)

    def readable(self, candidate: str) -> "Sentence":
        """The sentence as a model without a mask reads it."""
        if self.hidden and self.neutral is None:
            raise TiltmeterError(
                "a causal model has no mask: say which neutral words (such as 'a person') stand in for what is hidden "
                f"in {self.text!r}"
            )
        return self.filled(candidate).neutralised(self.neutral or "")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text in which a candidate stands at `span`."""

    text: str
    span: Span
    hidden: tuple[Span, ...] = ()
    apart: tuple[Span, ...] = ()

    def neutralised(self, neutral: str) -> "Sentence":
        """The sentence with these words in every hidden span."""
        text, (start, end) = self.text, self.span
        for first, last in reversed(self.hidden):
            text = text[:first] + neutral + text[last:]
            if first < start:
                longer = len(neutral) - (last - first)
                start, end = start + longer, end + longer
        return Sentence(text, (start, end))
