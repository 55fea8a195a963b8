"""Imports in words: what a format is called, what was left out and why, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from memoryapp.importing import PRODUCTS

_SKIPPED: Mapping[str, Any] = {
    "about_the_block": ngettext_lazy(
        "%(n)s explanation of a memory", "%(n)s explanations of memories", "n"
    ),
    "archived": ngettext_lazy("%(n)s archived memory", "%(n)s archived memories", "n"),
    "audio": ngettext_lazy("%(n)s recording", "%(n)s recordings", "n"),
    "deleted": ngettext_lazy(
        "%(n)s memory that you deleted there", "%(n)s memories that you deleted there", "n"
    ),
    "do_not_remember": ngettext_lazy(
        "%(n)s conversation that was not to be remembered",
        "%(n)s conversations that were not to be remembered",
        "n",
    ),
    "duplicate": ngettext_lazy("%(n)s thing it holds twice", "%(n)s things it holds twice", "n"),
    "empty": ngettext_lazy("%(n)s empty entry", "%(n)s empty entries", "n"),
    "error": ngettext_lazy("%(n)s error message", "%(n)s error messages", "n"),
    "file": ngettext_lazy(
        "%(n)s attached file or picture", "%(n)s attached files or pictures", "n"
    ),
    "from_assistant": ngettext_lazy(
        "%(n)s memory that the assistant had made of its own words",
        "%(n)s memories that the assistant had made of its own words",
        "n",
    ),
    "further_pages": ngettext_lazy(
        "at least %(n)s memory that the export left on further pages",
        "at least %(n)s memories that the export left on further pages",
        "n",
    ),
    "graph_relation": ngettext_lazy("%(n)s link of a graph", "%(n)s links of a graph", "n"),
    "history_entry": ngettext_lazy(
        "%(n)s entry of a memory’s history", "%(n)s entries of memories’ history", "n"
    ),
    "inactive_branch": ngettext_lazy(
        "%(n)s message of a version that you left",
        "%(n)s messages of versions that you left",
        "n",
    ),
    "malformed": ngettext_lazy(
        "%(n)s entry that I can’t read", "%(n)s entries that I can’t read", "n"
    ),
    "nested_archive": ngettext_lazy(
        "%(n)s archive inside the archive", "%(n)s archives inside the archive", "n"
    ),
    "no_messages": ngettext_lazy(
        "%(n)s conversation without messages", "%(n)s conversations without messages", "n"
    ),
    "no_proof": ngettext_lazy(
        "%(n)s memory without any words that prove it",
        "%(n)s memories without any words that prove them",
        "n",
    ),
    "not_about_user": ngettext_lazy(
        "%(n)s note that isn’t about you", "%(n)s notes that aren’t about you", "n"
    ),
    "not_needed": ngettext_lazy(
        "%(n)s file without conversations", "%(n)s files without conversations", "n"
    ),
    "other_activity": ngettext_lazy(
        "%(n)s entry that is no conversation", "%(n)s entries that are no conversation", "n"
    ),
    "other_format": ngettext_lazy(
        "%(n)s file of another product", "%(n)s files of another product", "n"
    ),
    "other_product": ngettext_lazy(
        "%(n)s entry of another product", "%(n)s entries of other products", "n"
    ),
    "paused": ngettext_lazy("%(n)s paused memory", "%(n)s paused memories", "n"),
    "placeholder": ngettext_lazy("%(n)s blank to fill in", "%(n)s blanks to fill in", "n"),
    "project_instructions": ngettext_lazy(
        "%(n)s project’s instructions", "%(n)s projects’ instructions", "n"
    ),
    "question": ngettext_lazy("%(n)s question", "%(n)s questions", "n"),
    "reasoning": ngettext_lazy(
        "%(n)s piece of the assistant’s thinking", "%(n)s pieces of the assistant’s thinking", "n"
    ),
    "record_too_large": ngettext_lazy("%(n)s oversized entry", "%(n)s oversized entries", "n"),
    "system": ngettext_lazy(
        "%(n)s instruction of the product’s own", "%(n)s instructions of the product’s own", "n"
    ),
    "tool": ngettext_lazy("%(n)s answer of a tool", "%(n)s answers of tools", "n"),
    "tool_call": ngettext_lazy("%(n)s use of a tool", "%(n)s uses of tools", "n"),
    "unknown_content": ngettext_lazy(
        "%(n)s piece of a kind that I don’t know", "%(n)s pieces of a kind that I don’t know", "n"
    ),
    "unknown_role": ngettext_lazy(
        "%(n)s message that doesn’t say whose it is",
        "%(n)s messages that don’t say whose they are",
        "n",
    ),
    "unknown_state": ngettext_lazy(
        "%(n)s memory in a state that I don’t know", "%(n)s memories in a state I don’t know", "n"
    ),
}

_NOTES: Mapping[str, Any] = {
    "answer_missing": ngettext_lazy(
        "%(n)s question comes without its answer.",
        "%(n)s questions come without their answers.",
        "n",
    ),
    "attached_text": ngettext_lazy(
        "%(n)s attached text comes in as a quotation: I don’t take it for your words.",
        "%(n)s attached texts come in as quotations: I don’t take them for your words.",
        "n",
    ),
    "time_inferred": ngettext_lazy(
        "%(n)s message has no time of its own; I use its neighbour’s.",
        "%(n)s messages have no time of their own; I use their neighbours’.",
        "n",
    ),
    "time_unknown": ngettext_lazy(
        "%(n)s message has no time at all; I use today’s.",
        "%(n)s messages have no time at all; I use today’s.",
        "n",
    ),
    "zone_unknown": ngettext_lazy(
        "%(n)s time may be some hours off: its time zone is unknown.",
        "%(n)s times may be some hours off: their time zone is unknown.",
        "n",
    ),
}

_WARNINGS: Mapping[str, Any] = {
    "several_users": ngettext_lazy(
        "This file holds the memories of %(n)s person. Take it in only if it is you.",
        "This file holds the memories of %(n)s people. All of it would become yours: "
        "take it in only if they are all you.",
        "n",
    ),
    "maybe_cut": ngettext_lazy(
        "This may be the first page only: it has exactly as many entries as one page holds.",
        "These may be first pages only: they have exactly as many entries as one page holds.",
        "n",
    ),
}

_REFUSED: Mapping[str, Promise] = {
    "unknown_format": gettext_lazy(
        "I don’t know this kind of file. I can read exports of ChatGPT, Claude, Gemini, mem0, "
        "OpenMemory, LibreChat, Open WebUI and Letta, my own, and plain lists."
    ),
    "unknown_version": gettext_lazy(
        "It comes from a newer version of this program than I am. Bring me up to date first."
    ),
    "nothing_found": gettext_lazy("I found no conversation and no memory in it."),
    "too_large": gettext_lazy("It is too large."),
    "too_many_members": gettext_lazy("The archive holds too many files."),
    "too_many_records": gettext_lazy("It holds more conversations than I take in at once."),
    "record_too_large": gettext_lazy("One conversation in it is too large to read."),
    "suspicious_ratio": gettext_lazy(
        "The archive would unpack to far more than an export does, so I left it alone."
    ),
    "unsafe_name": gettext_lazy("The archive holds a file with an unsafe name."),
    "symlink": gettext_lazy("The archive holds a link instead of a file."),
    "encrypted": gettext_lazy("The archive has a password. Unpack it first, then choose the file."),
    "broken_archive": gettext_lazy("The archive is damaged. Download it again."),
    "not_text": gettext_lazy("It isn’t text in an encoding that I know."),
    "malformed": gettext_lazy("The file is damaged or was cut off. Download it again."),
    "file_gone": gettext_lazy("The file was no longer there. Choose it again."),
    "paused": gettext_lazy("You paused the memory meanwhile."),
    "worker_lost": gettext_lazy("It failed several times on my side."),
}


def product(format: str) -> str:
    """Where an import comes from."""
    return PRODUCTS.get(format) or _("A list")


def skipped(counts: Mapping[str, int]) -> list[str]:
    """One line for each kind of thing that is left out, the most frequent first."""
    return _lines(_SKIPPED, counts, _("%(n)s of a kind that I don’t know"))


def notes(counts: Mapping[str, int]) -> list[str]:
    known = {key: n for key, n in counts.items() if key in _NOTES}
    return _lines(_NOTES, known, "")


def warnings(counts: Mapping[str, int]) -> list[str]:
    known = {key: n for key, n in counts.items() if key in _WARNINGS}
    return _lines(_WARNINGS, known, "")


def _lines(words: Mapping[str, Any], counts: Mapping[str, int], other: str) -> list[str]:
    return [
        str(words[key] % {"n": n} if key in words else other % {"n": n})
        for key, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if n
    ]


def refused(code: str) -> str:
    """Why an import ended."""
    return str(_REFUSED.get(code) or _("Something went wrong on my side."))
