"""A whole account."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.apps import apps
from django.utils import timezone

from accounts.closing import end_sessions
from accounts.models import ApiKey, EndUser, User
from memoryapp import audit, uploads
from memoryapp.models import AuditEvent, ErasureReceipt, Import
from memoryapp.models.base import Owned
from memoryapp.store import Conflict, NotFound, lock
from memoryapp.store.many import plan_once

from . import traces
from .choice import Choice

# These outlive the account: they hold ids and counts, never content.
KEPT = (AuditEvent, ErasureReceipt)


def holdings(*, user_id: UUID) -> dict[str, int]:
    """How many rows of each kind ``erase_account`` would take. Needs ``acting_for(user_id)``."""
    counts = {
        model._meta.model_name or "": model._base_manager.filter(user_id=user_id).count()
        for model in apps.get_app_config("memoryapp").get_models()
        if issubclass(model, Owned) and model not in KEPT
    }
    return {name: count for name, count in counts.items() if count}


def erase_account(*, user_id: UUID, by: audit.Actor, now: datetime | None = None) -> ErasureReceipt:
    """Erase everything of the user, the account and its secret included: with the secret
    gone, what the log and the receipts keep can't be led back to words.

    Raises store.NotFound, and store.Conflict while the account owns an application that
    other people's memories came through: they would lose their way in.
    """
    now = now or timezone.now()
    lock(user_id)
    user = User.objects.filter(pk=user_id).first()
    if user is None:
        raise NotFound("no such account")
    if EndUser.objects.filter(application__owner=user).exclude(user=user).exists():
        raise Conflict("the account owns an application with end users")
    counts = holdings(user_id=user_id)
    for file in Import.objects.filter(user_id=user_id).values_list("file", flat=True):
        uploads.drop_on_commit(file)
    counts |= {
        name: count
        for name, count in {
            "sessions": end_sessions(user),
            "keys": ApiKey.objects.filter(owner=user).count(),
        }.items()
        if count
    }
    # An application's owner may be one of its end users, which would hold on to both.
    EndUser.objects.filter(user=user).delete()
    # The database's foreign keys take the memory along.
    plan_once()
    user.delete()
    return traces.sign(
        user_id=user_id,
        choice=Choice("account"),
        counts=counts,
        gone=[],
        event=audit.Event("account.erase", f"user:{user_id}"),
        by=by,
        now=now,
    )
