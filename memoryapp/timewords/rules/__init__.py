"""The grammar, in the order in which it is applied."""

from . import clock, days, periods, ranges
from .grammar import Now, Row, Rule, on

RULES: tuple[Rule, ...] = (*days.RULES, *periods.RULES, *clock.RULES, *ranges.RULES)

__all__ = ["RULES", "Now", "Row", "Rule", "on"]
