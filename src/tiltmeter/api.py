"""The verbs, for Python: what the command does, with the same names."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter import report as _report
from tiltmeter import runs as _runs
from tiltmeter.corpora import Built, BuiltNli, NliRequest, Request, Spread
from tiltmeter.corpora import build_nli as _build_nli
from tiltmeter.corpora import build_slguset as _build_slguset
from tiltmeter.datasets.labelled import Labelled, read_labelled
from tiltmeter.datasets.nli_corpora import Use, read_nli
from tiltmeter.errors import MissingExtra, TiltmeterError, unknown
from tiltmeter.reading import Reading
from tiltmeter.report import cite
from tiltmeter.runs import Audit, Comparison, On, Outcome, Run
from tiltmeter.store import Store
from tiltmeter.training import open_corpus, train_vectors

_log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from tiltmeter.calibration import Calibration, Certificate, Selftest
    from tiltmeter.reviews import Opened
    from tiltmeter.studies import Reproduction
    from tiltmeter.web import Site

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


def measure(
    instrument: str,
    subject: str,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    cache: str | Path | None = None,
    reading: Reading = Reading(),
    **options: Any,
) -> Run:
    """Measures one subject with one instrument, or answers from disk if that was done before.

    >>> run = tiltmeter.measure("weat", "pkg:navec-news", effect_size="pestova")  # doctest: +SKIP
    >>> run.to_pandas()  # doctest: +SKIP
    """
    return _runs.measure(instrument, subject, lang=lang, pack=pack, store=_store(cache), reading=reading, **options)


def audit(
    subjects: Sequence[str] | None = None,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    budget_minutes: float | None = None,
    cache: str | Path | None = None,
    reading: Reading = Reading(),
) -> Audit:
    """Measures all that can be measured on the subjects, and says what could not; without subjects, on the reference
    subjects and on real vectors of the package registry."""
    return _runs.audit(
        subjects, lang=lang, pack=pack, store=_store(cache), budget_minutes=budget_minutes, reading=reading
    )


def compare(
    before: str | Run | Sequence[Run], after: str | Run | Sequence[Run], *, cache: str | Path | None = None
) -> Comparison:
    """What changed from one model to another, or from before to after: paired differences, and what got worse.

    Each side is a run, several runs, or a name: an id, a folder of runs, or a subject that was measured.

    >>> tiltmeter.compare("pkg:navec-news", "pkg:navec-hudlit").changed("worse")  # doctest: +SKIP
    """
    first, second = (_chosen(side, cache) for side in (before, after))
    return _runs.compare(first, second)


def _chosen(side: str | Run | Sequence[Run], cache: str | Path | None) -> Sequence[Run]:
    return find_runs(side, cache=cache) if isinstance(side, str) else _several(side)


def find_runs(*names: str, cache: str | Path | None = None) -> list[Run]:
    """Finished runs: by id or its beginning, by a folder of runs, or by the name of a subject that was measured."""
    return _runs.find_runs(_store(cache), names)


def _several(audited: Audit | Run | Sequence[Run]) -> Sequence[Run]:
    return audited.runs if isinstance(audited, Audit) else [audited] if isinstance(audited, Run) else audited


def write_report(
    audited: Audit | Run | Sequence[Run],
    out: str | Path | None = None,
    *,
    figures: str | Path | None = None,
    font: str | Path | None = None,
) -> list[Path]:
    """Writes an audit or some runs as the ending of `out` says, and their figures into a folder.

    >>> tiltmeter.write_report(run, "report.html", figures="figures")  # doctest: +SKIP
    """
    runs = _several(audited)
    skipped = audited.skipped if isinstance(audited, Audit) else _runs.unmeasured(runs)
    written = [] if out is None else _report.write_report(runs, Path(out), skipped=skipped)
    return written + ([] if figures is None else _report.write_figures(runs, Path(figures), font=font))


def gate(
    audited: Audit | Run | Sequence[Run],
    *,
    max: str | Sequence[str] = (),
    min: str | Sequence[str] = (),
    rules: str | Path | None = None,
    on: On | None = None,
) -> list[Outcome]:
    """Holds runs against limits, given as text or in a TOML file; every outcome says whether it passed.

    >>> outcomes = tiltmeter.gate([run], max=["weat.effect_size[test=E6]=1.5"])  # doctest: +SKIP
    >>> [outcome.sentence() for outcome in outcomes if not outcome.passed]  # doctest: +SKIP
    """
    wanted = [_runs.parse_rule(text, "max") for text in ([max] if isinstance(max, str) else max)]
    wanted += [_runs.parse_rule(text, "min") for text in ([min] if isinstance(min, str) else min)]
    wanted += [] if rules is None else _runs.read_rules(rules, on)
    return _runs.check(_several(audited), wanted, on=on or "value")


def build_slguset(
    corpus: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    spread: Spread | None = None,
    cache: str | Path | None = None,
    **options: Any,
) -> Built:
    """Gender-neutral sentences out of a corpus of any size; the options are the fields of `Request`.

    >>> built = tiltmeter.build_slguset("news/", "my-set", lang="zh", total=2000)  # doctest: +SKIP
    >>> built.card.unfilled  # doctest: +SKIP
    """
    chosen = _runs.choose_pack("the corpus", lang=lang, pack=pack)
    names = [corpus] if isinstance(corpus, str | Path) else corpus
    request = Request(chosen, [str(name) for name in names], **options)
    return _build_slguset(request, Path(out), store=_store(cache), spread=spread)


def build_nli(out: str | Path, *, lang: str | None = None, pack: str | Path | None = None, **options: Any) -> BuiltNli:
    """Pairs for NLI-CoAL, from the pack's captions or from a file of them; the options are the fields of `NliRequest`.

    >>> built = tiltmeter.build_nli("my-pairs", lang="ja", captions=Path("captions.json"))  # doctest: +SKIP
    >>> built.card.sizes()  # doctest: +SKIP
    """
    return _build_nli(NliRequest(pack=_runs.choose_pack("the set", lang=lang, pack=pack), **options), Path(out))


def reproduce(
    study: str | Path,
    *,
    models: str | Path | None = None,
    only: Sequence[str] = (),
    cache: str | Path | None = None,
    reading: Reading = Reading(),
) -> "Reproduction":
    """A study measured again with what is at hand, every printed number beside ours; `study` is the name of one that
    ships, or a file of yours.

    >>> found = tiltmeter.reproduce("pestova", models="vectors/")  # doctest: +SKIP
    >>> [cell.difference for table in found.tables for cell in table.cells]  # doctest: +SKIP
    """
    from tiltmeter import studies

    place = None if models is None else Path(models)
    return studies.reproduce(studies.read_study(study), models=place, only=only, reading=reading, store=_store(cache))


def calibrate(
    instrument: str,
    model: str | None = None,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    sets: str | Path | None = None,
    evaluation: str | Path | None = None,
    device: str = "auto",
    cache: str | Path | None = None,
    **options: Any,
) -> "Calibration":
    """Trains models to a bias that is known and measures them; the other options are the fields of `Plan`.

    >>> tiltmeter.calibrate("nli-coal", lang="ja", seeds=10).following()  # doctest: +SKIP
    """
    if instrument != "nli-coal":
        raise unknown("instrument that is calibrated by training models", instrument, ["nli-coal"])
    with needing_models():
        from tiltmeter.calibration.nli_coal import Plan, calibrate_nli_coal
        from tiltmeter.training.settings import Running

    if model is None and lang is None and pack is None:
        raise TiltmeterError("the language is not known; say it with --lang, or give a --pack")
    plan = Plan(
        pack=_runs.choose_pack(model or "the calibration", lang=lang, pack=pack),
        pack_folder=None if pack is None else Path(pack),
        model=model,
        sets=None if sets is None else Path(sets),
        evaluation=None if evaluation is None else Path(evaluation),
        running=Running(device=device),
        **options,
    )
    return calibrate_nli_coal(plan, _store(cache))


def certify(
    instrument: str,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    cache: str | Path | None = None,
    **options: Any,
) -> "Certificate":
    """Measures vectors or models that learnt texts of a bias that is known; the other options are the fields of
    `VectorPlan` (weat, bad, mweat) or of `ModelPlan` (becpro, form-preference, slgu).

    >>> tiltmeter.certify("weat", lang="ru").false_positives()  # doctest: +SKIP
    >>> tiltmeter.certify("form-preference", lang="es", kind="causal").robustness()  # doctest: +SKIP
    """
    from tiltmeter.calibration import vector_worlds

    if lang is None and pack is None:
        raise TiltmeterError("the language is not known; say it with --lang, or give a --pack")
    chosen = _runs.choose_pack("the worlds", lang=lang, pack=pack)
    if instrument in vector_worlds.WAYS:
        plan = vector_worlds.VectorPlan(instrument=instrument, pack=chosen, **options)
        return vector_worlds.certify(plan, _store(cache))
    with needing_models():
        from tiltmeter.calibration import model_worlds
    if instrument not in model_worlds.WAYS:
        raise unknown("instrument that has worlds", instrument, [*vector_worlds.WAYS, *model_worlds.WAYS])
    return model_worlds.certify(model_worlds.ModelPlan(instrument=instrument, pack=chosen, **options), _store(cache))


def selftest(only: str | Sequence[str] = ()) -> "Selftest":
    """Measures the reference subjects again, or those named, and compares with what was recorded when they were made.

    >>> tiltmeter.selftest("ref:en-vectors").agrees  # doctest: +SKIP
    """
    from tiltmeter.calibration.selftest import selftest as measure_again

    return measure_again([only] if isinstance(only, str) else only)


_FURTHER = 5e-5
"""The learning rate of a language model that is trained further."""


def train_nli(
    models: str | Sequence[str],
    data: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    test: str | Path | Sequence[str | Path] = (),
    lang: str | None = None,
    epochs: int = 5,
    learning_rate: float = 2e-5,
    batch: int = 32,
    max_length: int = 128,
    seeds: Sequence[int] = (0,),
    pre_segment: str = "auto",
    device: str = "auto",
    runner: str = "local",
    overwrite: bool = False,
    cache: str | Path | None = None,
) -> list[Path]:
    """Fine-tunes models for natural language inference on published files, with the published settings; of several
    models or seeds each has a folder of its own. `tiltmeter.training.classifiers` does it with values.

    >>> tiltmeter.train_nli("bert-base-uncased", "snli_1.0_train.jsonl", "my-nli-model")  # doctest: +SKIP
    """
    names = [models] if isinstance(models, str) else list(models)
    files, held_out = ([given] if isinstance(given, str | Path) else given for given in (data, test))
    store = _store(cache)
    with needing_models():
        from tiltmeter.training.classifiers import train_nli as train
        from tiltmeter.training.many import train_many
        from tiltmeter.training.networks import Pretrained
        from tiltmeter.training.settings import Running, Settings

    running = Running(device=device)
    pairs, tested = _pairs(files, "train", lang), _pairs(held_out, "test", lang)
    many = len(names) * len(seeds) > 1
    places = [f"{Path(name).name}-seed{seed}" for name in names for seed in seeds]
    if twice := next((place for place in places if places.count(place) > 1), None):
        raise TiltmeterError(f"two models would be written to {Path(out) / twice}; give one of them another name")
    networks = {name: Pretrained(name, store, pre_segment) for name in names}
    for network in networks.values():
        _ = network.folder, network.segmenter  # what is wrong with any is said before the first is trained
    fits = [
        partial(
            train,
            networks[name],
            pairs,
            Path(out) / f"{Path(name).name}-seed{seed}" if many else Path(out),
            test=tested,
            settings=Settings(
                epochs=epochs, learning_rate=learning_rate, batch=batch, max_length=max_length, seed=seed
            ),
            running=running,
            lang=lang,
            store=store,
            overwrite=overwrite,
        )
        for name in names
        for seed in seeds
    ]
    return train_many(fits, runner)


def train_classifier(
    model: str,
    data: str | Path,
    out: str | Path,
    *,
    test: str | Path | None = None,
    lang: str | None = None,
    device: str = "auto",
    overwrite: bool = False,
    cache: str | Path | None = None,
    **settings: Any,
) -> Path:
    """Fine-tunes a model to tell the labels of a file apart (TSV or JSON lines with `text` and `label`); `settings` are
    the fields of `Settings`."""
    with needing_models():
        from tiltmeter.training.classifiers import train_classifier as train
        from tiltmeter.training.settings import Running, Settings

    return train(
        model,
        read_labelled(Path(data)),
        out,
        test=() if test is None else read_labelled(Path(test)),
        settings=Settings(**settings),
        running=Running(device=device),
        lang=lang,
        store=_store(cache),
        overwrite=overwrite,
    )


def train_language_model(
    kind: str,
    corpus: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    model: str | None = None,
    test: str | Path | Sequence[str | Path] = (),
    lang: str | None = None,
    network: Mapping[str, Any] | None = None,
    learning_rate: float | None = None,
    device: str = "auto",
    overwrite: bool = False,
    cache: str | Path | None = None,
    **settings: Any,
) -> Path:
    """Trains a `masked` or `causal` language model on text files, a line a text: a small one (`network`: the fields of
    `Small`) at a rate of 1e-3, or `model` further at 5e-5; `settings` are the fields of `Settings`. A model that wants
    its text cut into words has to be given it so."""
    with needing_models():
        from tiltmeter.training.language_models import SETTINGS
        from tiltmeter.training.language_models import train_language_model as train
        from tiltmeter.training.networks import Pretrained, Small
        from tiltmeter.training.settings import Running

    held_out = list(open_corpus(test, lower=False).lines()) if test else []
    if test and not held_out:
        raise TiltmeterError("there is no text to test on")
    store = _store(cache)
    rate = (SETTINGS.learning_rate if model is None else _FURTHER) if learning_rate is None else learning_rate
    if model is not None and network:
        raise TiltmeterError("a model that is trained further has its layers and its tokenizer already")
    return train(
        kind,
        list(open_corpus(corpus, lower=False).lines()),
        out,
        network=Small(**network or {}) if model is None else Pretrained(model, store, pre_segment="none"),
        test=held_out,
        settings=replace(SETTINGS, learning_rate=rate, **settings),
        running=Running(device=device),
        lang=lang,
        store=store,
        overwrite=overwrite,
    )


def review(
    path: str | Path,
    *,
    reviewers: Sequence[str] = (),
    per_sentence: int | None = None,
    host: str = "127.0.0.1",
    port: int = 8710,
    url: str = "",
    ready: "Callable[[Site, Opened], None]" = lambda site, _: print(site.owner_link, site.links),
    **options: Any,
) -> None:
    """Lets people judge the sentences of a set in the browser, until it is interrupted; the options are those of
    `open_review`. `ready` is told the links.

    >>> tiltmeter.review("my-set/set.parquet", reviewers=["Ana", "Ben", "Cai"])  # doctest: +SKIP
    """
    from tiltmeter.web import serve_review

    serve_review(
        lambda: open_review(path, per_sentence=per_sentence, **options),
        reviewers=reviewers,
        per_sentence=per_sentence,
        host=host,
        port=port,
        url=url,
        ready=ready,
    )


def open_review(
    path: str | Path,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    database: str | None = None,
    per_sentence: int | None = None,
    pilot: int | None = None,
    begin: bool = True,
) -> "Opened":
    """Begins the review of a sentence set, or goes on with it; the language is that of the set's data card if none is
    said. `tiltmeter.reviews` has what can be done with it.

    >>> opened = tiltmeter.open_review("my-set/set.parquet")  # doctest: +SKIP
    >>> tiltmeter.reviews.snapshot(opened.database).agreements()  # doctest: +SKIP
    """
    from tiltmeter import reviews

    if not Path(path).is_file():
        raise TiltmeterError(
            f"{path} is no file: a set is what `tiltmeter build slguset` writes, or a CSV like SlguSet"
        )
    said = lang or (None if pack else reviews.language_of(Path(path)))
    if said is None and pack is None:
        raise TiltmeterError("the language is not known; say it with --lang, or give a --pack")
    chosen = _runs.choose_pack("the set", lang=said, pack=pack)
    return reviews.open_review(
        Path(path), chosen, database=database, per_sentence=per_sentence, pilot=pilot, begin=begin
    )


def _pairs(paths: Sequence[str | Path], use: Use, lang: str | None) -> list[Labelled]:
    found = [read_nli(Path(path), use=use, lang=lang) for path in paths]
    if undecided := sum(read.undecided for read in found):
        _log.info("%s pairs to %s on have no label that people agreed on: left out", f"{undecided:,}", use)
    return [pair for read in found for pair in read.pairs]


@contextmanager
def needing_models() -> Iterator[None]:
    """Says which extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra("torch and transformers", "models") from error


def _store(cache: str | Path | None) -> Store:
    return Store(None if cache is None else Path(cache))
