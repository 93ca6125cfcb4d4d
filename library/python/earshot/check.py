"""The self-check: where a core is wrong, by what its instructions must do (docs/check.md)."""
from __future__ import annotations

import enum
from typing import Any, NamedTuple

from ._base import text_of
from .record import Record


class CheckRule(enum.IntEnum):
    """What must hold."""

    ORDER = 0
    FLOW = 1
    OPERAND = 2
    RESULT = 3
    NEXT_PC = 4
    ACCESS = 5
    STORED = 6
    LOADED = 7
    TRAP = 8
    RETURN = 9
    CSR = 10
    INTERRUPT = 11
    PMP = 12


class RuleCounts(NamedTuple):
    """How often a rule was checked, how many violations there were, and how often it could not be
    checked: the trace does not show it (absent), it depends on a value not shown so far (unknown),
    the instruction is of another extension, or the memory changes by itself (changes)."""

    checked: int
    violations: int
    absent: int
    unknown: int
    extension: int
    changes: int


class Violation(NamedTuple):
    """A record that breaks a rule. expected, actual: 0 where the rule compares no numbers."""

    record: Record
    rule: CheckRule
    expected: int
    actual: int
    text: str


class CheckResult(NamedTuple):
    """What a check found. violations: not more than were wanted; rules counts all of them."""

    violations: list[Violation]
    records: int
    instructions: int
    rules: dict[CheckRule, RuleCounts]

    @property
    def violation_count(self) -> int:
        """How many violations there are."""
        return sum(counts.violations for counts in self.rules.values())


def violation_of(violation: Any, record: Record) -> Violation:
    return Violation(record, CheckRule(violation.rule), int(violation.expected),
                     int(violation.actual), text_of(violation.text))


def result_of(counts: Any, violations: list[Violation]) -> CheckResult:
    rules = {rule: RuleCounts(int(counts.rules[rule].checked), int(counts.rules[rule].violations),
                              *(int(count) for count in counts.rules[rule].unchecked))
             for rule in CheckRule}
    return CheckResult(violations, int(counts.records), int(counts.instructions), rules)
