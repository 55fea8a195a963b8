"""What goes when something is forgotten, said before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from memoryapp import erase
from memoryapp.models import ErasureReceipt, Fact
from memoryapp.web import cards, dates

# Sentences that one page lists; the rest is counted.
LISTED = 200
# More things than this at once are only erased once the person has shown who they are.
LARGE = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A fact that goes, stays or could hold again, with a word on how it stands."""

    card: cards.Card
    note: str


def preview(user: User, going: erase.Going) -> dict[str, Any]:
    """What a page needs to say exactly what goes. Needs ``acting_for(user)``."""
    listed = [fact.id for fact in reversed(going.facts)][:LISTED]
    again = {fact.id for fact in going.restorable}
    staying = {one.id: one for one in going.stays[:LISTED]}
    return {
        "word": going.confirm(user),
        "going": [Row(card, _standing(card)) for card in cards.cards(user.pk, listed)],
        "unlisted": len(going.facts) - len(listed),
        "lines": lines(going.what, going.counts),
        "again": cards.cards(user.pk, list(again)[:LISTED]),
        "stays": [
            Row(card, _kept(staying[card.id])) for card in cards.cards(user.pk, list(staying))
        ],
        "stays_unlisted": len(going.stays) - len(staying),
        "nothing": not going.facts and not any(going.counts.values()),
    }


def _standing(card: cards.Card) -> str:
    """How a fact that goes stands now; empty for one that simply holds."""
    status = Fact.Status
    if card.status in cards.PAST:
        if card.valid_to is None:
            return _("no longer")
        return _("until %(date)s") % {"date": dates.when(card.valid_to, card.precision)}
    return {
        status.PENDING.value: _("waits for your answer"),
        status.REJECTED.value: _("you said no to it"),
        status.EXPIRED.value: _("ran out"),
        status.ARCHIVED.value: _("put away"),
    }.get(card.status, "")


def _kept(staying: erase.Staying) -> str:
    if staying.by_hand:
        return _("You also wrote it here yourself.")
    return _("You also said so elsewhere, %(date)s.") % {"date": dates.on(staying.said_at)}


def lines(what: str, counts: Mapping[str, int]) -> list[str]:
    """One line for each kind of thing that goes."""

    def n(name: str) -> int:
        return counts.get(name, 0)

    if what == "account":
        return _account_lines(counts)
    said = []
    if facts := n("facts"):
        said.append(
            ngettext("%(n)s memory, with its past", "%(n)s memories, with their past", facts)
            if what == "facts"
            else ngettext("%(n)s memory", "%(n)s memories", facts)
        )
        said[-1] %= {"n": facts}
    said += _message_lines(what, counts)
    if vectors := n("embeddings"):
        said.append(
            ngettext(
                "%(n)s entry in the index that I search by meaning",
                "%(n)s entries in the index that I search by meaning",
                vectors,
            )
            % {"n": vectors}
        )
    if used := max(n("usage"), n("uses")):
        said.append(
            ngettext("my note that I used it once", "my notes that I used it %(n)s times", used)
            % {"n": used}
        )
    return said


def _message_lines(what: str, counts: Mapping[str, int]) -> list[str]:
    said = []
    if messages := counts.get("messages", 0):
        said.append(
            ngettext("%(n)s message, word for word", "%(n)s messages, word for word", messages)
            % {"n": messages}
        )
    if quotes := counts.get("quotes", 0):
        said.append(
            ngettext(
                "%(n)s quote of yours, blanked out in its message",
                "%(n)s quotes of yours, blanked out in their messages",
                quotes,
            )
            % {"n": quotes}
        )
    elif (proofs := counts.get("evidence", 0)) and what != "facts":
        said.append(
            ngettext("%(n)s quote that proved it", "%(n)s quotes that proved it", proofs)
            % {"n": proofs}
        )
    return said


def _account_lines(counts: Mapping[str, int]) -> list[str]:
    def n(name: str) -> dict[str, int]:
        return {"n": counts.get(name, 0)}

    return [
        ngettext("%(n)s memory, with its past", "%(n)s memories, with their past", n("fact")["n"])
        % n("fact"),
        ngettext("%(n)s message, word for word", "%(n)s messages, word for word", n("message")["n"])
        % n("message"),
        _("everything that was made of them: quotes, the index, notes of use"),
        _("your settings and rules, your devices’ sign-ins, your keys"),
        _("your account, and the way from your app to it"),
    ]


def said(receipt: ErasureReceipt) -> SafeString:
    """What was done, in a sentence, with the way to its receipt."""
    return format_html(
        '{} <a href="{}">{}</a>',
        told(receipt),
        reverse("receipt", args=[receipt.id]),
        _("See the receipt"),
    )


def told(receipt: ErasureReceipt) -> str:
    """What was done, in a sentence."""
    counts: Mapping[str, int] = receipt.counts
    facts = counts.get("facts", counts.get("fact", 0))
    messages = counts.get("messages", counts.get("message", 0))
    if not facts and messages:
        return ngettext(
            "Forgotten for good: one message.", "Forgotten for good: %(n)s messages.", messages
        ) % {"n": messages}
    return ngettext(
        "Forgotten for good: one memory.", "Forgotten for good: %(n)s memories.", facts
    ) % {"n": facts}


def ids(texts: Iterable[str]) -> list[UUID]:
    """The ids among the texts, each once; a text that is no id is left out."""
    found: dict[UUID, None] = {}
    for text in texts:
        try:
            found[UUID(text)] = None
        except ValueError:
            continue
    return list(found)


def is_large(going: erase.Going) -> bool:
    return going.counts.get("facts", 0) + going.counts.get("messages", 0) > LARGE


def fact_choice(fact_ids: Sequence[UUID]) -> erase.Choice:
    """What is shown of facts before they go: all of their chains, whatever the form chooses
    then."""
    return erase.Choice("facts", facts=fact_ids)
