from __future__ import annotations

import hashlib
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import connections, models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.fields import validate_external_id
from accounts.models.user import User
from accounts.origins import validate_origin


class Application(models.Model):
    """A chat frontend, which keeps memories for its own end users. Mutable."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="applications",
        verbose_name=_("owner"),
    )
    name = models.CharField(_("name"), max_length=100)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)
    # The sites that may show the page in a frame; none, unless the owner names some.
    embed_origins = ArrayField(
        models.CharField(max_length=200, validators=[validate_origin]),
        default=list,
        blank=True,
        verbose_name=_("sites that may show the page"),
    )

    class Meta:
        verbose_name = _("application")
        verbose_name_plural = _("applications")
        constraints = (
            models.UniqueConstraint(
                fields=["owner", "name"],
                condition=models.Q(revoked_at=None),
                name="accounts_application_owner_name",
            ),
        )

    def __str__(self) -> str:
        return self.name


class EndUserManager(models.Manager["EndUser"]):
    def resolve(self, *, application: Application, external_id: str) -> User:
        """The account of an application's end user; made at its first use, once,
        however many requests come at the same time. Raises ValidationError for
        an id that is empty, longer than 200 characters, or holds a NUL."""
        external_id = EndUser._meta.get_field("external_id").clean(external_id, None)
        known = self._account(application, external_id)
        if known is not None:
            return known
        with transaction.atomic(using=self.db):
            self._lock(application, external_id)
            known = self._account(application, external_id)
            if known is not None:
                return known
            user = User.objects.db_manager(self.db).create_user()
            self.create(application=application, external_id=external_id, user=user)
        return user

    def _account(self, application: Application, external_id: str) -> User | None:
        row = (
            self.select_related("user")
            .filter(application=application, external_id=external_id)
            .first()
        )
        return row.user if row else None

    def _lock(self, application: Application, external_id: str) -> None:
        # A lock and not the unique constraint alone: its error would put the
        # external id, often an address, into the database server's log.
        digest = hashlib.sha256(application.pk.bytes + external_id.encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)
        with connections[self.db].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


class EndUser(models.Model):
    """One end user of one application, under the application's own id. Mutable: the user
    chooses what the application may do with their memory."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # An application with people behind it is revoked, never deleted: deleting it
    # would leave their memories without a way in.
    application = models.ForeignKey(Application, on_delete=models.PROTECT, related_name="end_users")
    external_id = models.CharField(
        _("external id"), max_length=200, validators=[validate_external_id]
    )
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="end_user"
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    may_read = models.BooleanField(_("may read"), default=True)
    may_write = models.BooleanField(_("may write"), default=True)

    objects: ClassVar[EndUserManager] = EndUserManager()

    class Meta:
        verbose_name = _("end user")
        verbose_name_plural = _("end users")
        constraints = (
            models.UniqueConstraint(
                fields=["application", "external_id"], name="accounts_enduser_external_id"
            ),
        )

    def __str__(self) -> str:
        """No external id: applications often use an address for it."""
        return self.id.hex[-8:]
