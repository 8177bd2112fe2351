"""What is printed for people."""

from tiltmeter.cli.show.lists import certificates, instruments, pack, pack_check, packs, subjects
from tiltmeter.cli.show.made import built, built_nli, calibrated, certified, reproduced, selftested, trained
from tiltmeter.cli.show.measured import (
    across,
    alone,
    audit_json,
    cache,
    comparison,
    drawn,
    found,
    plan,
    plan_json,
    read,
    run,
    runs,
    skipped,
)
from tiltmeter.cli.show.terminal import say

__all__ = [
    "across",
    "alone",
    "audit_json",
    "built",
    "built_nli",
    "cache",
    "calibrated",
    "certificates",
    "certified",
    "comparison",
    "drawn",
    "found",
    "instruments",
    "pack",
    "pack_check",
    "packs",
    "plan",
    "plan_json",
    "read",
    "reproduced",
    "run",
    "runs",
    "say",
    "selftested",
    "skipped",
    "subjects",
    "trained",
]
