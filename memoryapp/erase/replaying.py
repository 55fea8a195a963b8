"""Erasing again, in a restored backup, what was erased since it was made."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Fact
from memoryapp.store import NotFound, lock, tombstones

from . import traces
from .choice import Choice
from .journal import Entry
from .looking import carry_out
from .through import blank

Outcome = Literal["known", "nobody", "again"]


def replay(entry: Entry) -> Outcome:
    """Erase it again: "known" when this database has done so, "nobody" when it doesn't have
    the user. Raises store.Conflict as ``carry_out`` does.

    The backup may be older than the very thing that was erased. Then its tombstones keep it
    from being learnt again, and messages in which words were masked lose all their text: the
    words themselves are known nowhere any more.
    """
    user_id, choice = entry.user_id, entry.choice
    with acting_for(user_id):
        if ErasureReceipt.objects.filter(
            user_id=user_id, target=choice.what, completed_at=entry.erased_at
        ).exists():
            return "known"
        user = User.objects.filter(pk=user_id).first()
        if user is None:
            return "nobody"
        lock(user_id)
        here = _here(entry)
        if choice.what != "account":
            if choice.facts and len(here.facts) < len(entry.gone):
                blank(user_id, entry.masked, entry.erased_at)
            tombstones.bury(user, entry.tombstones, now=entry.buried_at, forever=choice.forever)
        by = audit.Actor.system("replay")
        try:
            if not (here.facts or here.messages) and (choice.facts or choice.messages):
                raise NotFound("nothing of it is here")
            carry_out(user_id=user_id, choice=here, by=by, now=entry.erased_at)
        except NotFound:
            traces.sign(
                user_id=user_id, choice=choice, counts=entry.counts, gone=[],
                masked=entry.masked, by=by, now=entry.erased_at,
            )  # fmt: skip
        return "again"


def _here(entry: Entry) -> Choice:
    """The choice with the facts that went and that this database has: it may have what a
    chosen one replaced later, and not that one."""
    if not entry.choice.facts:
        return entry.choice
    known = Fact.objects.filter(user_id=entry.user_id, id__in=entry.gone)
    return replace(entry.choice, facts=list(known.values_list("id", flat=True)))
