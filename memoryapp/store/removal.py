"""Facts and proofs taken away, and the timelines that remain."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memoryapp.models import Evidence, Fact
from memoryapp.registry import Registry

from .common import lock
from .many import among, plan_once
from .names import drop_unused
from .timelines import Key, rewrite


def remove(
    *,
    user_id: UUID,
    registry: Registry,
    now: datetime,
    fact_ids: Collection[UUID] = (),
    evidence_ids: Collection[UUID] = (),
) -> list[Fact]:
    """Delete rows with all that hangs on them, and pieces of evidence; a row that has no
    evidence left goes too. What remains under their keys is rewritten from its evidence,
    so that what a removed row had replaced holds again.

    Returns the deleted rows. Writes no decision and no audit event: erasing has a receipt.
    """
    lock(user_id)
    plan_once()
    mine = Fact.objects.filter(user_id=user_id)
    proofs = Evidence.objects.filter(user_id=user_id)
    going = proofs.filter(id__in=among(evidence_ids))
    named = set(fact_ids)
    touched = named | set(going.values_list("fact_id", flat=True))
    rows = list(mine.filter(id__in=among(touched)))
    going.delete()
    proven = set(proofs.filter(fact_id__in=among(touched)).values_list("fact_id", flat=True))
    gone = [row for row in rows if row.id in named or row.id not in proven]
    ids = among(row.id for row in gone)
    replaced = list(mine.filter(superseded_by_id__in=ids))
    mine.filter(id__in=ids).delete()
    touched_keys = {_key(row, registry): row.kind for row in [*rows, *replaced]}
    left = mine.filter(attribute__in={attribute for _, attribute, _, _ in touched_keys})
    held = {_key(row, registry) for row in left}
    for key, kind in touched_keys.items():
        if key not in held:
            continue
        known = registry.get(key[1], kind=kind)  # type: ignore[arg-type]
        rewrite(user_id=user_id, key=key, known=known, new=[], now=now)
    drop_unused(user_id)
    return gone


def _key(row: Fact, registry: Registry) -> Key:
    single = registry.get(row.attribute, kind=row.kind).single  # type: ignore[arg-type]
    return (row.subject, row.attribute, row.scope, "" if single else row.value_key)
