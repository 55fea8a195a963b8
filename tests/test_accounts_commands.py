from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import ApiKey, Application, User


def _run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_createkey_prints_the_key_and_nothing_else(db: None) -> None:
    out, err = _run("createkey")

    assert re.fullmatch(r"mem_[a-z0-9]{8}_[0-9a-f]{64}\n", out)
    key = ApiKey.objects.authenticate(out.strip())
    assert key is not None
    assert key.application is None
    assert key.owner.is_superuser  # made, as there was no account yet
    assert out.strip() not in err
    assert key.prefix in err


def test_createkey_for_an_application_uses_the_one_of_that_name(owner: User) -> None:
    arguments = ["createkey", "--email", "OWNER@example.com", "--application", "chat"]
    first, _ = _run(*arguments, "--scopes", "recall:read, facts:read", "--expires", "30")
    second, _ = _run(*arguments)

    keys = [ApiKey.objects.authenticate(secret.strip()) for secret in (first, second)]
    assert [key and key.application for key in keys] == [Application.objects.get()] * 2
    assert keys[0] is not None
    assert keys[0].scopes == ["recall:read", "facts:read"]
    assert keys[0].expires_at is not None
    assert abs(keys[0].expires_at - timezone.now() - timedelta(days=30)) < timedelta(hours=1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["createkey", "--email", "nobody@example.com"],
        ["createkey", "--scopes", "everything"],
        ["createkey", "--scopes", ","],
        ["createkey", "--expires", "0"],
        ["createkey", "--name", "x" * 101],
        ["signinlink", "--email", "nobody@example.com"],
        ["signinlink", "--base-url", "localhost:8000"],
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_made(
    owner: User, arguments: list[str]
) -> None:
    with pytest.raises(CommandError):
        _run(*arguments)
    assert not ApiKey.objects.exists()


def test_signinlink_prints_a_link_that_signs_in(client: Client, owner: User) -> None:
    out, _ = _run("signinlink", "--email", owner.email or "", "--base-url", "https://m.example/")

    assert re.fullmatch(r"https://m\.example/enter/[\w-]{43}/\n", out)
    client.post(out.strip().removeprefix("https://m.example"))
    assert client.session["_auth_user_id"] == str(owner.pk)
