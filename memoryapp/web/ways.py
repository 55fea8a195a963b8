"""The ways in which memories came: applications and imports; and the people and pets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count
from django.utils.translation import gettext as _

from accounts.models import Application, EndUser
from memoryapp.models import Conversation, Fact, Import
from memoryapp.subjects import USER
from memoryapp.web.wording import who


@dataclass(frozen=True, slots=True)
class App:
    """An application, with how many conversations it brought."""

    id: UUID
    name: str
    talks: int


@dataclass(frozen=True, slots=True)
class Brought:
    """An import that brought something."""

    id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Somebody:
    """A person or a pet, with how much is remembered about them."""

    subject: str
    name: str
    facts: int


def applications(user_id: UUID) -> list[App]:
    """Those that brought something or may. Needs ``acting_for(user_id)``."""
    talks = dict(
        Conversation.objects.filter(user_id=user_id, application_id__isnull=False)
        .values_list("application_id")
        .annotate(n=Count("id"))
    )
    linked = EndUser.objects.filter(user_id=user_id).values_list("application_id", flat=True)
    imported = Import.objects.filter(user_id=user_id, application_id__isnull=False)
    known = {*talks, *linked, *imported.values_list("application_id", flat=True)}
    names = dict(Application.objects.filter(id__in=known).values_list("id", "name"))
    return sorted(
        (
            App(id, names.get(id, _("An application that is gone")), talks.get(id, 0))
            for id in known
            if id is not None
        ),
        key=lambda app: (app.name.casefold(), app.id),
    )


def sources(user_id: UUID) -> dict[str, list[App] | list[Brought]]:
    """Needs ``acting_for(user_id)``."""
    imports = Import.objects.filter(
        user_id=user_id, state__in=(Import.State.DONE, Import.State.FAILED, Import.State.READING)
    )
    return {
        "applications": applications(user_id),
        "imports": [
            Brought(id, at)
            for id, at in imports.order_by("-created_at").values_list("id", "created_at")[:10]
        ],
    }


def somebodies(user_id: UUID) -> list[Somebody]:
    """The people and pets that are remembered, by name. Needs ``acting_for(user_id)``."""
    found = (
        Fact.objects.filter(user_id=user_id, operation="state")
        .exclude(subject=USER)
        .values_list("subject")
        .annotate(n=Count("id"))
    )
    people = [Somebody(subject, who(subject), n) for subject, n in found]
    return sorted(people, key=lambda one: (one.name.casefold(), one.subject))
