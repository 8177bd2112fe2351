"""Pickles can run any code when they are opened, so tiltmeter never opens one, whatever it is called."""

import re

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member


def is_pickle(head: bytes) -> bool:
    """Protocol 2 and later begin with 0x80 and its number; 0 and 1 with an opcode and often a module's name."""
    return (head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")) or bool(_OLD.match(head))


def pickled(file: Member) -> TiltmeterError:
    return TiltmeterError(
        f"{file} is a pickle, which can run any code when it is opened, so it was not; if you trust it, convert it "
        "with gensim: `KeyedVectors.load(...).save_word2vec_format('vectors.bin', binary=True)`"
    )


_OLD = re.compile(rb"\(?c[A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n|\([dlit](p\d+)?\n|[\]}](q.|\()")
