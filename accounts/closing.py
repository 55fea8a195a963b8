"""What ends with an account and isn't its own row's to take along."""

from __future__ import annotations

from importlib import import_module

from allauth.usersessions.models import UserSession
from django.conf import settings

from accounts.models import User


def end_sessions(user: User) -> int:
    """Ends all of the user's sessions, this one included, wherever they are kept; returns how
    many. Nothing in them leads back to the account then."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    keys = list(UserSession.objects.filter(user=user).values_list("session_key", flat=True))
    for key in keys:
        store(key).delete()
    UserSession.objects.filter(user=user).delete()
    return len(keys)
