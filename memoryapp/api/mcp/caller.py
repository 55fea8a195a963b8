"""Who calls, for whom, and on which page of theirs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from django.core.handlers.asgi import ASGIRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp.api.auth import Party, demand, key_of, party
from memoryapp.api.problems import field_problem

# An application's client names its end user here. It is a header, which the client's
# configuration holds, and no argument of a tool: those are written by a model, and what a
# model reads must not make it choose whose memory it opens.
USER_HEADER = "X-Memory-User"
# Where the request is found in the ASGI scope that the SDK hands through.
SCOPE_KEY = "memoryapp.request"

Progress = Callable[[float, float, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Call:
    """One message of a client: the HTTP request that brought it, let in with a key, and the
    way to say how far the answer is (steps done, steps in all, and a word)."""

    request: ASGIRequest
    progress: Progress

    def allows(self, *scopes: str) -> bool:
        """Whether the key has them all."""
        return all(key_of(self.request).allows(scope) for scope in scopes)

    def demand(self, *scopes: str) -> None:
        """Raises Problem when the key lacks one."""
        demand(self.request, key_of(self.request), scopes)

    def who(self, *scopes: str) -> Party:
        """For whom the call speaks. Counts it against the user's rate limit, and raises
        Problem as ``party``, or when the key lacks a scope. Needs the database."""
        self.demand(*scopes)
        return party(self.request, self.end_user())

    def end_user(self) -> str | None:
        """The application's own id of its user; None with a personal key. Raises Problem when
        it is missing, given twice, or not to be given."""
        given: list[bytes] = [
            value
            for name, value in self.request.scope["headers"]
            if name == USER_HEADER.lower().encode()
        ]
        if key_of(self.request).application is None:
            if given:
                raise field_problem(
                    USER_HEADER,
                    "not_for_personal_keys",
                    _("A personal key acts for its own account."),
                    _("Take the header out of the client's configuration."),
                )
            return None
        if len(given) != 1:
            raise field_problem(
                USER_HEADER,
                "missing" if not given else "several",
                _("An application's key needs to know for which of its users it acts."),
                _("Send the header X-Memory-User once, with your own id of the user."),
            )
        try:
            return given[0].decode().strip()
        except UnicodeDecodeError:
            pass  # the exception would hold the id
        raise field_problem(
            USER_HEADER, "encoding", _("The id isn't UTF-8."), _("Send it in UTF-8.")
        )

    def page(self, name: str) -> str:
        """The full address of a page of the user's."""
        return self.request.build_absolute_uri(reverse(name))
