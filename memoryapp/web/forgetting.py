"""What goes when something is forgotten, said before and after."""

from __future__ import annotations

from django.utils.translation import ngettext

from memoryapp.erase import Plan
from memoryapp.models import ErasureReceipt


def goes(plan: Plan) -> list[str]:
    """One line for each kind of thing that a plan would remove."""
    lines = [
        ngettext("%(n)s memory, with its past", "%(n)s memories, with their past", plan.facts)
        % {"n": plan.facts}
    ]
    if plan.quotes:
        lines.append(
            ngettext(
                "%(n)s quote of yours, blanked out in its message",
                "%(n)s quotes of yours, blanked out in their messages",
                plan.quotes,
            )
            % {"n": plan.quotes}
        )
    return lines


def said(receipt: ErasureReceipt) -> str:
    """What was done, in a sentence."""
    facts = int(receipt.counts.get("facts", 0))
    return ngettext(
        "Forgotten for good: one memory.", "Forgotten for good: %(n)s memories.", facts
    ) % {"n": facts}
