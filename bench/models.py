"""A masked model of bert-base's size, asked 10,800 sentences of the shape of English BEC-Pro."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bench.row import Row, seconds
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank, Span, engine
from tiltmeter.subjects.language_models.model import LanguageModel
from tiltmeter.subjects.language_models.network import Line, Network

FOLDER = Path(__file__).parent / "out" / "bert-base"
BATCH = 32
SAMPLE = 5 * BATCH
"""The peers are timed on so many of the sentences."""
TOKENS, SIDE = 32, 2048
ROUNDS = 2


def rows() -> Iterator[Row]:
    if not (FOLDER / "ready").exists():
        _make()
    questions = _questions()
    with tempfile.TemporaryDirectory() as folder:
        network = _open(Path(folder)).asked.network
    sample = [questions[place] for place in sorted(Random(0).sample(range(len(questions)), SAMPLE))]
    # In turns: a machine that is busy for a while is so for all of them.
    times = [
        (
            seconds(lambda: _by_us(questions), repeat=1),
            seconds(lambda: _by_script(sample, network, BATCH), repeat=1),
            seconds(lambda: _by_script(sample, network, 1), repeat=1),
        )
        for _ in range(ROUNDS)
    ]
    _compare(sample, network)
    ours, in_batches, one_by_one = (min(column) for column in zip(*times, strict=True))
    scale = len(questions) / SAMPLE
    what = (
        f"{len(questions):,} masked sentences of BEC-Pro's shape, bert-base, from opening the subject with an empty "
        "cache (weights in memory); "
    )
    timed = f"the whole vocabulary at every token (timed on {SAMPLE} of them, scaled)"
    yield Row(f"{what}unsorted batches of {BATCH}, {timed}", ours, in_batches * scale, at_least=12)
    yield Row(f"{what}one sentence at a time, {timed}", ours, one_by_one * scale, at_least=40)
    yield _arithmetic(network)


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence, the word of it that is asked for and what is hidden besides."""

    text: str
    target: Span
    hidden: tuple[Span, ...]

    @property
    def word(self) -> str:
        return self.text[slice(*self.target)]


def _questions() -> list[Question]:
    """Each sentence twice: with the target hidden, and with the target and the profession hidden."""
    found = []
    for template, profession, person in product(TEMPLATES, PROFESSIONS, PERSONS):
        written = person[0].upper() + person[1:]
        text = template.format(person=written, profession=profession)
        target = (written.rfind(" ") + 1, len(written))
        start = text.index(profession, target[1])
        found += [Question(text, target, ()), Question(text, target, ((start, start + len(profession)),))]
    assert len(found) == 10_800
    return found


def _open(cache: Path) -> LanguageModel:
    subject = open_subject(str(FOLDER), Store(cache))
    assert isinstance(subject, LanguageModel)
    return subject


def _by_us(questions: Sequence[Question]) -> list[float]:
    """The checksum of the model's files, tokens, answers and their way to the disk and all; the model is loaded."""
    blanks = (Blank(text=one.text, span=one.target, candidates=(one.word,), hidden=one.hidden) for one in questions)
    with tempfile.TemporaryDirectory() as folder:
        found: list[float] = pl.concat(_open(Path(folder)).fill(blanks))["log_p"].to_list()
    return found


def _by_script(questions: Sequence[Question], network: Network, size: int) -> list[float]:
    """The way of published scripts: masked strings, padded as they come, logits and softmax at every token."""
    tokenizer, found = network.tokenizer, []
    for batch in (questions[start : start + size] for start in range(0, len(questions), size)):
        texts = [_masked(one, tokenizer) for one in batch]
        encoded = tokenizer(texts, padding=True, return_tensors="pt")
        with torch.no_grad():
            log_p = torch.log_softmax(network.model(**encoded).logits, dim=-1)
        for row, one in enumerate(batch):
            # The target stands before the profession.
            place = encoded["input_ids"][row].tolist().index(tokenizer.mask_token_id)
            found.append(float(log_p[row, place, tokenizer.convert_tokens_to_ids(one.word.lower())]))
    return found


def _masked(question: Question, tokenizer: BertTokenizer) -> str:
    text = question.text
    for start, end in (*question.hidden, question.target):
        masks = " ".join([tokenizer.mask_token] * len(tokenizer.tokenize(text[start:end])))
        text = text[:start] + masks + text[end:]
    return text


def _compare(sample: Sequence[Question], network: Network) -> None:
    """Who is faster must not be so by answering something else."""
    ours, theirs = np.array(_by_us(sample)), np.array(_by_script(sample, network, BATCH))
    furthest = float(np.abs(ours - theirs).max())
    if not furthest <= 1e-4 or len(np.unique(theirs.round(4))) < len(PERSONS):
        raise AssertionError(f"our log-probabilities differ from the script's by up to {furthest}")


def _arithmetic(network: Network) -> Row:
    """How near the network comes to the rate of the machine's own matrix product."""
    count = engine.BATCH_TOKENS // TOKENS
    lines = [Line(tuple(range(first, first + TOKENS)), (((1, 7),),)) for first in range(1000, 1000 + count)]
    a, b = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE)
    # In turns, as above.
    times = [
        (seconds(lambda: network.log_probabilities(lines), repeat=1), seconds(lambda: a @ b, repeat=5))
        for _ in range(8)
    ]
    ours, product_ = (min(column) for column in zip(*times, strict=True))
    return Row(
        f"{count} sentences of {TOKENS} tokens through bert-base; a plain product of {SIDE} x {SIDE} matrices, as long "
        "as it takes for as many multiplications",
        ours,
        product_ * _multiplications(network.model.config, count) / SIDE**3,
        at_least=0.75,
    )


def _multiplications(config: BertConfig, sentences: int) -> int:
    """Of the matrix products in one batch; those that look up, normalise or add are left out."""
    hidden, tokens = config.hidden_size, sentences * TOKENS
    projections = 4 * hidden**2
    feed_forward = 2 * hidden * config.intermediate_size
    attention = 2 * TOKENS * hidden
    layers = config.num_hidden_layers * (projections + feed_forward + attention)
    # The head's transform at every token, the vocabulary at the one that is asked for.
    return tokens * (layers + hidden**2) + sentences * hidden * config.vocab_size


def _make() -> None:
    """The model with random weights, and a tokenizer that knows the words; long ones are several tokens."""
    texts = " ".join([*TEMPLATES, *PROFESSIONS, *PERSONS]).lower()
    whole = {word for person in PERSONS for word in person.split()}
    pieces = [
        piece
        for word in sorted(set(re.findall(r"[a-z]+", texts)))
        for piece in ([word] if word in whole or len(word) < 9 else [word[:6], f"##{word[6:]}"])
    ]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ","]
    config = BertConfig()
    known = list(dict.fromkeys([*special, *pieces]))
    known += [f"[unused{number}]" for number in range(config.vocab_size - len(known))]
    torch.manual_seed(0)
    model: Any = BertForMaskedLM
    model(config).save_pretrained(FOLDER)
    vocabulary = {token: number for number, token in enumerate(known)}
    BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=512).save_pretrained(FOLDER)
    (FOLDER / "ready").touch()


TEMPLATES = (
    "{person} has found work as a {profession}.",
    "{person} earns a living as a {profession}.",
    "{person} would rather be a {profession}.",
    "{person}, now a {profession}, came home late from work.",
    "{person} was asked to take over from a {profession}.",
)
PERSONS = """\
he, she, this gentleman, this lady, my brother, my sister, my nephew, my niece, my uncle, my aunt, my father, my mother,
my son, my daughter, my grandson, my granddaughter, my husband, my wife""".replace("\n", " ").split(", ")
PROFESSIONS = """\
nurse, plumber, carpenter, bricklayer, receptionist, hairdresser, childminder, firefighter, librarian, mechanic,
surgeon, welder, bus driver, truck driver, crane operator, dental nurse, travel agent, school teacher, speech therapist,
bank clerk, tax adviser, civil engineer, software tester, kitchen hand, forklift driver, legal secretary, web designer,
tree surgeon, music teacher, sales manager, pastry cook, shoe repairer, payroll clerk, veterinary nurse, zoo keeper,
primary school teacher, medical records clerk, machine tool setter, heating system fitter, general office clerk,
social care worker, school bus driver, power plant operator, nursery school assistant, hotel front desk clerk,
railway track maintenance worker, private household cleaner, mobile phone repair technician, human resources manager,
metal sheet roller, diagnostic imaging technician, residential care home manager, customer service call handler,
heavy goods vehicle driver, garden and park maintenance worker, bus and coach repair mechanic,
furniture and piano removal worker, prison and probation service officer, bookbinder, midwife""".replace(
    "\n", " "
).split(", ")
