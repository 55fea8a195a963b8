"""The chain of an import: ``receive`` keeps an upload and looks into it, ``start`` has it
taken in, ``step`` (in a worker) goes on with it, ``undo`` takes it back as a whole.

A step is a slice of some seconds: it stores in small transactions, each with how far it
came, or reads in order, so that chats find room between the slices and a killed worker
loses nothing. No transaction is held open while a model is called or a file is read.
"""

from .receiving import receive, start, sweep, tidy, undo
from .steps import step

__all__ = ["receive", "start", "step", "sweep", "tidy", "undo"]
