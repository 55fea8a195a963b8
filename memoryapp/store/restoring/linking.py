"""How the facts of an export hang together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.auth import get_user_model

from memoryapp.brought import BroughtLink, BroughtName
from memoryapp.models import (
    Evidence,
    Fact,
    FactLink,
    SubjectAlias,
)

from ..common import ASIDE, lock
from ..links import link
from ..names import Names
from .common import identity


def restore_links(
    *, user_id: UUID, links: Sequence[BroughtLink], import_id: UUID, now: datetime
) -> int:
    """Note what the export says of how its facts hang together; returns how many links are
    new. Only what this import alone proved is called replaced: an export changes nothing that
    was here before. Needs ``acting_for(user_id)``."""
    lock(user_id)
    user = get_user_model().objects.get(pk=user_id)
    ids = identity(user, Fact, {end for one in links for end in (one.source, one.target)}).ids
    proofs = Evidence.objects.filter(user_id=user_id, fact_id__in=ids.values())
    brought = set(proofs.filter(source_import_id=import_id).values_list("fact_id", flat=True))
    others = set(proofs.exclude(source_import_id=import_id).values_list("fact_id", flat=True))
    made = 0
    for one in links:
        source, target = ids[one.source], ids[one.target]
        if one.kind == "superseded_by":
            made += source in brought - others and _replaced(user_id, source, target, one)
        elif {source, target} & brought:
            made += link(
                user_id=user_id,
                source_id=source,
                target_id=target,
                kind=FactLink.Kind(one.kind),
                now=min(one.made_at or now, now),
                weight=one.weight,
            )
    return made


def restore_name(*, user_id: UUID, name: BroughtName, now: datetime) -> bool:
    """Note another name of somebody; False when either name means something else here.
    Needs ``acting_for(user_id)``."""
    lock(user_id)
    user = get_user_model().objects.get(pk=user_id)
    names = Names(user_id)
    if names.meant(name.alias) != name.alias or names.meant(name.subject) == name.alias:
        return False
    proofs = identity(user, Evidence, name.proofs)
    SubjectAlias.objects.create(
        user_id=user_id,
        alias=name.alias,
        subject=name.subject,
        made_at=min(name.made_at, now),
        evidence=[str(proofs.ids[one]) for one in name.proofs if proofs.known(one)],
    )
    return True


def _replaced(user_id: UUID, source: UUID, target: UUID, said: BroughtLink) -> bool:
    """A fact under another key took over: the key's own timeline knows only that it ended."""
    mine = Fact.objects.filter(user_id=user_id)
    if source == target or not mine.filter(id=target).exclude(status__in=ASIDE).exists():
        return False
    return bool(
        mine.filter(id=source, superseded_by=None, status=Fact.Status.RETRACTED).update(
            superseded_by=target, status=Fact.Status.SUPERSEDED, supersession=said.supersession
        )
    )
