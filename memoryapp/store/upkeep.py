"""What consolidation may do to facts: expire, archive, merge."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memoryapp import audit
from memoryapp.models import Fact
from memoryapp.reconcile import Verdict
from memoryapp.records import Candidate, normalise
from memoryapp.registry import Known, Registry

from .apply import Decided, log
from .common import lock, with_expiry
from .timelines import rewrite


def expire(*, user_id: UUID, by: audit.Actor, now: datetime) -> int:
    """Current facts past their time become ``expired``; returns how many. A pinned fact
    outlives its kind's days, but not the end that its own words named."""
    lock(user_id)
    due = Fact.objects.filter(
        Q(pinned=False, expires_at__lte=now) | Q(valid_to__lte=now),
        user_id=user_id,
        status=Fact.Status.CURRENT,
    )
    return _set_status(user_id, due, Fact.Status.EXPIRED, "fact.expire", by, now)


def archive(*, user_id: UUID, by: audit.Actor, now: datetime, after_days: int) -> int:
    """Current facts neither stated nor recalled for ``after_days`` days become
    ``archived``; returns how many. Constraints, personal facts and pinned ones stay: a
    true old fact must not be buried."""
    lock(user_id)
    before = now - timedelta(days=after_days)
    due = Fact.objects.filter(
        Q(usage__isnull=True)
        | Q(usage__user_id=F("user_id"), usage__last_recalled_at__lt=before)
        | Q(usage__user_id=F("user_id"), usage__last_recalled_at__isnull=True),
        user_id=user_id,
        status=Fact.Status.CURRENT,
        pinned=False,
        last_stated_at__lt=before,
        recorded_at__lt=before,
    ).exclude(kind__in=["constraint", "personal"])
    return _set_status(user_id, due, Fact.Status.ARCHIVED, "fact.archive", by, now)


def _set_status(
    user_id: UUID, facts: QuerySet[Fact], status: str, action: str, by: audit.Actor, now: datetime
) -> int:
    ids = list(facts.values_list("id", flat=True))
    Fact.objects.filter(user_id=user_id, id__in=ids).update(status=status)
    audit.record(
        user_id=user_id,
        by=by,
        events=[audit.Event(action, f"fact:{fact_id}") for fact_id in ids],
        now=now,
    )
    return len(ids)


def reexpire(*, user_id: UUID, registry: Registry, by: audit.Actor, now: datetime) -> int:
    """Have current facts run out as their kinds do for this user; returns how many run out at
    another time now. A time that the user chose for one fact stays."""
    lock(user_id)
    changed = []
    kinds: dict[str, Known] = {}
    for fact in Fact.objects.filter(
        user_id=user_id, status=Fact.Status.CURRENT, operation="state", expiry_chosen=False
    ):
        if fact.attribute not in kinds:
            known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
            kinds[fact.attribute] = with_expiry(user_id, known)
        expires_at = kinds[fact.attribute].expires_at(
            last_stated_at=fact.last_stated_at, valid_from=fact.valid_from, valid_to=fact.valid_to
        )
        if expires_at != fact.expires_at:
            fact.expires_at = expires_at
            changed.append(fact)
    Fact.objects.bulk_update(changed, ["expires_at"], batch_size=500)
    if changed:
        event = audit.Event("facts.reexpire", "", {"count": len(changed)})
        audit.record(user_id=user_id, by=by, events=[event], now=now)
    return len(changed)


def merge_duplicates(*, user_id: UUID, registry: Registry, by: audit.Actor, now: datetime) -> int:
    """Fold rows whose attribute has become an alias, or whose value now counts as the
    same, into one timeline each; returns how many rows were folded away."""
    lock(user_id)
    groups: dict[tuple[str, str, str, str], list[Fact]] = {}
    for fact in Fact.objects.filter(user_id=user_id, operation="state").exclude(
        status__in=[Fact.Status.PENDING, Fact.Status.REJECTED]
    ):
        known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
        value_key = normalise(fact.value) or fact.value.casefold()
        key = (fact.subject, known.key, fact.scope, "" if known.single else value_key)
        groups.setdefault(key, []).append(fact)
    folded = 0
    for key, facts in groups.items():
        attributes = {f.attribute for f in facts}
        keys = {f.value_key for f in facts}
        known = registry.get(key[1], kind=facts[0].kind)  # type: ignore[arg-type]
        stale = attributes != {key[1]} or (
            (key[3] and keys != {key[3]}) or any(f.single != known.single for f in facts)
        )
        if not stale:
            continue
        # Under the new key no two rows may be current while they are rewritten.
        Fact.objects.filter(user_id=user_id, id__in=[f.id for f in facts]).update(
            attribute=key[1], status=Fact.Status.SUPERSEDED
        )
        for fact in facts:
            value_key = normalise(fact.value) or fact.value.casefold()
            Fact.objects.filter(user_id=user_id, id=fact.id).update(value_key=value_key)
        taken = rewrite(user_id=user_id, key=key, known=known, new=[], now=now)
        folded += len(facts) - len({f.id for f in taken.facts if f.operation == "state"})
        carrier = taken.facts[-1]
        log(
            user_id=user_id,
            decided=[
                Decided(
                    Candidate(
                        subject=key[0],
                        attribute=key[1],
                        scope=key[2],
                        value=carrier.value,
                        quote=None,
                        sent_at=now,
                        confidence=carrier.confidence,
                    ),
                    Verdict("corroborate", "merged with the same under another name"),
                    carrier.id,
                )
            ],
            by=by,
            now=now,
        )
    return folded
