"""Which chat a request goes on with, and which of its turns are new.

A client of this protocol sends the whole chat each time, and no id of it. So each stored turn
carries a mark, the keyed hash of its words under the user's own key (gone with the account,
and left when the words are erased), in its ``external_id``: ``chat:MARK:NUMBER``. A request
goes on with the chat whose turns it repeats. Chats without a name of the client's are named
``chat-…`` by us.

What the user wrote decides; the assistant's turns only help to choose, since clients cut and
reformat them. Old turns may be left out at the front of a request (clients trim), turns may
have been edited or answered anew, and turns may be missing here (the memory was down): what
follows the last known turn is new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db.models import F, Func, TextField, Value
from uuid_utils.compat import uuid7

from accounts.models import User
from memoryapp.models import Conversation, Message

# Of a long chat that is seen for the first time, the last so many are stored.
MOST = 200
LONGEST = 100_000
OURS = "chat-"
# A first turn that is sent once more within this is the same chat: a client tries again.
AGAIN = timedelta(minutes=10)
# One known turn isn't much ("Hi"): in a chat this young it is enough.
YOUNG = timedelta(days=1)
CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Turn:
    role: Literal["user", "assistant"]
    text: str

    def mark(self, user: User) -> str:
        """The same for the same words, however they are spaced."""
        return user.keyed_hash("turn", self.role, " ".join(self.text.split())).hex()[:32]


@dataclass(frozen=True, slots=True)
class Mark:
    role: str
    mark: str


@dataclass(frozen=True, slots=True)
class Chat:
    """A request's turns. ``first`` is true for a chat's first: one turn, and nothing that
    anybody answered."""

    turns: Sequence[Turn]
    first: bool

    def marks(self, user: User) -> list[Mark]:
        return [Mark(turn.role, turn.mark(user)) for turn in self.turns]

    @property
    def question(self) -> str:
        """The last words of the user; empty when there are none."""
        return next((turn.text for turn in reversed(self.turns) if turn.role == "user"), "")


def chat_of(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """The turns with words of the user and the assistant; instructions, tools, images and
    sound are none."""
    turns = [
        Turn(message["role"], text)
        for message in messages
        if message.get("role") in ("user", "assistant") and (text := _text(message.get("content")))
    ][-MOST:]
    answered = any(m.get("role") in ("assistant", "tool", "function") for m in messages)
    users = sum(turn.role == "user" for turn in turns)
    return Chat(turns, first=users <= 1 and not answered)


def _text(content: Any) -> str:
    if isinstance(content, list):
        content = "\n".join(
            part["text"]
            for part in content
            if isinstance(part, dict)
            and part.get("type") == "text"
            and isinstance(part.get("text"), str)
        )
    return storable(content) if isinstance(content, str) else ""


def storable(text: str) -> str:
    """Without what Postgres can't take, and not longer than a message may be."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()[:LONGEST]


def new_name() -> str:
    return f"{OURS}{uuid7()}"


def find(*, user: User, application_id: UUID | None, chat: Chat, now: datetime) -> str | None:
    """The name of the chat that the request goes on with; None when it begins one. Needs
    ``acting_for(user)``."""
    told = chat.marks(user)
    held = (
        Conversation.objects.filter(
            user_id=user.pk, application_id=application_id, external_id__startswith=OURS
        )
        .filter(id__in=_holding(user, [mark.mark for mark in told if mark.role == "user"]))
        .order_by("-last_message_at")[:CANDIDATES]
    )
    best: tuple[int, int, datetime] = (0, 0, now)
    found = None
    for talk in held:
        marks, _next = stored(user.pk, talk.id)
        known, place = _known(_users(marks), _users(told))
        answers = _answers(marks, place) if known else frozenset()
        same = len({m.mark for m in told if m.role == "assistant"} & answers)
        age = now - talk.last_message_at
        if chat.first:
            fits = known == 1 == len(_users(marks)) and age < AGAIN
        else:
            fits = known > 1 or (known == 1 and (same > 0 or age < YOUNG))
        rank = (known, same, talk.last_message_at)
        if fits and (found is None or rank > best):
            best, found = rank, talk.external_id
    return found


def _holding(user: User, marks: Sequence[str]) -> Any:
    """The conversations that hold one of the marks."""
    part = Func(
        F("external_id"),
        Value(":"),
        Value(2),
        function="split_part",
        output_field=TextField(),
    )
    return (
        Message.objects.filter(user_id=user.pk, external_id__startswith="chat:")
        .annotate(mark=part)
        .filter(mark__in=marks)
        .values("conversation_id")
    )


def stored(user_id: UUID, conversation_id: UUID) -> tuple[list[Mark], int]:
    """The marks of the conversation's turns in their order, and the next turn's number. Needs
    ``acting_for(user_id)``."""
    rows = Message.objects.filter(
        user_id=user_id, conversation_id=conversation_id, external_id__startswith="chat:"
    ).values_list("role", "external_id")
    numbered = []
    for role, external_id in rows:
        _chat, mark, number = str(external_id).split(":")
        numbered.append((int(number), Mark(role, mark)))
    numbered.sort(key=lambda one: one[0])
    return [mark for _number, mark in numbered], numbered[-1][0] + 1 if numbered else 1


@dataclass(frozen=True, slots=True)
class New:
    """The places of the turns that aren't stored, and the marks of the answers that the last
    known turn has here."""

    places: Sequence[int]
    answers: frozenset[str]


def new(held: Sequence[Mark], told: Sequence[Mark], *, first: bool, again: bool) -> New:
    """What of ``told`` isn't in ``held``. ``again``: a first turn that equals the last one
    held is that one, sent once more."""
    users = _users(told)
    if first:
        same = again and bool(users) and _users(held)[-1:] == users
        known, place = (1, len(_users(held)) - 1) if same else (0, -1)
    else:
        known, place = _known(_users(held), users)
    if not known:
        return New(range(len(told)), frozenset())
    answers = _answers(held, place)
    begin = _place(told, known - 1) + 1
    places: list[int] = []
    for at in range(begin, len(told)):
        if told[at].role == "user":
            places += range(at, len(told))
            break
        if not answers:
            places.append(at)  # the answer that the user saw broken off
    return New(places, answers)


def _users(marks: Sequence[Mark]) -> list[str]:
    return [mark.mark for mark in marks if mark.role == "user"]


def _place(marks: Sequence[Mark], number: int) -> int:
    """Where the user's turn of this number is."""
    return [at for at, mark in enumerate(marks) if mark.role == "user"][number]


def _answers(held: Sequence[Mark], number: int) -> frozenset[str]:
    """What followed the user's turn of this number."""
    found = set()
    for mark in held[_place(held, number) + 1 :]:
        if mark.role == "user":
            break
        found.add(mark.mark)
    return frozenset(found)


def _known(held: Sequence[str], told: Sequence[str]) -> tuple[int, int]:
    """How many of ``told``, from its beginning, are held in this order, and the place of the
    last of them: the most that end with the last one held, else from the left."""
    for count in range(len(told), 0, -1):
        if held and told[count - 1] == held[-1] and _within(told[: count - 1], held[:-1]):
            return count, len(held) - 1
    place = -1
    for count, mark in enumerate(told):
        try:
            place = held.index(mark, place + 1)
        except ValueError:
            return count, place
    return len(told), place


def _within(some: Sequence[str], held: Sequence[str]) -> bool:
    rest = iter(held)
    return all(mark in rest for mark in some)
