"""What happened to an account that allauth and Django have no signal for. All are sent with
``request`` and ``user``."""

from __future__ import annotations

from django.dispatch import Signal

# Signed in by a PageLink, which comes as ``link``.
entered_by_link = Signal()
# Some of the user's sessions were ended from another one; ``count`` says how many.
sessions_ended = Signal()
