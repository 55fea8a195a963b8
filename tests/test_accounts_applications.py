from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.core.exceptions import ValidationError
from django.db import connections
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.models import Application, EndUser, User
from accounts.services import ensure_application


@pytest.fixture
def application(owner: User) -> Application:
    return ensure_application(owner=owner, name="chat")


def test_an_external_id_is_one_account_of_its_application(
    application: Application, other: User
) -> None:
    elsewhere = ensure_application(owner=other, name="chat")

    user = EndUser.objects.resolve(application=application, external_id="u1")

    assert EndUser.objects.resolve(application=application, external_id="u1") == user
    assert EndUser.objects.resolve(application=application, external_id="U1") != user
    assert EndUser.objects.resolve(application=elsewhere, external_id="u1") != user
    assert user.email is None
    assert not user.has_usable_password()
    assert str(user.end_user) == user.end_user.id.hex[-8:]


@pytest.mark.parametrize("external_id", ["", "x" * 201, "a\x00b", "a\nb", "\ud800"])
def test_ids_that_nobody_could_tell_apart_are_refused(
    application: Application, external_id: str
) -> None:
    with pytest.raises(ValidationError):
        EndUser.objects.resolve(application=application, external_id=external_id)
    assert User.objects.count() == 1


def test_a_long_id_in_any_script_is_taken(application: Application) -> None:
    external_id = "用户🙂" * 50
    user = EndUser.objects.resolve(application=application, external_id=external_id)
    assert EndUser.objects.get(user=user).external_id == external_id


def test_first_uses_at_the_same_time_make_one_account(
    committed_db: Any, application: Application
) -> None:
    def use(_: int) -> UUID:
        try:
            return EndUser.objects.resolve(application=application, external_id="u1").pk
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        users = set(pool.map(use, range(16)))

    assert len(users) == 1
    assert User.objects.count() == 2  # the application's owner and the end user


def test_a_revoked_application_frees_its_name(application: Application, owner: User) -> None:
    assert ensure_application(owner=owner, name="chat") == application

    Application.objects.update(revoked_at=timezone.now())

    assert ensure_application(owner=owner, name="chat") != application


def test_an_application_with_people_behind_it_cannot_be_deleted(
    application: Application, owner: User
) -> None:
    user = EndUser.objects.resolve(application=application, external_id="u1")

    with pytest.raises(ProtectedError):
        owner.delete()

    user.delete()
    owner.delete()
    assert not Application.objects.exists()
