"""Who is who: a person's other names, two who turn out to be one, and parting them again.

A rename keeps every fact, its proof and its past; only whom it is about changes. The old name
goes on meaning the same person, so that what is said under it later finds its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Decision, Evidence, Fact, FactEmbedding, SubjectAlias
from memoryapp.records import Candidate
from memoryapp.registry import Registry
from memoryapp.subjects import USER, canonical, nobody

from .common import ASIDE, Conflict, NotFound, lock
from .timelines import Key, Vector, rewrite

ONE = "the user says that two names mean one"
TWO = "the user says that two names mean two"


@dataclass(frozen=True, slots=True)
class Renamed:
    """The facts that are about somebody else now, by their ids, and about whom."""

    subject: str
    facts: Sequence[UUID]


class Names:
    """The user's names for people and pets, loaded once. Needs ``acting_for(user_id)``."""

    def __init__(self, user_id: UUID) -> None:
        self._means = dict(
            SubjectAlias.objects.filter(user_id=user_id).values_list("alias", "subject")
        )

    def meant(self, subject: str) -> str:
        """Whom a name means; itself when it means nobody else."""
        seen = {subject}
        while (found := self._means.get(subject)) is not None and found not in seen:
            subject = found
            seen.add(found)
        return subject

    def others(self, subject: str) -> list[str]:
        """Every other name that means the subject, in alphabetical order."""
        return sorted(name for name in self._means if self.meant(name) == subject != name)

    def under_one(self, candidate: Candidate) -> Candidate:
        """The candidate, about whom its name means."""
        meant = self.meant(candidate.subject)
        return candidate if meant == candidate.subject else replace(candidate, subject=meant)

    def under_all(self, candidate: Candidate) -> list[Candidate]:
        """The candidate under each name of whom it is about, its own first."""
        others = self.others(candidate.subject)
        return [candidate, *(replace(candidate, subject=name) for name in others)]


def statements(*, user_id: UUID, subject: str, name: str, registry: Registry) -> Mapping[UUID, str]:
    """What the facts about ``subject`` will say once it goes by ``name``. Needs
    ``acting_for(user_id)``."""
    return {
        row.id: _statement(row, name, registry)
        for row in Fact.objects.filter(user_id=user_id, subject=subject)
    }


def rename(
    *,
    user_id: UUID,
    subject: str,
    name: str,
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    vectors: Mapping[str, Vector] | None = None,
) -> Renamed:
    """Whoever is ``subject`` goes by ``name``; when facts about that name are held, the two
    are one from now on. ``vectors`` maps statements to embeddings.

    Raises NotFound when nothing about the subject is held, Conflict when the name is its own,
    and ValueError for one that is no name of a person's or pet's.
    """
    lock(user_id)
    if not is_name(name):
        raise ValueError("no name")
    rows = list(Fact.objects.filter(user_id=user_id, subject=subject))
    if not rows or subject == USER:
        raise NotFound("nothing is held about this subject")
    if subject == name:
        raise Conflict("it is called so")
    proofs = Evidence.objects.filter(user_id=user_id, fact_id__in=[row.id for row in rows])
    moved = sorted(str(id) for id in proofs.values_list("id", flat=True))
    known = SubjectAlias.objects.filter(user_id=user_id)
    known.filter(alias__in=[subject, name]).delete()
    SubjectAlias.objects.create(
        user_id=user_id, alias=subject, subject=name, made_at=now, evidence=moved
    )
    _move(user_id, rows, name, registry, vectors or {}, now)
    return _log(user_id, rows, name, ONE, by, now)


def part(
    *,
    user_id: UUID,
    alias_id: UUID,
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    vectors: Mapping[str, Vector] | None = None,
) -> Renamed:
    """Take back that two names mean one: what had stood under the other name, and is still
    held, goes back to it. What was said since stays where it is. Raises NotFound."""
    lock(user_id)
    known = SubjectAlias.objects.filter(user_id=user_id, id=alias_id).first()
    if known is None:
        raise NotFound("no such name")
    held = Evidence.objects.filter(user_id=user_id)
    mine = set(held.filter(id__in=known.evidence).values_list("id", flat=True))
    facts = set(held.filter(id__in=mine).values_list("fact_id", flat=True))
    rows = list(Fact.objects.filter(user_id=user_id, id__in=facts).exclude(subject=USER))
    shared = set(held.filter(fact__in=rows).exclude(id__in=mine).values_list("fact_id", flat=True))
    known.delete()
    going = [
        _split(user_id, row, mine) if row.id in shared else row
        for row in rows
        if row.subject != known.alias
    ]
    left = {_key(row, registry) for row in going}
    _cut(user_id, going)
    _move(user_id, going, known.alias, registry, vectors or {}, now)
    for key in left:
        _rewrite(user_id, key, registry, now)
    return _log(user_id, going, known.alias, TWO, by, now)


def drop_unused(user_id: UUID) -> int:
    """Names that lead to nobody any more go, for they are words of the user's; returns how
    many. Needs ``acting_for(user_id)`` and the user's lock."""
    known = list(SubjectAlias.objects.filter(user_id=user_id))
    if not known:
        return 0
    names = Names(user_id)
    held = set(
        Fact.objects.filter(
            user_id=user_id, subject__in={names.meant(row.alias) for row in known}
        ).values_list("subject", flat=True)
    )
    idle = [row.id for row in known if names.meant(row.alias) not in held]
    return SubjectAlias.objects.filter(user_id=user_id, id__in=idle).delete()[0]


def is_name(subject: str) -> bool:
    """Whether it is a person's or pet's name in its one spelling."""
    return subject not in ("", USER) and canonical(subject) == subject and not nobody(subject)


def _split(user_id: UUID, row: Fact, mine: Collection[UUID]) -> Fact:
    """A row of its own for the proofs ``mine`` of a row that others prove too."""
    twin = copy(row)
    twin.id, twin.superseded_by_id, twin.supersession = uuid7(), None, ""
    twin._state = copy(row._state)
    if twin.status == Fact.Status.CURRENT:
        twin.status = Fact.Status.SUPERSEDED
    twin.save(force_insert=True)
    Evidence.objects.filter(user_id=user_id, fact_id=row.id, id__in=mine).update(fact_id=twin.id)
    return twin


def _cut(user_id: UUID, going: Sequence[Fact]) -> None:
    """No fact of one of the two was replaced by one of the other."""
    ids = {row.id for row in going}
    for row in going:
        if row.superseded_by_id is not None and row.superseded_by_id not in ids:
            row.superseded_by_id = None
            row.save(update_fields=["superseded_by"])
    staying = Fact.objects.filter(user_id=user_id, superseded_by__in=ids).exclude(id__in=ids)
    staying.update(superseded_by=None)


def _move(
    user_id: UUID,
    rows: Sequence[Fact],
    name: str,
    registry: Registry,
    vectors: Mapping[str, Vector],
    now: datetime,
) -> None:
    before = {_key(row, registry) for row in rows}
    for row in rows:
        row.subject, row.statement = name, _statement(row, name, registry)
        if row.status == Fact.Status.CURRENT:
            # Under one key no two rows may be current while it is rewritten.
            row.status = Fact.Status.SUPERSEDED
        row.save(update_fields=["subject", "statement", "status"])
    FactEmbedding.objects.filter(user_id=user_id, fact__in=rows).delete()
    FactEmbedding.objects.bulk_create(
        FactEmbedding(
            user_id=user_id,
            fact_id=row.id,
            model=vector.model,
            dimension=len(vector.values),
            embedding=vector.values,
        )
        for row in rows
        if (vector := vectors.get(row.statement)) is not None
    )
    for _subject, attribute, scope, value in before:
        _rewrite(user_id, (name, attribute, scope, value), registry, now)


def _rewrite(user_id: UUID, key: Key, registry: Registry, now: datetime) -> None:
    row = (
        Fact.objects.filter(user_id=user_id, subject=key[0], attribute=key[1], scope=key[2])
        .exclude(status__in=ASIDE)
        .first()
    )
    if row is not None:
        known = registry.get(key[1], kind=row.kind)  # type: ignore[arg-type]
        rewrite(user_id=user_id, key=key, known=known, new=[], now=now)


def _key(row: Fact, registry: Registry) -> Key:
    single = registry.get(row.attribute, kind=row.kind).single  # type: ignore[arg-type]
    return (row.subject, row.attribute, row.scope, "" if single else row.value_key)


def _statement(row: Fact, name: str, registry: Registry) -> str:
    candidate = Candidate(
        subject=name,
        attribute=row.attribute,
        scope=row.scope,
        value=row.value,
        quote=None,
        sent_at=row.last_stated_at,
        polarity=row.polarity,  # type: ignore[arg-type]
        operation=row.operation,  # type: ignore[arg-type]
    )
    return registry.get(row.attribute, kind=row.kind).statement(candidate)  # type: ignore[arg-type]


def _log(
    user_id: UUID, rows: Iterable[Fact], name: str, reason: str, by: audit.Actor, now: datetime
) -> Renamed:
    """One decision and one entry for each fact that is still there under the name: of two
    that say the same, one is left."""
    ids = [row.id for row in rows if row.operation == "state"]
    held = list(Fact.objects.filter(user_id=user_id, id__in=ids, subject=name).order_by("id"))
    Decision.objects.bulk_create(
        Decision(
            id=uuid7(),
            user_id=user_id,
            fact_id=row.id,
            outcome="corroborate",
            reason=reason,
            subject=name,
            attribute=row.attribute,
            scope=row.scope,
            value=row.value,
            at=now,
        )
        for row in held
    )
    action = "subject.rename" if reason == ONE else "subject.part"
    audit.record(
        user_id=user_id,
        by=by,
        events=[
            *(audit.Event("fact.rename", f"fact:{row.id}") for row in held),
            audit.Event(action, "", {"facts": len(held)}),
        ],
        now=now,
    )
    return Renamed(name, [row.id for row in held])
