"""People judge the sentences of a set: who votes on what, how far they agree, what becomes of each sentence."""

from tiltmeter.reviews.agreeing import Row, Two
from tiltmeter.reviews.asking import LEASE, Last, Progress, Task, cast, last_vote, next_task, progress, undo
from tiltmeter.reviews.card import READING
from tiltmeter.reviews.criteria import current_criteria, edition, editions, save_criteria
from tiltmeter.reviews.database import Database
from tiltmeter.reviews.exchange import Imported, import_label_studio
from tiltmeter.reviews.files import FILES, write_files
from tiltmeter.reviews.opening import Opened, begin_main, language_of, open_review
from tiltmeter.reviews.outcomes import HOW, Outcome, decide, take_back
from tiltmeter.reviews.people import add_reviewer, all_reviewers, new_link, new_token, reviewer_of, revoke, set_language
from tiltmeter.reviews.snapshot import Snapshot, snapshot
from tiltmeter.reviews.values import (
    CHOICES,
    LONGEST_NOTE,
    About,
    Ballot,
    Choice,
    Decision,
    Edition,
    Reviewer,
    Sentence,
    Stale,
    Vote,
)

__all__ = [
    "CHOICES",
    "FILES",
    "HOW",
    "LEASE",
    "LONGEST_NOTE",
    "READING",
    "About",
    "Ballot",
    "Choice",
    "Database",
    "Decision",
    "Edition",
    "Imported",
    "Last",
    "Opened",
    "Outcome",
    "Progress",
    "Reviewer",
    "Row",
    "Sentence",
    "Snapshot",
    "Stale",
    "Task",
    "Two",
    "Vote",
    "add_reviewer",
    "all_reviewers",
    "begin_main",
    "cast",
    "current_criteria",
    "decide",
    "edition",
    "editions",
    "import_label_studio",
    "language_of",
    "last_vote",
    "new_link",
    "new_token",
    "next_task",
    "open_review",
    "progress",
    "reviewer_of",
    "revoke",
    "save_criteria",
    "set_language",
    "snapshot",
    "take_back",
    "undo",
    "write_files",
]
