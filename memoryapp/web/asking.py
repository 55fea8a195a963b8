"""What waits in the review, in sorts: read from the tables, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryapp.models import Decision, Evidence, Fact
from memoryapp.store import DOUBTFUL, UNREAD
from memoryapp.web import cards

PER_PAGE = 50
# So many are kept in one go; the next ones follow.
MOST_AT_ONCE = 200

# In the order of the page. One thing may be of several sorts, and stands under the first.
SORTS: Mapping[str, Promise] = {
    "both": gettext_lazy("You said both"),
    "delicate": gettext_lazy("Delicate"),
    "doubtful": gettext_lazy("Maybe against your rules"),
    "unclear": gettext_lazy("Not understood"),
    "other": gettext_lazy("Not sure"),
}
_FLAGS = ("both", "doubtful", "unclear", "imported")
# What can be filtered by; the empty one is all.
FILTERS: Mapping[str, Promise] = {
    "": gettext_lazy("All"),
    "both": SORTS["both"],
    "delicate": SORTS["delicate"],
    "doubtful": SORTS["doubtful"],
    "unclear": SORTS["unclear"],
    "imported": gettext_lazy("Brought in"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """The questions of one sort, on one page."""

    sort: str
    name: Promise
    cards: Sequence[cards.Card]


@dataclass(frozen=True, slots=True)
class Inbox:
    """A page of what waits. ``counts`` has all of each filter; ``after`` is where the next
    page begins, empty on the last; ``left`` counts what follows."""

    parts: Sequence[Part]
    counts: Mapping[str, int]
    after: str
    left: int


def waiting(user_id: UUID) -> QuerySet[Any]:
    """What waits, each with its ``rank`` among the sorts and what sorts it is of. Needs
    ``acting_for(user_id)``."""
    made = Decision.objects.filter(user_id=user_id, fact_id=OuterRef("pk"))
    proofs = Evidence.objects.filter(user_id=user_id, fact_id=OuterRef("pk"))
    brought = (
        Q(source=Evidence.Source.IMPORT)
        | Q(source_import__isnull=False)
        | Q(message__user_id=user_id, message__source_import__isnull=False)
    )
    rows = Fact.objects.filter(user_id=user_id, status=Fact.Status.PENDING).annotate(
        both=Exists(made.filter(outcome="conflict")),
        doubtful=Exists(made.filter(reason=DOUBTFUL)),
        unclear=Exists(made.filter(reason=UNREAD)),
        imported=Exists(proofs.filter(brought)),
    )
    ranks = [
        When(_of(sort), then=Value(number)) for number, sort in enumerate(SORTS) if sort != "other"
    ]
    return rows.annotate(
        rank=Case(*ranks, default=Value(len(SORTS) - 1), output_field=IntegerField())
    )


def _of(name: str) -> Q:
    if name == "delicate":
        return ~Q(sensitivity="")
    return Q(**{name: True}) if name else Q()


def inbox(user_id: UUID, name: str, after: str) -> Inbox:
    """A page of the filter ``name``, from ``after`` on. Needs ``acting_for(user_id)``."""
    rows = waiting(user_id)
    counts = _counts(rows)
    chosen = rows.filter(_of(name))
    if (place := _place(after)) is not None:
        rank, last = place
        chosen = chosen.filter(Q(rank__gt=rank) | Q(rank=rank, id__lt=last))
    found = list(chosen.order_by("rank", "-id").values_list("id", "rank")[: PER_PAGE + 1])
    shown = found[:PER_PAGE]
    by_id = {card.id: card for card in cards.cards(user_id, [id for id, _rank in shown])}
    parts = []
    for number, (sort, heading) in enumerate(SORTS.items()):
        here = [by_id[id] for id, rank in shown if rank == number and id in by_id]
        if here:
            parts.append(Part(sort, heading, here))
    more = len(found) > PER_PAGE
    return Inbox(
        parts=parts,
        counts=counts,
        after=f"{shown[-1][1]}.{shown[-1][0]}" if more else "",
        left=chosen.count() - len(shown) if more else 0,
    )


def _counts(rows: QuerySet[Any]) -> dict[str, int]:
    counts = dict.fromkeys(FILTERS, 0)
    for sensitivity, *flags in rows.values_list("sensitivity", *_FLAGS):
        counts[""] += 1
        counts["delicate"] += bool(sensitivity)
        for name, is_one in zip(_FLAGS, flags, strict=True):
            counts[name] += is_one
    return counts


def _place(after: str) -> tuple[int, UUID] | None:
    rank, _dot, last = after.partition(".")
    try:
        return int(rank), UUID(last)
    except ValueError:
        return None


def plain(user_id: UUID, name: str) -> QuerySet[Any]:
    """What of a filter can be kept all at once: nothing delicate, nothing that contradicts
    something or may be against a rule. Needs ``acting_for(user_id)``."""
    return (
        waiting(user_id)
        .filter(_of(name), sensitivity="", both=False, doubtful=False)
        .order_by("rank", "-id")
    )
