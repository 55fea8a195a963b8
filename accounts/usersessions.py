"""The list of a user's sessions: which devices are signed in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.core import context
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession

from accounts.signals import sessions_ended

NOWHERE = "0.0.0.0"  # noqa: S104  (no address to listen on)


def forget_address(sender: type, instance: UserSession, **kwargs: Any) -> None:
    """Before a session is saved: where somebody was isn't kept."""
    instance.ip = NOWHERE


class UserSessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]  # allauth has no types
    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        """Ends them and tells who listens, when there were any."""
        ended = list(sessions)
        super().end_sessions(ended)
        if ended:
            request = context.request
            sessions_ended.send(
                sender=UserSession, request=request, user=request.user, count=len(ended)
            )
