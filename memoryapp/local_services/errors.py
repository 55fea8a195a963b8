"""What is said to the operator."""

from __future__ import annotations


class StartError(Exception):
    """What stands in the way of a start, and the cure, in a sentence or two. It is
    printed as it is: no traceback, no content, no password."""
