"""What ends with an account and isn't its own row's to take along."""

from __future__ import annotations

from allauth.usersessions.models import UserSession

from accounts.models import User


def end_sessions(user: User) -> int:
    """Ends all of the user's sessions, this one included, wherever they are kept; returns how
    many. Nothing in them leads back to the account then."""
    sessions = list(UserSession.objects.filter(user=user))
    for session in sessions:
        session.end()
    return len(sessions)
