"""Measure, store, measure again from disk; audit; analysis over several runs."""

from tiltmeter.runs.across import Across, across, comparable, is_reference, kind_of
from tiltmeter.runs.agreement import Agreement, agreement
from tiltmeter.runs.audit import NOT_ASKED, Audit, Planned, Skipped, audit, default_subjects, plan, unmeasured
from tiltmeter.runs.compare import compare
from tiltmeter.runs.comparison import SHOWN, Change, Comparison
from tiltmeter.runs.finding import find_runs
from tiltmeter.runs.gate import Outcome, check, one_line
from tiltmeter.runs.gate_rules import Bound, On, Rule, parse_rule, read_rules
from tiltmeter.runs.measuring import check_lists, choose_pack, measure
from tiltmeter.runs.pairing import Alone
from tiltmeter.runs.run import Run, export_items, labels, read_run, read_runs, resolve_id, told_option
from tiltmeter.runs.sweep import FactorEffect, factor_effects

__all__ = [
    "NOT_ASKED",
    "SHOWN",
    "Across",
    "Agreement",
    "Alone",
    "Audit",
    "Bound",
    "Change",
    "Comparison",
    "FactorEffect",
    "On",
    "Outcome",
    "Planned",
    "Rule",
    "Run",
    "Skipped",
    "across",
    "agreement",
    "audit",
    "check",
    "check_lists",
    "choose_pack",
    "comparable",
    "compare",
    "default_subjects",
    "export_items",
    "factor_effects",
    "find_runs",
    "is_reference",
    "kind_of",
    "labels",
    "measure",
    "one_line",
    "parse_rule",
    "plan",
    "read_rules",
    "read_run",
    "read_runs",
    "resolve_id",
    "told_option",
    "unmeasured",
]
