from __future__ import annotations

import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connections, transaction
from django.db.models.functions import Upper

from accounts.models import User
from accounts.services import FIRST_EMAIL, ensure_first_user


def test_an_address_is_one_account_in_any_case(db: None) -> None:
    user = User.objects.create_user(" Mira@Example.COM ".strip())

    assert user.email == "mira@example.com"
    assert User.objects.get(email="MIRA@example.com") == user
    assert User.objects.get_by_natural_key("mira@EXAMPLE.com") == user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("MIRA@EXAMPLE.COM")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.update(email=Upper("email"))


def test_many_accounts_may_have_no_address(db: None) -> None:
    first, second = User.objects.create_user(email=""), User.objects.create_user()

    assert {first.email, second.email} == {None}
    assert User.objects.filter(email__isnull=True).count() == 2
    assert not first.has_usable_password()


@pytest.mark.parametrize(
    "fields",
    [
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../etc/passwd"},
        {"language": "tlh"},
        {"email": "not an address"},
    ],
)
def test_what_no_account_can_have_is_refused(db: None, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        User.objects.create_user(**fields)
    assert not User.objects.exists()


def test_the_text_of_an_account_is_not_its_address(owner: User) -> None:
    assert str(owner) == owner.id.hex[-8:]
    assert owner.id.version == 7


def test_keyed_hash_is_hmac_of_length_prefixed_parts(owner: User) -> None:
    data = b"".join(len(part).to_bytes(8, "big") + part for part in (b"a", "né".encode()))
    expected = hmac.new(bytes(owner.secret), data, hashlib.sha256).digest()

    assert owner.keyed_hash("a", "né") == expected
    assert User.objects.get(pk=owner.pk).keyed_hash("a", "né") == expected


def test_keyed_hash_tells_parts_and_people_apart(owner: User, other: User) -> None:
    hashes = [
        owner.keyed_hash("ab", "c"),
        owner.keyed_hash("a", "bc"),
        owner.keyed_hash("abc"),
        owner.keyed_hash("abc", ""),
        other.keyed_hash("ab", "c"),
    ]
    assert len(set(hashes)) == len(hashes)


def test_the_first_account_may_enter_the_admin_and_has_no_password(db: None) -> None:
    User.objects.create_user()  # an end user doesn't count

    user, created = ensure_first_user()

    assert created
    assert user.email == FIRST_EMAIL
    assert user.is_staff
    assert user.is_superuser
    assert not user.has_usable_password()
    assert ensure_first_user() == (user, False)


def test_the_oldest_superuser_is_the_first_account(owner: User, admin: User) -> None:
    assert ensure_first_user() == (admin, False)


def test_processes_that_start_together_make_one_first_account(committed_db: Any) -> None:
    def start(_: int) -> bool:
        try:
            return ensure_first_user()[1]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(start, range(8)))

    assert sorted(made) == [False] * 7 + [True]
    assert User.objects.count() == 1
