from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.models.applications import Application, EndUser
from accounts.models.user import User
from accounts.theming import Theme


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


class PageLinkManager(models.Manager["PageLink"]):
    def issue(
        self,
        *,
        user: User,
        application: Application | None = None,
        seconds: int | None = None,
        embed: bool = False,
        theme: Theme | None = None,
    ) -> tuple[PageLink, str]:
        """A link's row and its token, which is not kept. ``seconds`` defaults to
        PAGE_LINK_SECONDS. Raises ValueError when the application asks for
        somebody who isn't its end user, or for a frame that no site may show."""
        if embed and (application is None or not application.embed_origins):
            raise ValueError("no site may show the page in a frame")
        if (
            application is not None
            and not EndUser.objects.filter(application=application, user=user).exists()
        ):
            raise ValueError("the account is not an end user of this application")
        token = secrets.token_urlsafe(32)
        now = timezone.now()
        lifetime = timedelta(seconds=settings.PAGE_LINK_SECONDS if seconds is None else seconds)
        link = self.create(
            digest=_digest(token),
            user=user,
            application=application,
            created_at=now,
            expires_at=now + lifetime,
            embed=embed,
            theme=theme.dump() if theme else {},
        )
        return link, token

    def usable(self, token: str, *, now: datetime | None = None) -> PageLink | None:
        """The link, with its user and application loaded; None when it is unknown,
        used or expired, its user inactive or its application revoked."""
        now = now or timezone.now()
        return (
            self.select_related("user", "application")
            .filter(
                models.Q(application=None) | models.Q(application__revoked_at=None),
                digest=_digest(token),
                used_at=None,
                expires_at__gt=now,
                user__is_active=True,
            )
            .first()
        )

    def consume(self, token: str, *, now: datetime | None = None) -> PageLink | None:
        """Like ``usable``, and uses it up: of several at once, one gets the link."""
        now = now or timezone.now()
        link = self.usable(token, now=now)
        if link is None:
            return None
        # On the row's own columns alone: Postgres checks them again after waiting
        # for a rival, which it would not do for a subquery.
        if not self.filter(pk=link.pk, used_at=None, expires_at__gt=now).update(used_at=now):
            return None
        link.used_at = now
        return link

    def revoke(self, *, user: User, application: Application, now: datetime | None = None) -> int:
        """Uses up what the application still has for this user; how many links that were."""
        now = now or timezone.now()
        unused = self.filter(user=user, application=application, used_at=None, expires_at__gt=now)
        return unused.update(used_at=now)


class PageLink(models.Model):
    """A short-lived link that opens the review page once, as one user. Mutable:
    it is used up."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    digest = models.BinaryField(max_length=32, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="page_links"
    )
    application = models.ForeignKey(
        Application, on_delete=models.CASCADE, related_name="page_links", null=True
    )
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"))
    used_at = models.DateTimeField(_("used"), null=True)
    # Whether it opens the page in a frame, and how that looks (``theming.Theme.dump``).
    embed = models.BooleanField(default=False)
    theme = models.JSONField(default=dict)

    objects: ClassVar[PageLinkManager] = PageLinkManager()

    class Meta:
        verbose_name = _("page link")
        verbose_name_plural = _("page links")

    def __str__(self) -> str:
        return self.id.hex[-8:]
