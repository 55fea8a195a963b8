from __future__ import annotations

import hmac
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.fields import LowerCaseEmailField, languages, random_secret, validate_time_zone


class UserManager(BaseUserManager["User"]):
    def create_user(
        self, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """A saved account. Without a password nobody can sign in by password.
        Raises ValidationError for a malformed e-mail address, time zone or language."""
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.clean_fields()
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(
            email, password, **{**fields, "is_staff": True, "is_superuser": True}
        )


class User(AbstractBaseUser, PermissionsMixin):
    """A person with a memory. Mutable.

    An application's end user is a User too, but has no e-mail address and no
    password: they come in by a PageLink.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = LowerCaseEmailField(_("e-mail address"), unique=True, null=True, blank=True)
    display_name = models.CharField(_("name"), max_length=150, blank=True)
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    language = models.CharField(_("language"), max_length=16, default="en", choices=languages)
    is_staff = models.BooleanField(_("may enter the admin"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)
    # The key of this account's keyed hashes. It goes with the row: what is left
    # of an erased account (tombstones, the log) can't be guessed back to words.
    secret = models.BinaryField(max_length=32, default=random_secret, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        constraints = (
            # `unique` compares bytes; together they make the address unique in any case.
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="accounts_user_email_lower"
            ),
        )

    def __str__(self) -> str:
        """No address: this text ends up in logs and in the admin's history."""
        return self.id.hex[-8:]

    def get_full_name(self) -> str:
        return self.display_name

    def get_short_name(self) -> str:
        return self.display_name

    def keyed_hash(self, *parts: str) -> bytes:
        """HMAC-SHA256 (32 bytes) of the parts under this account's own key. Each
        part goes in with its length, so ("ab", "c") and ("a", "bc") differ."""
        digest = hmac.new(bytes(self.secret), digestmod="sha256")
        for part in parts:
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.digest()
