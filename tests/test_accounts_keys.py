from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.forms.models import model_to_dict
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import SCOPES, ApiKey, Application, User
from accounts.services import ensure_application


def test_a_key_answers_to_its_secret_and_keeps_none_of_it(owner: User) -> None:
    key, secret = ApiKey.objects.issue(owner=owner, name="laptop")

    found = ApiKey.objects.authenticate(secret)

    assert found == key
    assert found.owner == owner
    assert found.application is None
    assert tuple(found.scopes) == SCOPES
    assert secret.startswith(f"{key.prefix}_")
    kept = repr(model_to_dict(key)) + repr(bytes(key.digest))
    assert secret.removeprefix(key.prefix) not in kept


def test_wrong_secrets_are_nobodys(owner: User) -> None:
    key, secret = ApiKey.objects.issue(owner=owner, name="laptop")
    last = "0" if secret[-1] != "0" else "1"
    wrong = [
        "",
        key.prefix,
        secret[:-1],
        secret[:-1] + last,
        secret + "0",
        secret.upper(),
        f" {secret}",
        f"{secret}\n",
        secret.replace("mem_", "mem-"),
        secret.replace(secret[-4:], "\x00\ud800é٣"),
    ]
    assert [ApiKey.objects.authenticate(each) for each in wrong] == [None] * len(wrong)


def _revoke_key(key: ApiKey) -> None:
    ApiKey.objects.update(revoked_at=timezone.now())


def _expire(key: ApiKey) -> None:
    ApiKey.objects.update(expires_at=timezone.now())


def _switch_owner_off(key: ApiKey) -> None:
    User.objects.update(is_active=False)


def _revoke_application(key: ApiKey) -> None:
    Application.objects.update(revoked_at=timezone.now())


@pytest.mark.parametrize("ending", [_revoke_key, _expire, _switch_owner_off, _revoke_application])
def test_a_key_ends(owner: User, ending: Callable[[ApiKey], None]) -> None:
    application = ensure_application(owner=owner, name="chat")
    key, secret = ApiKey.objects.issue(owner=owner, application=application, name="server")
    assert ApiKey.objects.authenticate(secret) == key
    ApiKey.objects.update(last_used_at=None)

    ending(key)

    assert ApiKey.objects.authenticate(secret) is None
    assert ApiKey.objects.get().last_used_at is None


def test_last_use_is_written_once_a_minute(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _, secret = ApiKey.objects.issue(owner=owner, name="laptop")
    start = timezone.now()

    with django_assert_num_queries(2):
        ApiKey.objects.authenticate(secret, now=start)
    with django_assert_num_queries(1):
        ApiKey.objects.authenticate(secret, now=start + timedelta(seconds=59))
    assert ApiKey.objects.get().last_used_at == start
    ApiKey.objects.authenticate(secret, now=start + timedelta(minutes=1))
    assert ApiKey.objects.get().last_used_at == start + timedelta(minutes=1)


def test_scopes_are_kept_in_order_and_asked_by_name(owner: User) -> None:
    key, _ = ApiKey.objects.issue(
        owner=owner, name="reader", scopes=["facts:read", "recall:read", "facts:read"]
    )
    assert key.scopes == ["recall:read", "facts:read"]
    assert key.allows("facts:read")
    assert not key.allows("facts:write")


@pytest.mark.parametrize("scopes", [[], ["facts:read", "everything"], "facts:read"])
def test_unknown_scopes_are_refused(owner: User, scopes: list[str]) -> None:
    with pytest.raises(ValueError, match="scopes"):
        ApiKey.objects.issue(owner=owner, name="x", scopes=scopes)


def test_nobody_gets_a_key_to_somebody_elses_application(owner: User, other: User) -> None:
    application = ensure_application(owner=other, name="chat")
    with pytest.raises(ValueError, match="another account"):
        ApiKey.objects.issue(owner=owner, application=application, name="x")
