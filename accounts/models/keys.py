from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.models.applications import Application
from accounts.models.user import User

SCOPES: tuple[str, ...] = (
    "messages:read",
    "messages:write",
    "recall:read",
    "facts:read",
    "facts:write",
    "settings:read",
    "settings:write",
    "audit:read",
    "webhooks:write",
)

# mem_ (what it is), 8 characters to tell keys apart by, 256 random bits.
_SECRET = re.compile(r"(mem_[a-z0-9]{8})_[0-9a-f]{64}", re.ASCII)
_ALPHABET = string.ascii_lowercase + string.digits
_TOUCH_EVERY = timedelta(minutes=1)


def _digest(secret: str) -> bytes:
    # The secret has 256 bits of entropy: nothing to guess, so no slow hash.
    return hashlib.sha256(secret.encode()).digest()


class ApiKeyManager(models.Manager["ApiKey"]):
    def issue(
        self,
        *,
        owner: User,
        name: str,
        application: Application | None = None,
        scopes: Sequence[str] = SCOPES,
        expires_at: datetime | None = None,
        key_id: UUID | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key and its secret, which is not kept and can't be shown again.
        Without an application the key acts for its owner. ``key_id`` makes one key of the
        same wish sent twice: the second raises IntegrityError. Raises ValueError for
        an unknown scope, no scope, or an application of somebody else."""
        if not scopes or not set(scopes) <= set(SCOPES):
            raise ValueError(f"scopes must be some of {', '.join(SCOPES)}")
        if application is not None and application.owner_id != owner.pk:
            raise ValueError("the application belongs to another account")
        prefix = "mem_" + "".join(secrets.choice(_ALPHABET) for _ in range(8))
        secret = f"{prefix}_{secrets.token_hex(32)}"
        key = self.create(
            id=key_id or uuid7(),
            owner=owner,
            application=application,
            name=name,
            prefix=prefix,
            digest=_digest(secret),
            scopes=[scope for scope in SCOPES if scope in scopes],
            expires_at=expires_at,
        )
        return key, secret

    def authenticate(self, secret: str, *, now: datetime | None = None) -> ApiKey | None:
        """The key, with its owner and application loaded; None when the secret is
        wrong, the key revoked or expired, its owner inactive or its application
        revoked. Notes the use, at most once a minute."""
        match = _SECRET.fullmatch(secret)
        if match is None:
            return None
        key = self.select_related("owner", "application").filter(prefix=match.group(1)).first()
        if key is None or not hmac.compare_digest(bytes(key.digest), _digest(secret)):
            return None
        now = now or timezone.now()
        if not key.is_usable(now):
            return None
        if key.last_used_at is None or key.last_used_at <= now - _TOUCH_EVERY:
            self.filter(
                Q(last_used_at=None) | Q(last_used_at__lte=now - _TOUCH_EVERY), pk=key.pk
            ).update(last_used_at=now)
            key.last_used_at = now
        return key


class ApiKey(models.Model):
    """A bearer key for the API. Mutable: it is revoked, and its last use noted."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="api_keys",
        verbose_name=_("owner"),
    )
    application = models.ForeignKey(
        Application,
        on_delete=models.CASCADE,
        related_name="api_keys",
        null=True,
        blank=True,
        verbose_name=_("application"),
        help_text=_("None: a personal key, which acts for its owner."),
    )
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("starts with"), max_length=12, unique=True)
    digest = models.BinaryField(max_length=32, editable=False)
    scopes = ArrayField(models.CharField(max_length=20), verbose_name=_("scopes"))
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    objects: ClassVar[ApiKeyManager] = ApiKeyManager()

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return self.prefix

    def is_usable(self, now: datetime) -> bool:
        return (
            self.revoked_at is None
            and (self.expires_at is None or now < self.expires_at)
            and self.owner.is_active
            and (self.application is None or self.application.revoked_at is None)
        )

    def allows(self, scope: str) -> bool:
        return scope in self.scopes
