"""`tiltmeter selftest`: does this installation measure right?"""

from typing import Annotated

import typer

from tiltmeter.cli.options import JsonOption


def selftest(
    only: Annotated[list[str] | None, typer.Option(help="A reference subject, such as ref:en-masked.")] = None,
    json: JsonOption = False,
) -> int:
    """Measure the reference subjects again and compare with what was recorded: 0 they agree, 1 something differs."""
    from tiltmeter import api
    from tiltmeter.cli import show

    found = api.selftest(only or ())
    show.selftested(found, as_json=json)
    return 0 if found.agrees else 1
