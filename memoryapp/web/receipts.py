"""A receipt in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.models import ErasureReceipt
from memoryapp.web import dates

_TITLES: Mapping[str, object] = {
    "facts": gettext_lazy("What you chose was forgotten"),
    "messages": gettext_lazy("Messages were forgotten, with all they taught"),
    "topic": gettext_lazy("A topic was forgotten"),
    "conversation": gettext_lazy("A conversation was forgotten, with all it taught"),
    "import": gettext_lazy("An import was undone, with all it taught"),
    "application": gettext_lazy("What an app had brought was forgotten"),
    "range": gettext_lazy("What was said in a stretch of time was forgotten"),
    "everything": gettext_lazy("Everything was forgotten"),
    "account": gettext_lazy("Everything was forgotten, and the account closed"),
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """``storage`` is empty until the storage was cleaned too. ``lines`` say how much went,
    each with its number."""

    id: UUID
    title: str
    asked: str
    done: str
    storage: str
    done_at: datetime
    lines: Sequence[str]


def worded(row: ErasureReceipt) -> Receipt:
    """Every count that isn't zero is told; those of an account by what they were called."""
    lines: list[str] = []
    for names, words in _COUNTS:
        number = sum(int(row.counts.get(name, 0)) for name in names)
        if number:
            lines.append(words(number) % {"n": number})
    return Receipt(
        row.id,
        str(_TITLES.get(row.target, _("Something was forgotten"))),
        dates.exact(row.requested_at),
        dates.exact(row.completed_at),
        dates.exact(row.storage_completed_at) if row.storage_completed_at else "",
        row.completed_at,
        lines,
    )


# The names that counts go by: in an erasure, and, of whole tables, in an account's.
_COUNTS: Sequence[tuple[tuple[str, ...], Callable[[int], str]]] = (
    (("facts", "fact"), lambda n: ngettext("%(n)s memory", "%(n)s memories", n)),
    (
        ("evidence",),
        lambda n: ngettext(
            "%(n)s quote that proved something", "%(n)s quotes that proved something", n
        ),
    ),
    (
        ("messages", "message"),
        lambda n: ngettext(
            "%(n)s message, blanked out in part or as a whole",
            "%(n)s messages, blanked out in part or as a whole",
            n,
        ),
    ),
    (
        ("embeddings", "factembedding", "messageembedding"),
        lambda n: ngettext(
            "%(n)s entry in the index of meaning", "%(n)s entries in the index of meaning", n
        ),
    ),
    (
        ("cache", "embeddingcache"),
        lambda n: ngettext("%(n)s remembered search", "%(n)s remembered searches", n),
    ),
    (
        ("uses", "memoryuse"),
        lambda n: ngettext("%(n)s note of a use", "%(n)s notes of a use", n),
    ),
    (
        ("decisions", "decision"),
        lambda n: ngettext("%(n)s note of how I decided", "%(n)s notes of how I decided", n),
    ),
    (
        ("requests", "erasurerequest"),
        lambda n: ngettext("%(n)s wish to forget, settled", "%(n)s wishes to forget, settled", n),
    ),
    (("imports", "import"), lambda n: ngettext("%(n)s import", "%(n)s imports", n)),
    (("conversation",), lambda n: ngettext("%(n)s conversation", "%(n)s conversations", n)),
    (("sessions",), lambda n: ngettext("%(n)s sign-in, ended", "%(n)s sign-ins, ended", n)),
    (("keys",), lambda n: ngettext("%(n)s key", "%(n)s keys", n)),
    (
        ("tombstones",),
        lambda n: ngettext(
            "%(n)s mark that keeps it from coming back; it can’t be read",
            "%(n)s marks that keep it from coming back; they can’t be read",
            n,
        ),
    ),
)
