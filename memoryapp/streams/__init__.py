"""Server-sent events: a user's events as they happen, to whoever holds a stream open.

In each process one connection to the broker listens for all of its streams. A stream asks the
database only when its user was named there, and all of them together look once in a while, so
that nothing lost on the way stays unseen. An open stream holds neither a thread nor a
connection to the database.
"""

from .reading import Reader
from .responding import EventStream, end, respond

__all__ = ["EventStream", "Reader", "end", "respond"]
