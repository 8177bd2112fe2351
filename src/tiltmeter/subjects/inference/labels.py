"""Which of a model's labels means what: told by their names, never by their order."""

from collections.abc import Sequence

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.inference.answers import LABELS

_NAMES = {
    "entailment": "entailment entail entails entailed e implication implicación implicacion 含意 伴意 蕴含 蕴涵 "
    "следование folgerung implikation ondorioztapena ondorioa inplikazioa",
    "contradiction": "contradiction contradict contradicts contradictory c contradicción contradiccion 矛盾 "
    "противоречие widerspruch kontradiktion kontraesana kontraesan",
    "neutral": "neutral n neutro neutra neutre 中立 中性 нейтрально нейтральный нейтральное neutroa neutrala",
}
_MEANING = {name: label for label, names in _NAMES.items() for name in names.split()}


def meaning(name: str) -> str | None:
    """The label that a name stands for, in any of the languages."""
    return _MEANING.get(name.strip().casefold())


def label_order(named: Sequence[str], said: str, model: str) -> tuple[int, ...]:
    """For each of `LABELS` the number that the model gives it.

    Their names decide; where those say nothing, `said`: what the user says they are, in the order of their numbers.
    """
    if len(named) != 3:
        raise TiltmeterError(
            f"{model} tells {len(named)} labels apart ({', '.join(named[:5])}), and an NLI model with three is needed: "
            "entailment, neutral, contradiction"
        )
    for names in (named, said.split(",")):
        found = [meaning(name) for name in names]
        if sorted(filter(None, found)) == sorted(LABELS):
            return tuple(found.index(label) for label in LABELS)
    if said:
        raise TiltmeterError(
            f"--labels names entailment, neutral and contradiction, each once, in the order of the model's labels; not "
            f"{said!r}"
        )
    raise TiltmeterError(
        f"what the labels of {model} mean cannot be told from their names ({', '.join(named)}): say it in their order, "
        "as in --labels entailment,neutral,contradiction (the model's card should tell)"
    )
