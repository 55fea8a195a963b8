"""Which rows go when a fact is erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Min, QuerySet

from memoryapp.models import Evidence, Fact
from memoryapp.store import NotFound
from memoryapp.store.common import ASIDE
from memoryapp.store.many import among

FactKey = tuple[str, str, str]  # subject, attribute, scope


def key_of(fact: Fact) -> FactKey:
    return (fact.subject, fact.attribute, fact.scope)


def under(user_id: UUID, key: FactKey) -> QuerySet[Fact]:
    subject, attribute, scope = key
    return Fact.objects.filter(user_id=user_id, subject=subject, attribute=attribute, scope=scope)


def rows_to_erase(
    user_id: UUID, fact_ids: Collection[UUID], *, restore_previous: bool
) -> list[Fact]:
    """The facts and what goes with them: their whole chains, or, with
    ``restore_previous``, only what followed. Raises NotFound when one isn't the user's."""
    chosen = list(Fact.objects.filter(user_id=user_id, id__in=fact_ids, operation="state"))
    if not chosen or len(chosen) != len(set(fact_ids)):
        raise NotFound("no such fact")
    rows: dict[UUID, Fact] = {}
    for fact in chosen:
        if fact.status in ASIDE:
            found: Iterable[Fact] = [fact]
        elif restore_previous:
            found = _from_here_on(user_id, fact)
        else:
            found = _whole_chain(user_id, fact)
        rows |= {row.id: row for row in found}
    # Suggestions of what is being erased would bring it back.
    for key, values in values_of(rows.values()).items():
        aside = under(user_id, key).filter(status__in=ASIDE, value_key__in=values)
        rows |= {row.id: row for row in aside}
    return list(rows.values())


def exactly(user_id: UUID, fact_ids: Collection[UUID]) -> list[Fact]:
    """The facts alone, whatever came before and after them, and the marks that ended them or,
    in the same breath, what they replaced: left to stand, that holds again. Raises NotFound
    when one isn't the user's."""
    chosen = list(Fact.objects.filter(user_id=user_id, id__in=fact_ids, operation="state"))
    if not chosen or len(chosen) != len(set(fact_ids)):
        raise NotFound("no such fact")
    rows = {row.id: row for row in chosen}
    for key in {key_of(fact) for fact in chosen if fact.status not in ASIDE}:
        held = {row.id: row for row in under(user_id, key).exclude(status__in=ASIDE)}
        ends = [row for row in held.values() if row.operation == "end"]
        if not ends:
            continue
        said = _first_said(user_id, held)
        left = {
            row.value_key
            for row in held.values()
            if row.operation == "state" and row.id not in rows
        }
        for fact in [held[id] for id in rows if id in held]:
            replaced = {row.value_key for row in held.values() if row.superseded_by_id == fact.id}
            for end in ends:
                own = end.value_key == fact.value_key and fact.value_key not in left
                in_one_breath = said[end.id] == said[fact.id] and (
                    fact.single or end.value_key in replaced
                )
                if own or in_one_breath or (fact.single and not left):
                    rows[end.id] = end
    return list(rows.values())


def earlier(user_id: UUID, rows: Collection[Fact]) -> list[Fact]:
    """What the rows had replaced, and what that had, without the rows themselves: what would
    hold again, one after the other, if the rows went alone."""
    found: dict[UUID, Fact] = {}
    mine = {row.id for row in rows}
    heirs = {row.id for row in rows if row.status == Fact.Status.CURRENT}
    while heirs:
        replaced = Fact.objects.filter(
            user_id=user_id, superseded_by_id__in=among(heirs), operation="state"
        ).exclude(id__in=among(found))
        heirs = {row.id for row in replaced}
        found |= {row.id: row for row in replaced}
    return [row for id, row in found.items() if id not in mine]


def whole_keys(user_id: UUID, rows: Collection[Fact]) -> set[FactKey]:
    """The single-valued keys under which nothing else is held than the rows."""
    keys = {key_of(row) for row in rows if row.single}
    left = (
        Fact.objects.filter(user_id=user_id, attribute__in={key[1] for key in keys})
        .exclude(status__in=ASIDE)
        .exclude(id__in=among(row.id for row in rows))
    )
    return keys - set(left.values_list("subject", "attribute", "scope"))


def values_of(rows: Iterable[Fact]) -> dict[FactKey, set[str]]:
    """The values that the rows state or end, by key."""
    values: dict[FactKey, set[str]] = {}
    for row in rows:
        values.setdefault(key_of(row), set()).add(row.value_key)
    return values


def _whole_chain(user_id: UUID, fact: Fact) -> list[Fact]:
    rows = under(user_id, key_of(fact)).exclude(status__in=ASIDE)
    if fact.single:
        return list(rows)
    # Each of several values has its own timeline; an edit links one to the next.
    values, before = {fact.value_key}, 0
    while len(values) > before:
        before = len(values)
        values |= set(
            rows.filter(superseded_by__in=rows.filter(value_key__in=values)).values_list(
                "value_key", flat=True
            )
        )
    return list(rows.filter(value_key__in=values))


def _from_here_on(user_id: UUID, fact: Fact) -> list[Fact]:
    """The fact, what replaced it, and the marks that ended these or, in the same breath,
    what was before."""
    rows = {row.id: row for row in under(user_id, key_of(fact)).exclude(status__in=ASIDE)}
    said = _first_said(user_id, rows)
    chain = {fact.id}
    later: Fact | None = fact
    while later is not None and later.superseded_by_id is not None:
        later = rows.get(later.superseded_by_id)
        if later is None or later.id in chain:
            break
        chain.add(later.id)
    values = {rows[id].value_key for id in chain}
    before = {row.value_key for row in rows.values() if row.superseded_by_id == fact.id}
    begun = said[fact.id]
    for row in rows.values():
        if row.operation != "end" or said[row.id] < begun:
            continue
        in_one_breath = said[row.id] == begun and (fact.single or row.value_key in before)
        if row.value_key in values or in_one_breath:
            chain.add(row.id)
    return [rows[id] for id in chain]


def _first_said(user_id: UUID, rows: dict[UUID, Fact]) -> dict[UUID, datetime]:
    said = dict(
        Evidence.objects.filter(user_id=user_id, fact_id__in=list(rows))
        .values_list("fact_id")
        .annotate(first=Min("sent_at"))
    )
    return {id: said.get(id, row.last_stated_at) for id, row in rows.items()}
