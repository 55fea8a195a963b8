"""People and pets: who they are to the user, by an id that tells nothing of their name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, Max, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.models import User
from memoryapp import store
from memoryapp.models import Fact, SubjectAlias
from memoryapp.subjects import USER
from memoryapp.web import cards, relations, wording

# What says who somebody is, and so stands with the name.
_TELLING = ("relation", "species")
_HELD = Q(status=Fact.Status.CURRENT)
_WAITS = Q(status=Fact.Status.PENDING)


@dataclass(frozen=True, slots=True)
class Somebody:
    """A person or pet. ``key`` stands for them in addresses; ``tie`` is who they are to the
    user ("your sister"), or empty; ``others`` are the other names that mean them."""

    key: str
    subject: str
    name: str
    tie: str
    facts: int
    waiting: int
    last_at: datetime

    @property
    def nameless(self) -> bool:
        """Whether they are known only by what they are to the user."""
        kind, _colon, word = self.subject.partition(":")
        return bool(relations.called(kind, word))


@dataclass(frozen=True, slots=True)
class OtherName:
    """Another name that means somebody, by the user's word at ``made_at``."""

    id: UUID
    name: str
    made_at: datetime


def key_of(user: User, subject: str) -> str:
    """A subject in an address: a hash under the user's own key."""
    return user.keyed_hash("subject", subject).hex()[:32]


def everybody(user: User) -> list[Somebody]:
    """Everybody of whom something is held or waits for review, the last mentioned first.
    Two queries. Needs ``acting_for(user.pk)``."""
    rows = (
        _said_of_others(user.pk)
        .values("subject")
        .annotate(
            facts=Count("id", filter=_HELD),
            waiting=Count("id", filter=_WAITS),
            last_at=Max("last_stated_at"),
        )
        .order_by("-last_at", "subject")
    )
    found = list(rows)
    ties = _ties(user.pk, [row["subject"] for row in found])
    return [
        Somebody(
            key=key_of(user, row["subject"]),
            subject=row["subject"],
            name=wording.who(row["subject"]),
            tie=ties.get(row["subject"], ""),
            facts=row["facts"],
            waiting=row["waiting"],
            last_at=row["last_at"],
        )
        for row in found
    ]


def _said_of_others(user_id: UUID) -> QuerySet[Fact]:
    return (
        Fact.objects.filter(user_id=user_id, operation="state")
        .exclude(subject=USER)
        .exclude(status=Fact.Status.REJECTED)
    )


def _ties(user_id: UUID, subjects: Iterable[str]) -> dict[str, str]:
    """Who each is to the user, by what was said last of it."""
    said = (
        Fact.objects.filter(
            _HELD,
            user_id=user_id,
            subject__in=list(subjects),
            attribute__in=_TELLING,
            polarity="affirmed",
            sensitivity="",
        )
        .order_by("last_stated_at", "id")
        .values_list("subject", "value")
    )
    return {
        subject: relations.called(subject.partition(":")[0], value) or value
        for subject, value in said
    }


def meant_by(user: User, key: str) -> str:
    """The subject that an address means, also by a name that it had before; empty when there
    is none. Needs ``acting_for(user.pk)``."""
    for subject in _said_of_others(user.pk).values_list("subject", flat=True).distinct():
        if key_of(user, subject) == key:
            return str(subject)
    names = store.Names(user.pk)
    for alias in SubjectAlias.objects.filter(user_id=user.pk).values_list("alias", flat=True):
        if key_of(user, alias) == key:
            return names.meant(alias)
    return ""


def other_names(user_id: UUID, subject: str) -> list[OtherName]:
    """The other names that mean the subject, the latest first. Needs ``acting_for(user_id)``."""
    names = store.Names(user_id)
    return [
        OtherName(row.id, wording.who(row.alias), row.made_at)
        for row in SubjectAlias.objects.filter(user_id=user_id).order_by("-made_at", "-id")
        if names.meant(row.alias) == subject
    ]


def sentences(
    user_id: UUID, subject: str, *, name: str = "", most: int = 12
) -> list[tuple[str, str]]:
    """What is held about a subject, as it would read if they were called ``name``: pairs of a
    sentence and the words that cover it (empty when nothing must). Needs
    ``acting_for(user_id)``."""
    known = cards.registry()
    rows = list(
        Fact.objects.filter(_HELD, user_id=user_id, subject=subject, operation="state").order_by(
            "-last_stated_at", "-id"
        )[:most]
    )
    for row in rows:
        if name:
            # Their own statement has the old name in it.
            row.subject, row.statement = name, ""
    return [(wording.sentence(row, known), wording.covered(row.sensitivity)) for row in rows]


def newest(
    user_id: UUID, subjects: Sequence[str], known: wording.Registry, *, most: int
) -> Mapping[str, Sequence[str]]:
    """For each subject the sentences said last, delicate ones left out, at most ``most``. One
    query. Needs ``acting_for(user_id)``."""
    latest = Window(
        RowNumber(), partition_by="subject", order_by=[F("last_stated_at").desc(), F("id").desc()]
    )
    rows = (
        Fact.objects.filter(
            _HELD, user_id=user_id, subject__in=subjects, operation="state", sensitivity=""
        )
        .exclude(attribute__in=_TELLING)
        .annotate(place=latest)
        .filter(place__lte=most)
        .order_by("subject", "place")
    )
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[row.subject].append(wording.sentence(row, known))
    return found


def ids_by_area(user_id: UUID, subject: str, known: wording.Registry) -> dict[str, list[UUID]]:
    """The ids of what holds now about a subject, by the part of a life that it is about, in
    the order of the page. Needs ``acting_for(user_id)``."""
    found: dict[str, list[UUID]] = defaultdict(list)
    for id, attribute, kind in (
        Fact.objects.filter(_HELD, user_id=user_id, subject=subject, operation="state")
        .order_by("-last_stated_at", "-id")
        .values_list("id", "attribute", "kind")
    ):
        found[wording.group_of(USER, attribute, kind, known)].append(id)
    return {group: found[group] for group in wording.GROUPS if group in found}
