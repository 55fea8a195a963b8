"""The log and the decisions in words. What is unknown here is still said, by its key."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_REASONS: Mapping[str, Promise] = {
    "nothing was known under this key": gettext_lazy("New to me, so I noted it."),
    "the same value under the same key": gettext_lazy("You said it again, so I am surer."),
    "a later statement under the same key: change": gettext_lazy(
        "It replaced what you had said before."
    ),
    "a later statement under the same key: correction": gettext_lazy(
        "You put me right, so it took the place of what I had."
    ),
    "a statement about the past: kept as history": gettext_lazy(
        "It was about the past, so I kept it as history."
    ),
    "said to be no longer so": gettext_lazy("You said it no longer holds, so I closed it."),
    "ends a value that is not held": gettext_lazy("It ended something I didn’t remember."),
    "sensitive: waits for the user's consent": gettext_lazy(
        "It is delicate, so I asked you first."
    ),
    "said again: still waits for the user's eye": gettext_lazy(
        "You said it again; I still waited for your answer."
    ),
    "contradicts what is held under another name": gettext_lazy(
        "It contradicted something else I had, so I asked you."
    ),
    "not understood: waits for the user's eye": gettext_lazy(
        "I couldn’t place it, so I asked you."
    ),
    "may be about a topic never to remember: waits for the user's eye": gettext_lazy(
        "It may be about something that you asked me never to remember, so I asked you first."
    ),
    "chosen by the user of two": gettext_lazy("You said which of the two holds."),
    "approved by the user": gettext_lazy("You said yes."),
    "refused by the user": gettext_lazy("You said no."),
    "refused by the user before": gettext_lazy("You had said no before, so I left it out."),
    "edited by the user: change": gettext_lazy("You changed it here."),
    "edited by the user: correction": gettext_lazy("You corrected it here."),
    "dated by the user": gettext_lazy("You said here since when it holds."),
    "scoped by the user": gettext_lazy("You said here where it holds."),
    "a change by hand, taken back by the user": gettext_lazy("You took your last change back."),
    "merged with the same under another name": gettext_lazy("I had it twice, and made it one."),
    "these words were read before": gettext_lazy("I had read these words before."),
    "the user says that two names mean one": gettext_lazy("You gave me another name for them."),
    "the user says that two names mean two": gettext_lazy("You told me that they are two."),
    "undone by the user": gettext_lazy("You took it back."),
    "erased by the user": gettext_lazy("You had me forget it, so I left it out."),
}

_OUTCOMES: Mapping[str, Promise] = {
    "add": gettext_lazy("I noted it."),
    "corroborate": gettext_lazy("It agreed with what I had."),
    "supersede": gettext_lazy("It replaced what I had."),
    "retract": gettext_lazy("It no longer holds."),
    "conflict": gettext_lazy("It contradicted something, so I asked you."),
    "ignore": gettext_lazy("I left it out."),
}

_ACTIONS: Mapping[str, Promise] = {
    "access.denied": gettext_lazy("An application was turned away, as you chose"),
    "access.refused": gettext_lazy("Something that isn’t here was asked for, and refused"),
    "account.erase": gettext_lazy("Everything was forgotten, and the account closed"),
    "admin.reveal": gettext_lazy("An administrator uncovered a text, and gave a reason"),
    "admin.view": gettext_lazy("An administrator looked at an entry, with its text covered"),
    "account.email": gettext_lazy("Your e-mail addresses were changed"),
    "account.factor.add": gettext_lazy("A passkey, an app or codes for signing in were added"),
    "account.factor.refuse": gettext_lazy("A wrong code was entered while signing in"),
    "account.factor.remove": gettext_lazy("A passkey, an app or codes for signing in were removed"),
    "account.password": gettext_lazy("Your password was changed"),
    "account.refuse": gettext_lazy("Signing in failed: the password was wrong"),
    "account.sessions": gettext_lazy("Other devices were signed out"),
    "account.signin": gettext_lazy("A device was signed in"),
    "account.signout": gettext_lazy("A device was signed out"),
    "app.close": gettext_lazy("An application of yours was closed"),
    "app.disconnect": gettext_lazy("An application was disconnected"),
    "app.make": gettext_lazy("An application was made"),
    "app.origins": gettext_lazy("The sites that may show an application’s page were changed"),
    "application.erase": gettext_lazy(
        "What an application had brought was forgotten, with all it taught"
    ),
    "audit.read": gettext_lazy("This log was read"),
    "check": gettext_lazy("An answer was checked against memories"),
    "conversation.learning": gettext_lazy("You chose what a conversation leaves behind"),
    "facts.reexpire": gettext_lazy("Memories run out at another time now, as you chose"),
    "topic.left_out": gettext_lazy("Something was left out because of your rule"),
    "conversation.erase": gettext_lazy("A conversation was forgotten, with all it taught"),
    "everything.erase": gettext_lazy("Everything was forgotten"),
    "export": gettext_lazy("Everything was taken away as a file"),
    "fact.add": gettext_lazy("A memory was noted"),
    "fact.archive": gettext_lazy("A memory unused for long was put away"),
    "fact.conflict": gettext_lazy("Two memories contradicted each other"),
    "fact.corroborate": gettext_lazy("A memory was confirmed"),
    "fact.erase": gettext_lazy("A memory was forgotten for good"),
    "fact.expire": gettext_lazy("A memory ran out"),
    "fact.reject": gettext_lazy("A memory was refused"),
    "fact.rename": gettext_lazy("Whom a memory is about got another name"),
    "fact.restore": gettext_lazy("A memory that had been replaced holds again"),
    "fact.retract": gettext_lazy("A memory was closed: it no longer holds"),
    "fact.supersede": gettext_lazy("A memory was replaced by a newer one"),
    "fact.undo": gettext_lazy("A memory just learned was taken back"),
    "fact.weigh": gettext_lazy("A memory was pinned, or given more or less weight"),
    "facts.read": gettext_lazy("Memories were read"),
    "hand.undo": gettext_lazy("A change made by hand was taken back"),
    "import.end": gettext_lazy("An import was done"),
    "import.erase": gettext_lazy("An import was undone, with all it taught"),
    "import.fail": gettext_lazy("An import stopped half way"),
    "import.start": gettext_lazy("An import began"),
    "key.make": gettext_lazy("A key was made"),
    "key.revoke": gettext_lazy("A key was revoked"),
    "link.issue": gettext_lazy("A link to this page was made"),
    "message.purge": gettext_lazy("Old messages were cleared away"),
    "messages.add": gettext_lazy("Messages came in"),
    "messages.read": gettext_lazy("Conversations were read"),
    "messages.erase": gettext_lazy("Messages were forgotten, with all they taught"),
    "queue.tidy": gettext_lazy("Finished work was cleared away"),
    "range.erase": gettext_lazy(
        "What was said in a stretch of time was forgotten, with all it taught"
    ),
    "recall": gettext_lazy("Memories were looked up"),
    "request.dismiss": gettext_lazy("A wish to forget was taken back"),
    "subject.part": gettext_lazy("Two names were told apart again"),
    "subject.rename": gettext_lazy("A person or pet got another name, or two became one"),
    "settings.change": gettext_lazy("Settings were changed"),
    "topic.erase": gettext_lazy("A topic was forgotten"),
    "webhook.change": gettext_lazy("A webhook was changed"),
    "webhook.create": gettext_lazy("A webhook was set up"),
    "webhook.delete": gettext_lazy("A webhook was removed"),
    "webhook.disable": gettext_lazy("A webhook was switched off"),
    "webhook.enable": gettext_lazy("A webhook was switched on again"),
    "webhook.rotate": gettext_lazy("A webhook got a new secret"),
}


def decision(outcome: str, reason: str) -> str:
    """Why something became of what was said: the reason's words, else the outcome's."""
    return str(_REASONS.get(reason) or _OUTCOMES.get(outcome) or reason)


def actions() -> Collection[str]:
    """Every action that has words."""
    return _ACTIONS.keys()


def action(key: str) -> str:
    """What was done, without who did it."""
    return str(_ACTIONS[key]) if key in _ACTIONS else _("Something else: %(key)s") % {"key": key}


def actor(text: str, user_id: str, applications: Mapping[str, str]) -> str:
    """Who did it: "by you", "by me" for work of our own, "by" an application's name."""
    kind, _colon, found = text.partition(":")
    if kind == "user" and found == user_id:
        return _("by you")
    if kind == "app":
        name = applications.get(found)
        return _("by %(name)s") % {"name": name} if name else _("by an application")
    if kind == "admin":
        return _("by an administrator")
    if kind == "system":
        return _("by me")
    return _("by somebody else")
