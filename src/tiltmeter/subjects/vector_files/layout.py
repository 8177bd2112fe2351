"""Which format lies at a path, and which of its files plays which part: told by content, the name as a hint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.subjects.vector_files.fasttext_binary import MAGIC
from tiltmeter.subjects.vector_files.members import Member, members_of
from tiltmeter.subjects.vector_files.pickles import is_pickle, pickled
from tiltmeter.subjects.vector_files.text import shape_of

FORMATS: Mapping[str, tuple[str, ...]] = {
    "text": ("vectors",),
    "word2vec-binary": ("vectors",),
    "fasttext-binary": ("vectors",),
    "navec": ("vectors",),
    "numpy": ("vectors", "words"),
    "spacy": ("vectors", "key2row", "strings"),
}
"""Each format, and the parts it is made of."""


@dataclass(frozen=True, slots=True)
class Layout:
    format: str
    files: Mapping[str, Member]


def find_layout(path: Path, *, member: str = "", format: str | None = None) -> Layout:
    """The vectors at a path: a file, a .gz, a .zip or a folder; `member` names one of several."""
    if format is not None and format not in FORMATS:
        raise unknown("vector format", format, FORMATS)
    members = members_of(path)
    if member:
        if member not in members:
            raise TiltmeterError(f"{path.name} holds no {member!r}; it holds {_listed(members)}")
        members = {member: members[member]}
    if format in (None, "spacy") and (parts := _spacy_parts(members)):
        return Layout("spacy", parts)
    if format == "spacy":
        raise TiltmeterError(f"{path.name} has no vectors, key2row and strings.json, as spaCy writes under vocab/")
    if format == "numpy":
        matrices = [name for name in members if _stem(name).suffix == ".npy"] or list(members)
        return Layout("numpy", _numpy_parts(path, matrices[0], members))
    if format is not None and len(members) == 1:
        file = next(iter(members.values()))
        if is_pickle(file.head()):
            raise pickled(file)
        return Layout(format, {"vectors": file})
    return _sniffed(path, members, format)


def sniff(name: str, head: bytes) -> str | None:
    """The format that a file's first bytes show, `pickle`, or None."""
    if is_pickle(head):
        return "pickle"
    if head[:6] == b"\x93NUMPY":
        return "numpy"
    if head[:4] == MAGIC:
        return "fasttext-binary"
    if head[257:262] == b"ustar":
        return "navec"
    first, _, rest = head.partition(b"\n")
    shape = shape_of(first, rest.partition(b"\n")[0])
    if shape is None or not shape.dimensions:
        return None
    if shape.promised is None:
        return "text" if _is_text(first) else None
    if shape_of(rest.partition(b"\n")[0], b"") == (None, shape.dimensions, shape.separator, 1):
        return "text"
    return "word2vec-binary" if _stem(name).suffix == ".bin" or not _is_text(rest) else "text"


def _sniffed(path: Path, members: Mapping[str, Member], wanted: str | None) -> Layout:
    candidates: dict[str, str] = {}
    empty: list[Member] = []
    for name, file in members.items():
        if len(members) > 1 and _is_beside(name):
            continue
        head = file.head()
        if not head:
            empty.append(file)
        elif (found := sniff(name, head)) and (wanted in (None, found) or found == "pickle"):
            candidates[name] = found
    matrices = [name for name, found in candidates.items() if found == "numpy"]
    if len(matrices) == 1 and (words := _words_of(path, matrices[0], members)):
        return Layout("numpy", {"vectors": members[matrices[0]], "words": words})
    readable = {name: found for name, found in candidates.items() if found not in ("pickle", "numpy")}
    if len({PurePosixPath(name).with_suffix("") for name in readable}) == 1:
        # The same table twice, as RusVectores has it: model.bin and model.txt.
        name = min(readable, key=lambda name: (readable[name] == "text", name))
        return Layout(readable[name], {"vectors": members[name]})
    if readable:
        raise TiltmeterError(
            f"{path.name} holds {len(readable)} files that could be the vectors ({_listed(readable)}); name one as "
            f"{path.name}#{min(readable)}"
        )
    for name, found in candidates.items():
        if found == "pickle":
            raise pickled(members[name])
    if matrices:
        return Layout("numpy", _numpy_parts(path, matrices[0], members))
    if empty and len(empty) == len(members):
        raise TiltmeterError(f"{empty[0]} is empty")
    what = f"{wanted} vectors" if wanted else f"word vectors in a format that tiltmeter reads ({', '.join(FORMATS)})"
    raise TiltmeterError(f"{path.name} holds no {what}" + ("" if members else ": it is empty"))


def _spacy_parts(members: Mapping[str, Member]) -> dict[str, Member] | None:
    for name in members:
        folder = PurePosixPath(name).parent
        parts = {part: str(folder / file) for part, file in _SPACY.items()}
        if PurePosixPath(name).name == "key2row" and all(file in members for file in parts.values()):
            return {part: members[file] for part, file in parts.items()}
    return None


_SPACY = {"vectors": "vectors", "key2row": "key2row", "strings": "strings.json"}


def _numpy_parts(path: Path, matrix: str, members: Mapping[str, Member]) -> dict[str, Member]:
    words = _words_of(path, matrix, members)
    if words is None:
        stem = _stem(matrix).stem
        raise TiltmeterError(
            f"{members[matrix]} has no words beside it: {stem}.txt or {stem}.parquet was expected, one word a row"
        )
    return {"vectors": members[matrix], "words": words}


def _words_of(path: Path, matrix: str, members: Mapping[str, Member]) -> Member | None:
    """The list that goes with a matrix, in the same folder, or beside the file that was named."""
    stem = _stem(matrix).with_suffix("")
    names = [stem.parent / f"{base}{ending}" for base in (stem.name, "words", "vocab") for ending in _LISTS]
    inside = (members[str(name)] for name in names if str(name) in members)
    beside = (Member(file) for name in names if path.is_file() and (file := path.with_name(name.name)).is_file())
    single = not next(iter(members.values())).entry
    return next(inside, None) or (next(beside, None) if single else None)


_LISTS = (".txt", ".parquet", ".words.txt", ".txt.gz")


def _is_beside(name: str) -> bool:
    """Files that lie beside vectors and are none: descriptions, licences, code."""
    file = PurePosixPath(name)
    return file.name.lower().startswith(_BESIDE_NAMES) or file.suffix.lower() in _BESIDE_SUFFIXES


_BESIDE_NAMES = (".", "readme", "license", "licence", "meta", "manifest", "copying", "changelog")
_BESIDE_SUFFIXES = (".json", ".md", ".rst", ".cfg", ".toml", ".py", ".html", ".yml", ".yaml", ".xml", ".parquet")


def _is_text(content: bytes) -> bool:
    """No control characters: the bytes of numbers have them soon."""
    return not any(byte < 9 or 13 < byte < 32 for byte in content)


def _stem(name: str) -> PurePosixPath:
    """The name without what only says that it is packed."""
    path = PurePosixPath(name)
    return path.with_suffix("") if path.suffix in (".gz", ".zip") else path


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(sorted(names)[:8]) + (", ..." if len(names) > 8 else "")
