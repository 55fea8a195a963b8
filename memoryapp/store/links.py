"""How facts hang together beside their chains."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memoryapp.models import Fact, FactLink


def link(
    *,
    user_id: UUID,
    source_id: UUID,
    target_id: UUID,
    kind: FactLink.Kind,
    now: datetime,
    weight: float = 1.0,
) -> bool:
    """Note that ``source`` follows from, is derived from, or contradicts ``target``; False
    when that is noted already, or when one of them is gone. Needs ``acting_for(user_id)``
    and the user's lock."""
    ends = {source_id, target_id}
    if len(ends) < 2 or Fact.objects.filter(user_id=user_id, id__in=ends).count() < 2:
        return False
    _link, made = FactLink.objects.get_or_create(
        user_id=user_id,
        source_id=source_id,
        target_id=target_id,
        kind=kind,
        defaults={"weight": weight, "made_at": now},
    )
    return made


def move_links(*, user_id: UUID, old_id: UUID, new_id: UUID) -> None:
    """The links of a row that becomes part of another's go over to that one."""
    for row in FactLink.objects.filter(user_id=user_id, source_id=old_id):
        link(
            user_id=user_id, source_id=new_id, target_id=row.target_id,
            kind=FactLink.Kind(row.kind), now=row.made_at, weight=row.weight,
        )  # fmt: skip
    for row in FactLink.objects.filter(user_id=user_id, target_id=old_id):
        link(
            user_id=user_id, source_id=row.source_id, target_id=new_id,
            kind=FactLink.Kind(row.kind), now=row.made_at, weight=row.weight,
        )  # fmt: skip
