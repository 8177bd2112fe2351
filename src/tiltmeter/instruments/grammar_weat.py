"""grammar-weat: how much of an association is mere grammar?

WEAT on masculine against feminine nouns that name things: tools, furniture, food. They have no gender in meaning, so
what they share with male and female words is grammatical gender (McCurdy and Serbetci 2017: it outweighs topical bias).
d > 0: masculine nouns lie nearer to male words than feminine ones do. It is no bias in itself; a WEAT d in the same
vectors means little unless it stands out against this one, and against 0 once grammar is taken out of it.
"""

import polars as pl

from tiltmeter.instruments import weat
from tiltmeter.instruments._bibliography import CALISKAN, MCCURDY
from tiltmeter.instruments.instrument import Instrument, Layout
from tiltmeter.packs import GRAMMAR_TEST, Pack


def list_items(pack: Pack, options: weat.WeatOptions) -> pl.DataFrame:
    """The rows of WEAT's grammar tests alone."""
    return weat.list_items(pack, options).filter(pl.col("test").str.starts_with(GRAMMAR_TEST))


INSTRUMENT = Instrument(
    name="grammar-weat",
    version="2",
    title="Grammatical gender test",
    measures="whether masculine and feminine nouns that name things differ in how near they lie to gendered words",
    formula="d of WEAT with X = masculine and Y = feminine inanimate nouns",
    reading="0 means that grammar leaves no trace; the further away, the more of any association may be grammar",
    reference="McCurdy and Serbetci (2017), Grammatical gender associations outweigh topical gender bias, WiNLP",
    bibtex=MCCURDY + CALISKAN,
    headline="effect_size",
    columns=weat.INSTRUMENT.columns,
    score="cosine",
    layouts=(
        Layout(
            title="Grammatical gender: effect size d",
            names=("effect_size_both",),
            rows=("test",),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
            each_language=True,
        ),
    ),
    capability="vectors",
    lists=("weat", "inanimate_nouns"),
    options=weat.WeatOptions,
    items=list_items,
    questions=weat.count_questions,
    answer=weat.answer,
    estimate=weat.estimate,
    differences=weat.differences,
)
