"""How a subject is read, where that is not told by the subject itself."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tiltmeter.errors import TiltmeterError, unknown


def _said(default: Any, help_text: str) -> Any:
    """A field with the sentence that `--help` shows."""
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a user says about a subject."""

    kind: Literal["auto", "vectors", "masked", "causal", "discriminator", "nli"] = _said(
        "auto", "What the subject is, where its files do not tell."
    )
    format: str | None = _said(None, "Vectors: the format of a file, where it does not tell.")
    subwords: bool = _said(False, "Vectors: compose words that a fastText model lacks.")
    skip_broken: bool = _said(False, "Vectors: leave out words of the vocabulary that are not UTF-8.")
    dtype: Literal["float32", "bfloat16"] = _said("float32", "Models: the numbers they are computed with.")
    device: str = _said("auto", "Models: cpu, cuda, cuda:N or mps; auto takes a GPU where there is one.")
    pre_segment: Literal["auto", "none", "mecab", "jumanpp"] = _said(
        "auto", "Models: cut Japanese text into words first; auto refuses a model that wants it and was not told how."
    )
    allow_pickle: bool = _said(False, "Models: read weights that are a pickle, which can run code.")
    allow_code: bool = _said(False, "Models: run Python code that a model brings with it.")
    labels: str = _said(
        "",
        "NLI models: what the labels mean, in the order of their numbers, where the model does not name them: "
        "entailment,neutral,contradiction.",
    )
    runner: Literal["local", "ray"] = _said("local", "Models: work here, or spread over a Ray cluster.")
    rate: float | None = _said(None, "Servers: at most so many requests a second.")

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Reading).items():
            if get_origin(hint) is Literal and getattr(self, name) not in get_args(hint):
                raise unknown(f"value of --{name.replace('_', '-')}", str(getattr(self, name)), get_args(hint))
        if self.rate is not None and not self.rate > 0:
            raise TiltmeterError(f"--rate is a number of requests a second above 0, not {self.rate}")
