"""What auditors see and may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp.admin.base import AuditorAdmin
from memoryapp.context import acting_for
from memoryapp.models import (
    Attribute,
    AuditEvent,
    Conversation,
    Decision,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Extraction,
    Fact,
    MemoryEvent,
    Message,
    Outbox,
    TokenDay,
    TokenUse,
    WebhookDelivery,
)
from memoryapp.models.base import Owned
from tests.memory import NOW, day, learn

SECRET = "zanzibar"  # stands in every text of the owner's
REASON = "Ticket 4711: the owner asked us to look."


def rows() -> dict[str, type[Owned]]:
    return {
        str(model._meta.model_name): model
        for model, page in django_admin.site._registry.items()
        if isinstance(page, AuditorAdmin) and issubclass(model, Owned)
    }


def page_of(name: str, *arguments: object, kind: str = "change") -> str:
    return reverse(f"admin:memoryapp_{name}_{kind}", args=arguments)


@pytest.fixture
def memory(owner: User) -> dict[str, Any]:
    """One row of every kind that the pages show, by the model's name; no id is shared."""
    learn(
        owner,
        "home",
        SECRET,
        on=1,
        text=f"I live in {SECRET}.",
        subject=f"person:{SECRET}",
        scope=f"project:{SECRET}",
    )
    with acting_for(owner.pk):
        event = MemoryEvent.objects.get()
        chat = Conversation.objects.get()
        chat.title = f"About {SECRET}"
        chat.save(update_fields=["title"])
        return {
            "conversation": chat,
            "message": Message.objects.get(),
            "fact": Fact.objects.get(),
            "evidence": Evidence.objects.get(),
            "decision": Decision.objects.get(),
            "auditevent": AuditEvent.objects.get(),
            "extraction": Extraction.objects.create(
                user_id=owner.pk,
                extractor="local",
                version="1",
                started_at=NOW,
                outcome="done",
            ),
            "outbox": Outbox.objects.create(
                user_id=owner.pk, conversation=chat, created_at=NOW, not_before=NOW
            ),
            "memoryevent": event,
            "webhookdelivery": WebhookDelivery.objects.create(
                user_id=owner.pk,
                event=event,
                endpoint=UUID(int=1),
                created_at=NOW,
                not_before=NOW,
            ),
            "tokenuse": TokenUse.objects.create(user_id=owner.pk, day=NOW.date(), tokens=7),
            "erasurerequest": ErasureRequest.objects.create(
                user_id=owner.pk, what=SECRET, asked_at=NOW
            ),
            "erasurereceipt": ErasureReceipt.objects.create(
                user_id=owner.pk, target="facts", requested_at=NOW, completed_at=NOW
            ),
        }


@pytest.fixture
def auditor(db: None) -> User:
    """Staff who may look at the pages and nothing more."""
    user = User.objects.create_user("auditor@example.com", is_staff=True)
    views = Permission.objects.filter(
        content_type__app_label="memoryapp", codename__startswith="view_"
    )
    user.user_permissions.set(views)
    return user


@pytest.fixture
def revealer(auditor: User) -> User:
    auditor.user_permissions.add(Permission.objects.get(codename="reveal_content"))
    return auditor


@pytest.fixture
def browser_of(client: Client) -> Iterator[Any]:
    def sign_in(user: User) -> Client:
        client.force_login(user)
        return client

    return sign_in  # type: ignore[return-value]


def test_every_page_shows_the_rows_and_hides_the_content(
    browser_of: Any, auditor: User, memory: dict[str, Any]
) -> None:
    assert set(rows()) == set(memory)
    client = browser_of(auditor)
    for name, row in memory.items():
        listing = client.get(page_of(name, kind="changelist"))
        detail = client.get(page_of(name, row.pk))
        for page in (listing, detail):
            assert page.status_code == 200, name
            assert SECRET not in page.text, name
            assert "reveal/" not in page.text, name
        assert str(row.pk)[-8:] in listing.text, name
        assert 'name="_save"' not in detail.text, name
    assert "••••• (8 characters)" in client.get(page_of("fact", kind="changelist")).text


def test_looking_at_one_row_is_logged_in_its_users_log(
    browser_of: Any, auditor: User, memory: dict[str, Any], owner: User
) -> None:
    client = browser_of(auditor)
    client.get(page_of("fact", kind="changelist"))
    client.get(page_of("fact", memory["fact"].pk))
    client.get(page_of("fact", "no-such-id"))
    with acting_for(owner.pk):
        (event,) = AuditEvent.objects.filter(actor=f"admin:{auditor.pk}")
    assert (event.action, event.object) == ("admin.view", f"fact:{memory['fact'].pk}")


def test_nothing_can_be_written(
    browser_of: Any, admin: User, memory: dict[str, Any], owner: User
) -> None:
    client = browser_of(admin)
    for name, row in memory.items():
        assert client.get(page_of(name, kind="add")).status_code == 403, name
        assert client.post(page_of(name, row.pk), {"status": "x"}).status_code == 403, name
        assert client.post(page_of(name, row.pk, kind="delete"), {"post": "yes"}).status_code == (
            403
        ), name
        deletion = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        client.post(page_of(name, kind="changelist"), deletion)
    with acting_for(owner.pk):
        for name, model in rows().items():
            assert model._base_manager.filter(pk=memory[name].pk).exists(), name


@pytest.mark.parametrize(
    "query",
    [
        {"value__icontains": SECRET},
        {"statement__startswith": "a"},
        {"evidence__quote__contains": SECRET},
        {"user__email": "owner@example.com"},
    ],
)
def test_content_can_not_be_guessed_through_filters(
    browser_of: Any, admin: User, memory: dict[str, Any], query: dict[str, str]
) -> None:
    assert browser_of(admin).get(page_of("fact", kind="changelist"), query).status_code == 400


def test_rows_are_found_by_user_id_and_filters_but_not_by_content(
    browser_of: Any, admin: User, memory: dict[str, Any], owner: User, other: User
) -> None:
    learn(other, "home", "Oslo", on=1)
    client = browser_of(admin)
    link = f"/{memory['fact'].pk}/change/"
    listing = page_of("fact", kind="changelist")
    for query, found in (
        ({"q": str(owner.pk)}, True),
        ({"q": str(other.pk)}, False),
        ({"q": SECRET}, False),
        ({"user": str(owner.pk)}, True),
        ({"user": str(other.pk)}, False),
        ({"user": "nobody"}, False),
        ({"status__exact": "current", "kind__exact": "personal"}, True),
        ({"status__exact": "pending"}, False),
        ({"recorded_at__gte": str(day(61))}, False),
    ):
        page = client.get(listing, query)
        assert page.status_code == 200, query
        assert (link in page.text) is found, query


# -- Revealing -----------------------------------------------------------------------------------


def test_revealing_takes_a_permission_and_a_reason_and_shows_once(
    browser_of: Any, revealer: User, memory: dict[str, Any], owner: User
) -> None:
    client = browser_of(revealer)
    for name, model in rows().items():
        row, content = memory[name], django_admin.site._registry[model].content  # type: ignore[attr-defined]
        if not content:
            continue
        url = page_of(name, row.pk, kind="reveal")
        assert url in client.get(page_of(name, row.pk)).text
        for refused in (client.get(url), client.post(url, {"reason": "curious"})):
            assert SECRET not in refused.text
            assert 'name="reason"' in refused.text
        shown = client.post(url, {"reason": REASON})
        assert SECRET in shown.text, name
        assert "no-store" in shown.headers["Cache-Control"]
        assert SECRET not in client.get(url).text
        with acting_for(owner.pk):
            (event,) = AuditEvent.objects.filter(action="admin.reveal", object=f"{name}:{row.pk}")
        assert (event.actor, event.details) == (f"admin:{revealer.pk}", {"reason": REASON})


def test_without_the_permission_nothing_is_revealed(
    browser_of: Any, auditor: User, memory: dict[str, Any], owner: User
) -> None:
    url = page_of("fact", memory["fact"].pk, kind="reveal")
    answer = browser_of(auditor).post(url, {"reason": REASON})
    assert answer.status_code == 403
    with acting_for(owner.pk):
        assert not AuditEvent.objects.filter(action="admin.reveal").exists()


def test_the_permission_to_reveal_is_none_to_look_at_the_page(
    browser_of: Any, revealer: User, memory: dict[str, Any]
) -> None:
    revealer.user_permissions.remove(Permission.objects.get(codename="view_fact"))
    url = page_of("fact", memory["fact"].pk, kind="reveal")
    assert browser_of(revealer).post(url, {"reason": REASON}).status_code == 403


@pytest.mark.parametrize("kind", ["changelist", "change", "reveal"])
def test_who_is_not_staff_is_sent_away(
    browser_of: Any, other: User, memory: dict[str, Any], kind: str
) -> None:
    # Rights alone don't help, neither here nor in the database.
    other.user_permissions.set(Permission.objects.filter(content_type__app_label="memoryapp"))
    arguments = [] if kind == "changelist" else [memory["fact"].pk]
    answer = browser_of(other).post(page_of("fact", *arguments, kind=kind), {"reason": REASON})
    assert answer.status_code == 302
    assert "login" in answer["Location"]


# -- The log and the registry --------------------------------------------------------------------


def test_the_logs_of_selected_users_are_checked(
    committed_db: Any,
    client: Client,
    admin: User,
    owner: User,
    other: User,
    owner_connection: psycopg.Connection[Any],
) -> None:
    for user in (owner, other):
        learn(user, "home", "Oslo", on=1)
    owner_connection.execute("SET session_replication_role = replica")
    owner_connection.execute(
        "UPDATE memoryapp_auditevent SET action = 'x' WHERE user_id = %s", [other.pk]
    )
    events: list[UUID] = []
    for user in (owner, other):
        with acting_for(user.pk):
            events += AuditEvent.objects.values_list("pk", flat=True)
    client.force_login(admin)
    page = client.post(
        page_of("auditevent", kind="changelist"),
        {"action": "check_chains", "_selected_action": events},
        follow=True,
    )
    text = re.sub(r"\s+", " ", page.text)
    assert f"The log of {owner.pk} is whole: 1 event." in text
    assert f"The log of {other.pk} is broken at event 1." in text


def test_attributes_can_be_edited_but_not_removed(client: Client, admin: User) -> None:
    client.force_login(admin)
    url = page_of("attribute", "editor")
    form = client.get(url).context["adminform"].form
    data = {name: value for name, value in form.initial.items() if value is not None}
    data["aliases"] = "ide,code_editor"
    assert client.post(url, {**data, "ttl_days": 12}).status_code == 302
    editor = Attribute.objects.get(key="editor")
    assert (editor.ttl_days, editor.aliases) == (12, ["ide", "code_editor"])
    gone = client.post(page_of("attribute", "editor", kind="delete"), {"post": "yes"})
    assert gone.status_code == 403


def test_what_reading_costs_is_shown_and_not_edited(browser_of: Any, auditor: User) -> None:
    day = TokenDay.objects.create(day=NOW.date(), tokens=4711)
    client = browser_of(auditor)
    assert "4711" in client.get(page_of("tokenday", kind="changelist")).text
    page = client.get(page_of("tokenday", day.pk))
    assert page.status_code == 200
    assert 'name="_save"' not in page.text
    assert client.get(reverse("admin:memoryapp_tokenday_add")).status_code == 403
