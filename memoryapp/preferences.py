"""What a user chose: how I speak to them, what I may remember, what applications may do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import NamedTuple, TypedDict
from uuid import UUID

from django.utils import timezone

from accounts.models import EndUser, User
from memoryapp import audit, registry, rules, store, work
from memoryapp.models import Fact, MemorySettings, NeverTopic
from memoryapp.store import Stale, lock

# More than anybody needs, and few enough to be held against everything that is said.
MOST_TOPICS = 50
# Pending facts that a new topic is held against by meaning, too.
MOST_PENDING = 300


@dataclass(frozen=True, slots=True)
class Access:
    """What one application may do with the user's memory."""

    application_id: UUID
    name: str
    may_read: bool
    may_write: bool


class TopicKey(NamedTuple):
    """What a topic is about: one of the four is said."""

    words: str = ""
    attribute: str = ""
    area: str = ""
    sensitivity: str = ""


@dataclass(frozen=True, slots=True)
class TopicHeld:
    """A topic never to remember, and how often something was left out for it."""

    id: UUID
    words: str
    attribute: str
    area: str
    sensitivity: str
    left_out: int = field(default=0, repr=False)
    last_left_out_at: datetime | None = field(default=None, repr=False)

    @property
    def key(self) -> TopicKey:
        return TopicKey(self.words, self.attribute, self.area, self.sensitivity)


@dataclass(frozen=True, slots=True)
class Preferences:
    """``retention_days`` None keeps messages for the server's default. ``paused`` is how it
    is now; a pause without an end has ``paused_until`` None. ``expiry`` has the kinds whose
    days the user chose, None for always."""

    language: str
    time_zone: str
    paused: bool
    paused_until: datetime | None
    retention_days: int | None
    sensitive_opt_in: Sequence[str]
    expiry: Mapping[str, int | None]
    never_remember: Sequence[TopicHeld]
    review_keys: bool
    applications: Sequence[Access]

    def version(self, user: User) -> str:
        """A short text, another one after every change."""
        return user.keyed_hash("preferences", repr(self)).hex()[:16]


class Changes(TypedDict, total=False):
    """``applications`` maps an application to what it may do: (read, write). A pause has no
    end unless ``paused_until`` comes with it. ``never_remember`` is all of the topics."""

    language: str
    time_zone: str
    paused: bool
    paused_until: datetime | None
    retention_days: int | None
    sensitive_opt_in: Collection[str]
    expiry: Mapping[str, int | None]
    never_remember: Collection[TopicKey]
    review_keys: bool
    applications: Mapping[UUID, tuple[bool, bool]]


class UnknownApplication(LookupError):
    """The application has nothing to do with the user."""


class TooManyTopics(ValueError):
    """More than MOST_TOPICS."""


def load(*, user: User, now: datetime | None = None) -> Preferences:
    """Needs ``acting_for(user)``."""
    held = MemorySettings.objects.filter(user_id=user.pk).first() or MemorySettings()
    paused = held.paused_at(now or timezone.now())
    return Preferences(
        language=user.language,
        time_zone=user.time_zone,
        paused=paused,
        paused_until=held.paused_until if paused else None,
        retention_days=held.retention_days,
        sensitive_opt_in=sorted(held.sensitive_opt_in),
        expiry=dict(sorted(held.expiry.items())),
        never_remember=[
            TopicHeld(
                row.id, row.words, row.attribute, row.area, row.sensitivity,
                row.left_out, row.last_left_out_at,
            )
            for row in NeverTopic.objects.filter(user_id=user.pk).order_by("id")
        ],
        review_keys=held.review_keys,
        applications=[
            Access(row.application_id, row.application.name, row.may_read, row.may_write)
            for row in EndUser.objects.filter(user=user).select_related("application")
        ],
    )  # fmt: skip


def change(
    *,
    user: User,
    changes: Changes,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
) -> Preferences:
    """Save what is new and return how things stand; the log names what changed, not what it
    was. Needs ``acting_for(user)``. ``seen`` are the versions that the caller would change;
    None for any. Raises store.Stale, UnknownApplication, TooManyTopics.

    What waits in the review and is about a new topic is refused. Once a pause ends, what
    waited for it is read.
    """
    now = now or timezone.now()
    lock(user.pk)
    user.refresh_from_db(fields=["language", "time_zone"])
    before = load(user=user, now=now)
    if seen is not None and before.version(user) not in seen:
        raise Stale("the settings have changed")
    _save_account(user, changes)
    _save_memory(user, changes)
    _save_access(user, changes.get("applications", {}))
    if "never_remember" in changes:
        _save_topics(user, before.never_remember, changes["never_remember"], by, now)
    after = load(user=user, now=now)
    if before.paused and not after.paused:
        work.resume(user_id=user.pk, now=now)
    changed = [
        field.name
        for field in fields(Preferences)
        if repr(getattr(before, field.name)) != repr(getattr(after, field.name))
    ]
    if changed:
        event = audit.Event("settings.change", "settings", {"changed": changed})
        audit.record(user_id=user.pk, by=by, events=[event], now=now)
    return after


def apply_expiry(*, user: User, by: audit.Actor, now: datetime | None = None) -> int:
    """Have the facts that are held already keep for the days chosen; returns how many run out
    at another time now. Needs ``acting_for(user)``."""
    return store.reexpire(
        user_id=user.pk, registry=registry.load(), by=by, now=now or timezone.now()
    )


def _save_account(user: User, changes: Changes) -> None:
    user.language = changes.get("language", user.language)
    user.time_zone = changes.get("time_zone", user.time_zone)
    user.save(update_fields=["language", "time_zone"])


def _save_memory(user: User, changes: Changes) -> None:
    wanted: dict[str, object] = {}
    if "paused" in changes:
        wanted["paused"] = changes["paused"]
        wanted["paused_until"] = changes.get("paused_until") if changes["paused"] else None
    elif "paused_until" in changes:
        wanted["paused_until"] = changes["paused_until"]
    if "retention_days" in changes:
        wanted["retention_days"] = changes["retention_days"]
    if "sensitive_opt_in" in changes:
        wanted["sensitive_opt_in"] = sorted(set(changes["sensitive_opt_in"]))
    if "expiry" in changes:
        wanted["expiry"] = dict(changes["expiry"])
    if "review_keys" in changes:
        wanted["review_keys"] = changes["review_keys"]
    if wanted:
        MemorySettings.objects.update_or_create(user_id=user.pk, defaults=wanted)


def _save_topics(
    user: User,
    held: Sequence[TopicHeld],
    wanted: Collection[TopicKey],
    by: audit.Actor,
    now: datetime,
) -> None:
    """Keep those that stay as they are, with what they count."""
    keys = dict.fromkeys(_folded(key) for key in wanted)
    if len(keys) > MOST_TOPICS:
        raise TooManyTopics
    gone = [topic.id for topic in held if _folded(topic.key) not in keys]
    NeverTopic.objects.filter(user_id=user.pk, id__in=gone).delete()
    known = {_folded(topic.key) for topic in held}
    fresh = {_folded(key): key for key in wanted if _folded(key) not in known}
    NeverTopic.objects.bulk_create(
        NeverTopic(user_id=user.pk, created_at=now, **key._asdict()) for key in fresh.values()
    )
    if fresh:
        attributes = registry.load()
        topics = rules.load(user_id=user.pk, names=attributes.names())
        _refuse_pending(user, topics, attributes, by, now)
        rules.withhold(user_id=user.pk, topics=topics)


def _folded(key: TopicKey) -> TopicKey:
    return key._replace(words=" ".join(key.words.casefold().split()))


def _refuse_pending(
    user: User,
    topics: rules.Topics,
    known: registry.Registry,
    by: audit.Actor,
    now: datetime,
) -> None:
    """Nobody is asked about what they never want remembered."""
    pending = Fact.objects.filter(user_id=user.pk, status=Fact.Status.PENDING).order_by("-id")
    for fact in pending[:MOST_PENDING]:
        attribute = known.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
        verdict = topics.judge(
            rules.Said(
                subject=fact.subject,
                attribute=fact.attribute,
                area=attribute.area(fact.subject),
                sensitivity=fact.sensitivity,
                texts=[fact.statement],
            )
        )
        if verdict is not None and verdict.sure:
            store.reject(user_id=user.pk, fact_id=fact.id, by=by, now=now)


def _save_access(user: User, access: Mapping[UUID, tuple[bool, bool]]) -> None:
    for application_id, (may_read, may_write) in access.items():
        mine = EndUser.objects.filter(user=user, application_id=application_id)
        if not mine.update(may_read=may_read, may_write=may_write):
            raise UnknownApplication
