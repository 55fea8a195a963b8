"""What commands and other apps ask of accounts beyond one model's manager."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import connection, transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Application, PageLink, User

FIRST_EMAIL = "me@localhost"

# Any number, as long as nobody else in this database locks on it.
_FIRST_USER_LOCK = 7_305_231_042


def first_user() -> User | None:
    """The account that a command means when it names none: the oldest active one
    with an e-mail address, superusers first. None when there is none."""
    return (
        User.objects.filter(is_active=True, email__isnull=False)
        .order_by("-is_superuser", "date_joined", "id")
        .first()
    )


def ensure_first_user() -> tuple[User, bool]:
    """The first account of a local install and whether this call made it. It has no
    password (a link signs in) and may enter Django admin. Makes one, however many
    processes start at the same time."""
    if (user := first_user()) is not None:
        return user, False
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_FIRST_USER_LOCK])
        if (user := first_user()) is not None:
            return user, False
        return User.objects.create_superuser(FIRST_EMAIL), True


def ensure_application(*, owner: User, name: str) -> Application:
    """The owner's application of that name that isn't revoked; made when missing."""
    application, _created = Application.objects.get_or_create(
        owner=owner, name=name, revoked_at=None
    )
    return application


def page_link_url(
    *,
    user: User,
    base_url: str,
    application: Application | None = None,
    seconds: int | None = None,
) -> str:
    """The address of a new single-use link. Raises what ``PageLink.objects.issue`` raises."""
    _, token = PageLink.objects.issue(user=user, application=application, seconds=seconds)
    return base_url.rstrip("/") + reverse("accounts:enter", args=[token])


def account_for_command(email: str | None) -> User:
    """The active account with that address, or the first one (made when there is none
    yet). Raises CommandError when the address is nobody's."""
    if not email:
        return ensure_first_user()[0]
    user = User.objects.filter(email=email, is_active=True).first()
    if user is None:
        raise CommandError(_("There is no active account with this e-mail address."))
    return user
