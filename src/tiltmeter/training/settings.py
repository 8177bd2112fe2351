"""How a network is trained, checked once."""

from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """As published for inference (Anantaprayoon et al. 2023, appendix D): 5 epochs, 2e-5, batches of 32, 128 tokens.

    The rest is what transformers does where nothing is said: AdamW, no weight decay, a learning rate that falls to 0 in
    a straight line, gradients cut to a norm of 1.
    """

    epochs: int = 5
    learning_rate: float = 2e-5
    batch: int = 32
    max_length: int = 128
    """Tokens; what is longer is cut, and counted."""
    warmup: float = 0.0
    """The share of the steps in which the learning rate rises to its height."""
    masked: float = 0.15
    """The share of the tokens that a masked model has to tell from the others."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise TiltmeterError(f"{name} has to be at least 1, and {getattr(self, name)} was given")
        if self.max_length < 8:
            raise TiltmeterError(f"max_length has to be at least 8 tokens, and {self.max_length} was given")
        if not 0 < self.learning_rate < 1:
            raise TiltmeterError(f"learning_rate has to lie between 0 and 1, and {self.learning_rate} was given")
        if not 0 <= self.warmup < 1:
            raise TiltmeterError(f"warmup is a share of the steps from 0 to below 1, and {self.warmup} was given")
        if not 0 < self.masked < 1:
            raise TiltmeterError(f"masked is a share of the tokens between 0 and 1, and {self.masked} was given")
        if not 0 <= self.seed < 2**32:
            raise TiltmeterError(f"seed has to be from 0 to {2**32 - 1}, and {self.seed} was given")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What decides how a training runs, not what comes out of it."""

    device: str = "auto"
    """`auto`: a GPU where there is one; or `cpu`."""
    save_every: float = 60.0
    """Seconds between two checkpoints."""

    def __post_init__(self) -> None:
        if self.device not in ("auto", "cpu"):
            raise TiltmeterError(f"--device of a training is auto or cpu, not {self.device!r}")
