"""Webhooks in Django admin: made, tried, rotated, switched off, removed."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Application, User
from memoryapp.models import WebhookEndpoint
from tests.api import log
from tests.receiver import Receiver, Reply, receiving, verified

LIST = "admin:memoryapp_webhookendpoint_changelist"
ADD = "admin:memoryapp_webhookendpoint_add"
ONE = "admin:memoryapp_webhookendpoint_change"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = [ipaddress.ip_network("127.0.0.0/8")]
    with receiving() as found:
        yield found


@pytest.fixture
def app(owner: User) -> Application:
    return Application.objects.create(owner=owner, name="Chatty")


@pytest.fixture
def staff(admin: User) -> Client:
    client = Client()
    client.force_login(admin)
    return client


def make(staff: Client, app: Application, url: str, **more: Any) -> str:
    form = {"application": str(app.pk), "url": url, "description": "", **more}
    return str(staff.post(reverse(ADD), form, follow=True).content.decode())


def act(staff: Client, action: str) -> str:
    ids = [str(row.pk) for row in WebhookEndpoint.objects.all()]
    form = {"action": action, "_selected_action": ids}
    return str(staff.post(reverse(LIST), form, follow=True).content.decode())


def secret_in(page: str) -> str:
    [found] = re.findall(r"whsec_[A-Za-z0-9+/]{43}=", page)
    return str(found)


def test_its_whole_life(owner: User, app: Application, staff: Client, receiver: Receiver) -> None:
    secret = secret_in(make(staff, app, f"{receiver.url}?token=hush", events=["memory.created"]))
    row = WebhookEndpoint.objects.get()
    assert row.events == ["memory.created"]
    listing = staff.get(reverse(LIST)).content.decode()
    assert "127.0.0.1:" in listing
    assert "hush" not in listing
    assert "whsec_" not in listing

    assert "accepted it (204" in act(staff, "try_it")
    assert verified(receiver.requests[0], secret)
    receiver.script(Reply(500))
    assert "did not accept it: status (500" in act(staff, "try_it")

    renewed = secret_in(act(staff, "rotate"))
    assert renewed != secret
    act(staff, "try_it")
    assert verified(receiver.requests[-1], secret)
    assert verified(receiver.requests[-1], renewed)

    form = {"url": receiver.url, "description": "new"}
    staff.post(reverse(ONE, args=[row.pk]), form)
    row.refresh_from_db()
    assert (row.description, row.events, row.url) == ("new", [], receiver.url)

    act(staff, "switch_off")
    row.refresh_from_db()
    assert row.disabled_reason == "asked"
    act(staff, "switch_on")
    row.refresh_from_db()
    assert row.disabled_at is None
    act_delete = {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"}
    staff.post(reverse(LIST), act_delete)
    assert not WebhookEndpoint.objects.exists()
    assert [each[1] for each in log(owner)] == [
        "webhook.create", "webhook.rotate", "webhook.change", "webhook.disable",
        "webhook.enable", "webhook.delete",
    ]  # fmt: skip


def test_what_is_refused(app: Application, staff: Client) -> None:
    assert "Nothing can be sent to this address" in make(staff, app, "https://u:p@example.com/")
    assert "isn&#x27;t encrypted" in make(staff, app, "http://example.com/")
    for number in range(20):
        make(staff, app, f"https://example.com/{number}")
    assert "as many webhooks as it may have" in make(staff, app, "https://example.com/21")
    assert WebhookEndpoint.objects.count() == 20


def test_staff_without_the_right_see_no_addresses(app: Application, staff: Client) -> None:
    make(staff, app, "https://example.com/?token=hush")
    other = Client()
    other.force_login(User.objects.create_user("looks@example.com", is_staff=True))
    assert other.get(reverse(LIST)).status_code == 403
