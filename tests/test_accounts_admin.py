from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, Application, EndUser, User
from accounts.services import ensure_application


@pytest.fixture
def application(owner: User) -> Application:
    return ensure_application(owner=owner, name="chat")


@pytest.fixture
def staff(db: None) -> User:
    """May change accounts, but is no superuser."""
    user = User.objects.create_user("staff@example.com", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["change_user", "view_user"]))
    return user


def _change(row: object) -> str:
    meta = row._meta  # type: ignore[attr-defined]
    return reverse(f"admin:accounts_{meta.model_name}_change", args=[row.pk])  # type: ignore[attr-defined]


def test_the_pages_show_no_secret(
    client: Client, admin: User, owner: User, application: Application
) -> None:
    key, secret = ApiKey.objects.issue(owner=owner, application=application, name="server")
    end_user = EndUser.objects.resolve(application=application, external_id="u1")
    client.force_login(admin)

    for row in (owner, application, key, end_user.end_user):
        for path in (_change(row), reverse(f"admin:accounts_{row._meta.model_name}_changelist")):
            page = client.get(path)
            assert page.status_code == 200
            for hidden in (
                secret.rsplit("_")[-1],
                bytes(key.digest).hex(),
                bytes(owner.secret).hex(),
                owner.password,
                "argon2",
            ):
                assert hidden not in page.text
    assert owner.email
    assert owner.email in client.get(_change(owner)).text
    assert key.prefix in client.get(_change(key)).text


def test_keys_and_applications_are_revoked_and_not_edited(
    client: Client, admin: User, owner: User, application: Application
) -> None:
    key, secret = ApiKey.objects.issue(owner=owner, name="laptop")
    client.force_login(admin)

    client.post(_change(key), {"name": "changed", "prefix": "mem_changed1"})
    key.refresh_from_db()
    assert (key.name, key.revoked_at) == ("laptop", None)

    for row in (key, application):
        client.post(
            reverse(f"admin:accounts_{row._meta.model_name}_changelist"),
            {"action": "revoke", "_selected_action": [str(row.pk)]},
        )
        row.refresh_from_db()
        assert row.revoked_at is not None
    assert ApiKey.objects.authenticate(secret) is None


def test_nothing_is_added_or_deleted_but_accounts_are_added_without_password(
    client: Client, admin: User, owner: User
) -> None:
    client.force_login(admin)
    for name in ("application", "apikey", "enduser"):
        assert client.get(reverse(f"admin:accounts_{name}_add")).status_code == 403
    assert client.get(reverse("admin:accounts_user_delete", args=[owner.pk])).status_code == 403

    client.post(
        reverse("admin:accounts_user_add"),
        {"email": "New@example.com", "time_zone": "UTC", "language": "en", "is_active": "on"},
    )
    assert not User.objects.get(email="new@example.com").has_usable_password()


def test_staff_cannot_raise_anybody(client: Client, staff: User, owner: User, admin: User) -> None:
    client.force_login(staff)
    fields = {"time_zone": "UTC", "language": "en", "is_active": "on", "is_superuser": "on"}
    fields |= {"is_staff": "on", "email": "mine@example.com", "display_name": "Renamed"}

    client.post(_change(owner), fields)
    owner.refresh_from_db()
    assert owner.display_name == "Renamed"
    assert not owner.is_superuser
    assert not owner.is_staff
    assert owner.email == "owner@example.com"
    assert client.post(_change(admin), fields).status_code == 403
