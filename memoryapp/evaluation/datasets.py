"""The data sets, each read as its makers wrote it. A missing one raises ``Missing``."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryapp.evaluation.gold import Gold, gold_of_keys
from memoryapp.evaluation.memory import Turn

SEEDS = Path(__file__).parent / "seeds"


class Missing(LookupError):
    """The data set isn't in the folder; the text says which file was looked for."""


class Malformed(ValueError):
    """A file isn't in the format that it should have; the text says where."""


def _text(path: Path) -> str:
    if not path.is_file():
        raise Missing(path.name)
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    return path.read_text(encoding="utf-8")


def rows(path: Path) -> list[Any]:
    """A JSON list, or one JSON value a line. Raises Missing, Malformed."""
    text = _text(path)
    try:
        if text.lstrip().startswith("["):
            whole: list[Any] = json.loads(text)
            return whole
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise Malformed(f"{path.name}: {error}") from None


# -- Cases -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """``answer`` is what a hit must hold; None when nothing may be answered."""

    text: str
    answer: str | None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """Turns, and what must hold of the memory when they were read."""

    id: str
    category: str
    turns: Sequence[Turn]
    current: Sequence[Mapping[str, str]] = ()
    superseded: Sequence[Mapping[str, str]] = ()
    absent: Sequence[str] = ()
    redacted: Sequence[str] = ()
    review: Sequence[str] = ()
    ask: Sequence[Question] = ()
    allow: Sequence[Mapping[str, str]] = ()


def cases(path: Path) -> list[Case]:
    return [_case(row, f"{path.name}, line {number}") for number, row in enumerate(rows(path), 1)]


def _case(row: Mapping[str, Any], where: str) -> Case:
    try:
        expect = row.get("expect", {})
        return Case(
            id=row["id"],
            category=row["category"],
            turns=[
                Turn(turn["role"], turn["content"], datetime.fromisoformat(turn["at"]))
                for turn in row["turns"]
            ],
            current=expect.get("current", []),
            superseded=expect.get("superseded", []),
            absent=expect.get("absent", []),
            redacted=expect.get("redacted", []),
            review=expect.get("review", []),
            allow=expect.get("allow", []),
            ask=[
                Question(
                    ask["question"],
                    ask.get("answer"),
                    datetime.fromisoformat(ask["as_of"]) if "as_of" in ask else None,
                )
                for ask in row.get("ask", [])
            ],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Malformed(f"{where}: {error!r}") from None


# -- Utterances --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Utterance:
    id: str
    category: str
    text: str
    required: Sequence[Gold] = ()
    optional: Sequence[Gold] = ()


def utterances(path: Path) -> list[Utterance]:
    """Rows of ``utterance`` with ``required`` and ``optional`` gold facts, or of ``text``
    with ``facts`` and ``also`` in our own keys (``matching.gold_of_keys``). Without a
    ``category`` the first required attribute is it, or "nothing"."""
    found = []
    for number, row in enumerate(rows(path), 1):
        try:
            if "facts" in row:
                required = [gold_of_keys(text) for text in row["facts"]]
                optional = [gold_of_keys(text) for text in row.get("also", [])]
            else:
                required = [_gold(item) for item in row["required"]]
                optional = [_gold(item) for item in row.get("optional", [])]
            category = row.get("category") or (required[0].attributes[0] if required else "nothing")
            text = row["text"] if "text" in row else row["utterance"]
            found.append(Utterance(str(row.get("id", number)), category, text, required, optional))
        except (KeyError, TypeError, ValueError) as error:
            raise Malformed(f"{path.name}, item {number}: {error!r}") from None
    return found


def _gold(item: Mapping[str, Any]) -> Gold:
    names = item["attribute"]
    return Gold([names] if isinstance(names, str) else names, item["value"], item.get("op", "+"))


# -- MemPalace, XPersona -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text and the memories that people saw in it, as (type, content)."""

    id: str
    text: str
    memories: Sequence[tuple[str, str]]


def snippets(data: Path) -> Iterator[tuple[str, list[Snippet]]]:
    """MemPalace's memory_extraction by language. A language's labels are in English where
    nobody translated them."""
    folder = data / "other" / "mempalace_model_eval"
    prefix = "memory_extraction__"
    files = sorted(folder.glob(f"{prefix}dataset*.jsonl"))
    if not files:
        raise Missing(f"other/mempalace_model_eval/{prefix}dataset.jsonl")
    for path in files:
        language = path.name.removeprefix(f"{prefix}dataset").removesuffix(".jsonl").lstrip(".")
        own = folder / f"{prefix}labels.{language}.jsonl"
        labels = {
            row["id"]: [(memory["type"], memory["content"]) for memory in row["memories"]]
            for row in rows(own if own.is_file() else folder / f"{prefix}labels.jsonl")
        }
        yield (
            language or "en",
            [Snippet(row["id"], row["text"], labels.get(row["id"], [])) for row in rows(path)],
        )


def persona_sentences(data: Path) -> Iterator[tuple[str, list[str]]]:
    """XPersona's sentences by language, each once."""
    files = sorted((data / "other" / "xpersona").glob("*_persona*.json"))
    if not files:
        raise Missing("other/xpersona/*_persona*.json")
    for path in files:
        said = dict.fromkeys(text.strip() for row in rows(path) for text in row["persona"])
        yield path.name.partition("_")[0].lower(), [text for text in said if text]


# -- LongMemEval, PersonaMem, LoCoMo -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Update:
    """A question whose answer changed: sessions oldest first, each with its date."""

    id: str
    question: str
    answer: str
    asked_at: datetime
    sessions: Sequence[Sequence[Turn]]


def knowledge_updates(data: Path) -> list[Update]:
    """LongMemEval's knowledge-update questions with the turns that answer them."""
    found = []
    for row in rows(data / "longmemeval" / "longmemeval_oracle_evidence_turns.json"):
        if row["question_type"] != "knowledge-update" or row["abstention"]:
            continue
        sessions = sorted(
            zip(
                (longmemeval_time(date) for date in row["haystack_dates"]),
                row["haystack_sessions"],
                strict=True,
            ),
            key=lambda pair: pair[0],
        )
        found.append(
            Update(
                row["question_id"],
                row["question"],
                str(row["answer"]),
                longmemeval_time(row["question_date"]),
                [
                    [
                        Turn(turn["role"], turn["content"], start + timedelta(minutes=place))
                        for place, turn in enumerate(turns)
                    ]
                    for start, turns in sessions
                ],
            )
        )
    return found


def longmemeval_time(text: str) -> datetime:
    return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with its options and the right one's letter; asked after ``after``."""

    id: str
    kind: str
    question: str
    options: Mapping[str, str]
    right: str
    after: int


@dataclass(slots=True)
class Persona:
    """One context of PersonaMem: its documents in order, and its questions."""

    id: str
    documents: list[list[Turn]] = field(default_factory=list)
    questions: list[Choice] = field(default_factory=list)


_DOCUMENT = re.compile(r"^\[(SYSTEM|USER|ASSISTANT)\] ?(?:User: |Assistant: )?", re.MULTILINE)
_OPTION = re.compile(r"^\(([a-d])\) ", re.MULTILINE)
PERSONAMEM_KINDS = frozenset({"recall_user_shared_facts", "track_full_preference_evolution"})
# The documents have no dates: the first begins here, each is a week after the one before.
PERSONAMEM_START = datetime(2025, 1, 6, 9, tzinfo=UTC)


def personas(data: Path) -> list[Persona]:
    """PersonaMem's contexts with the questions of ``PERSONAMEM_KINDS``."""
    folder = data / "other" / "personamem"
    found: dict[str, Persona] = {}
    texts = {}
    for row in rows(folder / "personamem_32k_documents.json.gz"):
        user, _, number = row["id"].rpartition("_")
        texts[user, int(number)] = row["content"]
    places = {}
    for user, number in sorted(texts):
        person = found.setdefault(user, Persona(user))
        places[f"{user}_{number}"] = len(person.documents)
        start = PERSONAMEM_START + timedelta(weeks=number)
        person.documents.append(list(_document(texts[user, number], start)))
    for row in rows(folder / "personamem_32k_queries.json.gz"):
        kind = row["meta"]["question_type"]
        if kind not in PERSONAMEM_KINDS or row["user_id"] not in found:
            continue
        parts = _OPTION.split(row["query"])
        found[row["user_id"]].questions.append(
            Choice(
                row["id"],
                kind,
                row["meta"]["retrieval_query"].partition("\n")[2].strip(),
                dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True)),
                row["gold_answers"][-1],
                max(places[name] for name in row["gold_ids"]),
            )
        )
    return list(found.values())


def _document(text: str, start: datetime) -> Iterator[Turn]:
    parts = _DOCUMENT.split(text)
    for place, (role, content) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        if role != "SYSTEM" and content.strip():
            yield Turn(role.lower(), content.strip(), start + timedelta(minutes=place))


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A LoCoMo conversation as one of its speakers' chat: the other one is the assistant."""

    speaker: str
    turns: Sequence[Turn]


def dialogues(data: Path, turns: int) -> list[Dialogue]:
    """LoCoMo's conversations, each from both sides, up to ``turns`` turns in all."""
    files = sorted((data / "locomo").glob("locomo*.json"))
    files = [path for path in files if "audit" not in path.name and "diff" not in path.name]
    if not files:
        raise Missing("locomo/locomo*.json")
    found = []
    left = turns
    for row in rows(files[0]):
        talk = row["conversation"]
        said = list(_locomo_turns(talk))[:left]
        left -= len(said)
        if said:
            for speaker in (talk["speaker_a"], talk["speaker_b"]):
                mine = [
                    Turn("user" if who == speaker else "assistant", text, at)
                    for who, text, at in said
                ]
                found.append(Dialogue(speaker, mine))
    return found


def _locomo_turns(talk: Mapping[str, Any]) -> Iterator[tuple[str, str, datetime]]:
    number = 1
    while f"session_{number}_date_time" in talk:
        date = talk[f"session_{number}_date_time"]
        start = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(talk.get(f"session_{number}", [])):
            yield turn["speaker"], turn["text"], start + timedelta(minutes=place)
        number += 1
