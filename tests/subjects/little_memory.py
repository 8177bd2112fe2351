"""Asks a model twice, the second time with hardly any memory left: prints how far the answers are apart."""

import os
import resource
import sys
from pathlib import Path
from typing import Any, cast

import polars as pl
import torch
import transformers

from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank
from tiltmeter.subjects.language_models.model import LanguageModel

LEFT = 96 << 20
"""Bytes; a batch of this model needs three times as much."""


def main(tokenizer: Path, folder: Path) -> None:
    config = transformers.AutoConfig.from_pretrained(tokenizer)
    config.intermediate_size = 16384
    torch.manual_seed(0)
    made: Any = transformers.AutoModelForMaskedLM
    made.from_config(config).save_pretrained(folder / "wide")
    transformers.AutoTokenizer.from_pretrained(tokenizer).save_pretrained(folder / "wide")
    texts = [f"he is a nurse {'she ' * count}and {number}" for count in range(25) for number in range(12)]
    blanks = [Blank(text=text, span=(0, 2), candidates=("he", "she")) for text in texts]
    free, tight = (_opened(folder / "wide", Store(folder / name)) for name in ("free", "tight"))
    expected = pl.concat(free.fill(blanks))["log_p"]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + LEFT, resource.RLIM_INFINITY))
    found = pl.concat(tight.fill(blanks))["log_p"]
    print((found - expected).abs().max(), tight.asked.network._fits or 0)


def _opened(folder: Path, store: Store) -> LanguageModel:
    return cast(LanguageModel, open_subject(str(folder), store, Reading(device="cpu")))


main(Path(sys.argv[1]), Path(sys.argv[2]))
