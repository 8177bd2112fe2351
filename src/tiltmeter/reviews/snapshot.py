"""All that is known of a review at some moment."""

from collections import Counter
from dataclasses import dataclass

from tiltmeter.reviews.agreeing import Row, Two, agreements, two_by_two
from tiltmeter.reviews.criteria import editions
from tiltmeter.reviews.database import Database
from tiltmeter.reviews.opening import read_about, read_sentences, rounds
from tiltmeter.reviews.outcomes import Outcome, outcomes, read_decisions, read_votes
from tiltmeter.reviews.values import About, Edition, Sentence, Vote


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The set, every vote on it, and what they come to."""

    about: About
    sentences: dict[int, Sentence]
    votes: list[Vote]
    outcomes: list[Outcome]
    editions: list[Edition]

    @property
    def kept(self) -> list[Sentence]:
        return [self.sentences[outcome.sentence_id] for outcome in self.outcomes if outcome.final == "keep"]

    @property
    def disputed(self) -> list[Outcome]:
        """What the owner has to decide, what no majority decided first."""
        open_ones = (outcome for outcome in self.outcomes if outcome.disputed)
        return sorted(open_ones, key=lambda outcome: (outcome.how != "undecided", outcome.sentence_id))

    def counts(self) -> Counter[tuple[str, str]]:
        """Sentences by what became of them, and how."""
        return Counter((outcome.final, outcome.how) for outcome in self.outcomes)

    def agreements(self) -> list[Row]:
        return agreements(self.votes, self.sentences, [reason.id for reason in self.editions[-1].reasons])

    def two_by_two(self) -> list[Two]:
        return two_by_two(self.votes)


def snapshot(store: Database) -> Snapshot:
    with store.reading() as connection:
        about, votes = read_about(connection), read_votes(connection)
        told = outcomes(rounds(connection), votes, read_decisions(connection), about.per_sentence)
        return Snapshot(about, read_sentences(connection), votes, told, editions(connection))
