"""Text to screen: the pack's own neutral sentences with numbers in them, so that there are as many as one likes."""

import random

from tiltmeter.packs import load_pack


def made_text(lang: str, size: int, seed: int = 0) -> str:
    """About so many characters, a paragraph a line, the same for the same seed."""
    rng = random.Random(seed)
    entries = [entry.parts for entry in load_pack(lang).neutral_sentences if entry.parts]
    dense = not load_pack(lang).spaced
    lines, length = [], 0
    while length < size:
        before, male, female, behind = rng.choice(entries)
        number = str(rng.randrange(10**9))
        added = f"编号是{number}，" if lang == "zh" else f"{number}、" if dense else f"{number}: "
        line = added + before + (male if rng.random() < 0.5 else female) + behind
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines) if dense else "\n\n".join(lines)
