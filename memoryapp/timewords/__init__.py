"""Times named in a text: dates, ranges, times of day, durations and habits, in thirteen
languages, resolved against the moment at which the text was written. Pure: the same
arguments give the same answer, in time proportional to the text."""

from .calendar import Kind, Precision
from .finding import Found, find

__all__ = ["Found", "Kind", "Precision", "find"]
