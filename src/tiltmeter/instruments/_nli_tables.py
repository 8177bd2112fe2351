"""What NLI-CoAL shows to read: the pairs of which a model is surest, though nothing tells the gender."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from tiltmeter.instruments._nli_estimates import usable
from tiltmeter.packs import Pack
from tiltmeter.results import TextTable

MOST = 10


def tables(items: pl.DataFrame, _: Pack, __: Any) -> list[TextTable]:
    return [table for form in items["form"].unique(maintain_order=True) for table in _surest(usable(items), form)]


def _surest(found: pl.DataFrame, form: str) -> Iterator[TextTable]:
    of_form = f" ({form} forms)" if form else ""
    own = found.filter(pl.col("form") == form)
    for label, kind, name in (
        ("entailment", "PS", "pro-stereotypical pairs taken for entailment"),
        ("contradiction", "AS", "anti-stereotypical pairs taken for contradiction"),
    ):
        asked = own.filter(pl.col("set") == kind)
        rows = asked.filter(pl.col("label") == label)
        if rows.is_empty():
            continue
        ordered = rows.sort(f"p_{label}", descending=True, maintain_order=True, nulls_last=True)
        yield TextTable(
            title=f"NLI-CoAL: {name}{of_form}",
            columns=("premise", "hypothesis", f"P({label})"),
            rows=tuple(ordered.select("premise", "hypothesis", f"p_{label}").head(MOST).iter_rows()),
            caption=f"{rows.height:,} of {asked.height:,}{_order(rows, label)}"
            + ("" if form else " The right answer is neutral."),
        )


def _order(rows: pl.DataFrame, label: str) -> str:
    return "; how sure it was is not known." if rows[f"p_{label}"].null_count() else ", the surest first."
