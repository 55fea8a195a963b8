"""The bodies that go in and out (DESIGN section 10). Fields may be added, never changed."""

from __future__ import annotations

from .base import FieldErrorOut, In, ProblemOut, UserName, UserQuery
from .facts import EraseQuery, FactChange, FactsOut, FactsQuery, ReceiptOut, Status
from .imports import ImportOut, PreviewOut, ProgressOut, UndoneOut, UploadQuery
from .links import LinkIn, LinkOut
from .messages import AcceptedOut, MessageIn, MessagesIn, StatusOut, WishOut
from .recall import (
    CitationOut,
    ContextIn,
    ContextOut,
    EarlierOut,
    EvidenceOut,
    FactOut,
    HitOut,
    PartsOut,
    RecallIn,
    RecallOut,
)

__all__ = [
    "AcceptedOut",
    "CitationOut",
    "ContextIn",
    "ContextOut",
    "EarlierOut",
    "EraseQuery",
    "EvidenceOut",
    "FactChange",
    "FactOut",
    "FactsOut",
    "FactsQuery",
    "FieldErrorOut",
    "HitOut",
    "ImportOut",
    "In",
    "LinkIn",
    "LinkOut",
    "MessageIn",
    "MessagesIn",
    "PartsOut",
    "PreviewOut",
    "ProblemOut",
    "ProgressOut",
    "RecallIn",
    "RecallOut",
    "ReceiptOut",
    "Status",
    "StatusOut",
    "UndoneOut",
    "UploadQuery",
    "UserName",
    "UserQuery",
    "WishOut",
]
