"""Whether it is still the person who signed in, asked before much is erased.

Who has a password, a passkey, an authenticator app or a proven e-mail address is asked for
one of these (allauth's reauthentication; it holds for five minutes). Who has none of them, an
application's users above all, needs to have come by a fresh link, and types a word.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils.translation import pgettext

from accounts.sessions import session_application
from accounts.signals import entered_by_link
from memoryapp.records import normalise

_ENTERED = "entered_by_link_at"
# A link is fresh for so long after it opened the session, in seconds.
FRESH = 15 * 60


@dataclass(frozen=True, slots=True)
class Proof:
    """``ok`` when nothing more is needed, but for ``word``, which is typed when it isn't
    empty. Else ``url`` leads to where the person shows that it is them; empty when only a
    fresh link does."""

    ok: bool
    url: str = ""
    word: str = ""

    def given(self, request: HttpRequest) -> bool:
        """Whether a form that is sent may be carried out."""
        typed = normalise(request.POST.get("typed", ""))
        return self.ok and (not self.word or typed == normalise(self.word))


NOT_NEEDED = Proof(ok=True)


def proof(request: HttpRequest) -> Proof:
    """What the request's session has shown, and what it has to show yet. The way back leads
    to the address of the request, as a page that is looked at."""
    methods: list[dict[str, Any]] = []
    if session_application(request) is None:
        methods = get_adapter().get_reauthentication_methods(request.user)
    if methods:
        back = urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})
        return Proof(ok=did_recently_reauthenticate(request), url=f"{methods[0]['url']}?{back}")
    entered = request.session.get(_ENTERED)
    return Proof(
        ok=entered is not None and time.time() - entered < FRESH,
        word=pgettext("typed to confirm", "forget"),
    )


@receiver(entered_by_link)
def note_entry(sender: type, request: HttpRequest, **kwargs: Any) -> None:
    request.session[_ENTERED] = time.time()
