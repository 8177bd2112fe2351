"""All that is known of a review at some moment."""

from collections import Counter
from dataclasses import dataclass

from tiltmeter.reviews.agreeing import Row, Two, agreements, two_by_two
from tiltmeter.reviews.criteria import editions
from tiltmeter.reviews.database import Database
from tiltmeter.reviews.opening import read_about, read_sentences, rounds
from tiltmeter.reviews.outcomes import Outcome, outcomes, read_decisions, read_votes
from tiltmeter.reviews.values import About, Decision, Edition, Sentence, Vote


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The set, every vote on it, and what they come to."""

    about: About
    sentences: dict[int, Sentence]
    rounds: dict[int, str]
    """The round in which each sentence is asked about: what was said in another no longer counts."""
    votes: list[Vote]
    decisions: list[Decision]
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
        """On the votes that count; those of a pilot that was asked again are a row of their own."""
        reasons = [reason.id for reason in self.editions[-1].reasons]
        rows = agreements(self._counting(), self.sentences, reasons)
        before = [vote for vote in self.votes if self.rounds[vote.sentence_id] != vote.round]
        if before:
            rows.append(
                Row("pilot", "the pilot, before it was asked again", agreements(before, self.sentences, [])[0].found)
            )
        return rows

    def two_by_two(self) -> list[Two]:
        return two_by_two(self._counting())

    def _counting(self) -> list[Vote]:
        return [vote for vote in self.votes if self.rounds[vote.sentence_id] == vote.round]


def snapshot(store: Database) -> Snapshot:
    with store.reading() as connection:
        about, sentences, asked = read_about(connection), read_sentences(connection), rounds(connection)
        votes, decisions = read_votes(connection), read_decisions(connection)
        told = outcomes(asked, votes, decisions, about.per_sentence)
        return Snapshot(about, sentences, asked, votes, list(decisions.values()), told, editions(connection))
