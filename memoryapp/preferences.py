"""What a user chose: how I speak to them, what I may remember, what applications may do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from accounts.models import EndUser, User
from memoryapp import audit
from memoryapp.models import MemorySettings
from memoryapp.store import Stale, lock


@dataclass(frozen=True, slots=True)
class Access:
    """What one application may do with the user's memory."""

    application_id: UUID
    name: str
    may_read: bool
    may_write: bool


@dataclass(frozen=True, slots=True)
class Preferences:
    """``retention_days`` None keeps messages for the server's default."""

    language: str
    time_zone: str
    paused: bool
    retention_days: int | None
    sensitive_opt_in: Sequence[str]
    applications: Sequence[Access]

    def version(self, user: User) -> str:
        """A short text, another one after every change."""
        return user.keyed_hash("preferences", repr(self)).hex()[:16]


class Changes(TypedDict, total=False):
    """``applications`` maps an application to what it may do: (read, write)."""

    language: str
    time_zone: str
    paused: bool
    retention_days: int | None
    sensitive_opt_in: Collection[str]
    applications: Mapping[UUID, tuple[bool, bool]]


class UnknownApplication(LookupError):
    """The application has nothing to do with the user."""


def load(*, user: User) -> Preferences:
    """Needs ``acting_for(user)``."""
    held = MemorySettings.objects.filter(user_id=user.pk).first() or MemorySettings()
    return Preferences(
        language=user.language,
        time_zone=user.time_zone,
        paused=held.paused,
        retention_days=held.retention_days,
        sensitive_opt_in=sorted(held.sensitive_opt_in),
        applications=[
            Access(row.application_id, row.application.name, row.may_read, row.may_write)
            for row in EndUser.objects.filter(user=user).select_related("application")
        ],
    )


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
    None for any. Raises store.Stale, UnknownApplication."""
    lock(user.pk)
    user.refresh_from_db(fields=["language", "time_zone"])
    before = load(user=user)
    if seen is not None and before.version(user) not in seen:
        raise Stale("the settings have changed")
    _save_account(user, changes)
    _save_memory(user, changes)
    _save_access(user, changes.get("applications", {}))
    after = load(user=user)
    changed = [
        field.name
        for field in fields(Preferences)
        if getattr(before, field.name) != getattr(after, field.name)
    ]
    if changed:
        event = audit.Event("settings.change", "settings", {"changed": changed})
        audit.record(user_id=user.pk, by=by, events=[event], now=now)
    return after


def _save_account(user: User, changes: Changes) -> None:
    user.language = changes.get("language", user.language)
    user.time_zone = changes.get("time_zone", user.time_zone)
    user.save(update_fields=["language", "time_zone"])


def _save_memory(user: User, changes: Changes) -> None:
    wanted: dict[str, object] = {}
    if "paused" in changes:
        wanted["paused"] = changes["paused"]
    if "retention_days" in changes:
        wanted["retention_days"] = changes["retention_days"]
    if "sensitive_opt_in" in changes:
        wanted["sensitive_opt_in"] = sorted(set(changes["sensitive_opt_in"]))
    if wanted:
        MemorySettings.objects.update_or_create(user_id=user.pk, defaults=wanted)


def _save_access(user: User, access: Mapping[UUID, tuple[bool, bool]]) -> None:
    for application_id, (may_read, may_write) in access.items():
        mine = EndUser.objects.filter(user=user, application_id=application_id)
        if not mine.update(may_read=may_read, may_write=may_write):
            raise UnknownApplication
