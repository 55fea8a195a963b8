"""What the writers of facts share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL

from memoryapp.models import Fact, MemorySettings
from memoryapp.registry import Known

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class Revised(TypedDict):
        revision: str

    RevisedFact = WithAnnotations[Fact, Revised]

# Rows whose evidence takes no part in a timeline: not yet approved, or refused.
ASIDE = (Fact.Status.PENDING, Fact.Status.REJECTED)


class NotFound(LookupError):
    """The fact isn't this user's, or isn't there."""


class Conflict(RuntimeError):
    """The fact changed meanwhile: it no longer is what the caller saw."""


class Stale(Conflict):
    """The fact isn't in the revision that the caller saw."""


def revised(rows: QuerySet[Fact]) -> QuerySet[RevisedFact]:
    """The rows, each with its ``revision``: a short text, another one after every change.
    It is the transaction that wrote the row, so it tells nothing of what the row says."""
    return rows.annotate(revision=RawSQL("memoryapp_fact.xmin::text", [], TextField()))


def lock(user_id: UUID) -> None:
    """Take the user's lock until the transaction ends. With the partial unique index
    it gives one current row and no errors among concurrent writers (FINDINGS)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(1835364706, hashtext(%s))", [str(user_id)])


def locked_fact(user_id: UUID, fact_id: UUID, seen: Collection[str] | None = None) -> Fact:
    """The user's fact, with the user's lock taken. ``seen`` are the revisions that the
    caller would change; None for any. Raises NotFound, Stale."""
    lock(user_id)
    mine = Fact.objects.filter(user_id=user_id, id=fact_id, operation="state")
    fact = revised(mine).first()
    if fact is None:
        raise NotFound("no such fact")
    if seen is not None and fact.revision not in seen:
        raise Stale("the fact has changed")
    return fact


def with_expiry(user_id: UUID, known: Known) -> Known:
    """The attribute with the days that the user chose for facts of its kind, if they did."""
    held = MemorySettings.objects.filter(user_id=user_id, expiry__has_key=known.kind)
    expiry = held.values_list("expiry", flat=True).first()
    return known if expiry is None else replace(known, chosen=(expiry[known.kind],))
