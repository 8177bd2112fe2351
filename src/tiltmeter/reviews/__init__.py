"""People judge the sentences of a set: who votes on what, how far they agree, what becomes of each sentence."""

from tiltmeter.errors import MissingExtra

try:
    import sqlalchemy as sqlalchemy
except ModuleNotFoundError as error:
    raise MissingExtra("sqlalchemy", "web") from error

from tiltmeter.reviews.agreeing import Row, Two
from tiltmeter.reviews.asking import LEASE, Last, Progress, Task, cast, last_vote, next_task, progress, undo
from tiltmeter.reviews.card import CAUTION, READING
from tiltmeter.reviews.criteria import current_criteria, edition, save_criteria
from tiltmeter.reviews.database import Database
from tiltmeter.reviews.exchange import Imported, import_label_studio
from tiltmeter.reviews.files import FILES, check_folder, write_files
from tiltmeter.reviews.opening import Opened, admit, begin_main, language_of, open_review
from tiltmeter.reviews.outcomes import HOW, Outcome, decide, take_back
from tiltmeter.reviews.people import (
    add_reviewer,
    all_reviewers,
    new_link,
    new_token,
    reviewer_of,
    revoke,
    set_language,
    usable_name,
)
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
    storable,
)

__all__ = [
    "CAUTION",
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
    "admit",
    "all_reviewers",
    "begin_main",
    "cast",
    "check_folder",
    "current_criteria",
    "decide",
    "edition",
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
    "storable",
    "take_back",
    "undo",
    "usable_name",
    "write_files",
]
