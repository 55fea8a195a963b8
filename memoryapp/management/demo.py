"""A made-up year of one person's memories, by the way that everybody's take: conversations
are accepted and read, answers asked for, things approved, corrected and forgotten, each at
its time. The words are in ``data/demo_year.json``."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from celery import current_app
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction

from accounts.models import Application, EndUser, User
from accounts.services import ensure_application
from memoryapp import audit, erase, import_pipeline, importing, ingest, pipeline, providers
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, Import, Message, Outbox
from memoryapp.records import RecallOptions

DATA = Path(__file__).parent.parent / "data" / "demo_year.json"
PACE = timedelta(minutes=2)  # between a turn and the next


class Occupied(Exception):
    """The account has memories of its own."""


@dataclass
class _Then:
    """A ports.Clock that shows the time at which a step plays."""

    time: datetime = field(default_factory=lambda: datetime.now(UTC))

    def now(self) -> datetime:
        return self.time


def load() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return data


def account(email: str, person: Mapping[str, str]) -> User:
    """The account with the address; made, with the person's name, when there is none."""
    user = User.objects.filter(email=email).first()
    if user is None:
        user = User.objects.create_user(
            email, display_name=person["name"], time_zone=person["time_zone"]
        )
    return user


def renew(user: User) -> User:
    """The account without its memories: erased as a whole, so that nothing that was
    forgotten in it keeps its like from being learnt, and made anew. Raises as
    ``erase.erase_account``."""
    kept = {
        name: getattr(user, name)
        for name in ("email", "display_name", "time_zone", "language", "password")
    }
    with acting_for(user.pk):
        erase.erase_account(user_id=user.pk, by=audit.Actor.system("demo"))
    password = kept.pop("password")
    made = User.objects.create_user(**kept)
    User.objects.filter(pk=made.pk).update(password=password)
    return made


def occupied(user: User) -> bool:
    with acting_for(user.pk):
        return any(
            model._base_manager.filter(user_id=user.pk).exists()
            for model in (Fact, Message, Import)
        )


def play(user: User, *, now: datetime) -> Counter[str]:
    """Let the year that ends yesterday happen to the account, all of it or nothing; returns
    how many steps of each sort there were. Raises Occupied for one that has memories."""
    if occupied(user):
        raise Occupied
    data = load()
    zone = ZoneInfo(data["person"]["time_zone"])
    first = now.astimezone(zone).date() - timedelta(days=data["days"])
    done: Counter[str] = Counter()
    with _own_parts() as clock, transaction.atomic():
        life = _Life(user, data["applications"], clock)
        for step in data["steps"]:
            clock.time = datetime.combine(
                first + timedelta(days=step["day"]), time.fromisoformat(step["time"]), zone
            ).astimezone(UTC)
            done[life.step(step)] += 1
    return done


def made(user: User, played: Mapping[str, int]) -> Iterator[str]:
    """What there is now, a line for each sort of thing."""
    with acting_for(user.pk):
        facts = Counter(
            Fact.objects.filter(user_id=user.pk, operation="state").values_list("status", flat=True)
        )
        messages = Message.objects.filter(user_id=user.pk).count()
    yield f"{played['conversation']} conversations, {messages} messages, {played['use']} uses"
    yield ", ".join(f"{count} {status}" for status, count in sorted(facts.items()))
    yield ", ".join(
        f"{name.replace('_', ' ')}: {count}"
        for name, count in sorted(played.items())
        if name not in ("conversation", "use")
    )


@contextmanager
def _own_parts() -> Iterator[_Then]:
    """A clock of its own; a broker in this process, since this process does all that workers
    would, and they would do it today and not then; and no model, so that the same is
    understood everywhere."""
    clock = _Then()
    before = (
        providers.clock,
        providers.chat_model,
        settings.EXTRACTOR,
        current_app.conf.broker_url,
    )
    # setattr, since these are functions and no variables.
    setattr(providers, "clock", lambda: clock)  # noqa: B010
    setattr(providers, "chat_model", lambda: None)  # noqa: B010
    settings.EXTRACTOR = "local"
    current_app.conf.broker_url = "memory://localhost//"
    providers.reset()
    try:
        yield clock
    finally:
        setattr(providers, "clock", before[0])  # noqa: B010
        setattr(providers, "chat_model", before[1])  # noqa: B010
        settings.EXTRACTOR, current_app.conf.broker_url = before[2:]
        providers.reset()


class _Life:
    """One user's steps, each by the pipeline."""

    def __init__(self, user: User, applications: list[str], clock: _Then) -> None:
        self._user = user
        self._id: UUID = user.pk
        self._me = audit.Actor.user(user)
        self._clock = clock
        self._apps: dict[str, Application] = {
            name: ensure_application(owner=user, name=name) for name in applications
        }
        EndUser.objects.get_or_create(
            user=user, defaults={"application": self._apps[applications[0]], "external_id": "demo"}
        )

    def step(self, step: Mapping[str, Any]) -> str:
        """Do it; returns what sort of step it was."""
        if "turns" in step:
            self._talk(step)
            return "conversation"
        if "recall" in step:
            self._use(step)
            return "use"
        getattr(self, f"_{step['do']}")(step)
        return str(step["do"])

    def _by(self, app: str) -> audit.Actor:
        return audit.Actor.application(self._apps[app].pk)

    def _talk(self, step: Mapping[str, Any]) -> None:
        began = self._clock.time
        roles = itertools.cycle(("user", "assistant"))
        said = [
            ingest.Incoming(role=role, content=text, sent_at=began + number * PACE)  # type: ignore[arg-type]
            for number, (role, text) in enumerate(zip(roles, step["turns"], strict=False))
        ]
        self._clock.time = said[-1].sent_at + PACE
        pipeline.accept(
            user_id=self._id,
            conversation=step["conversation"],
            messages=said,
            by=self._by(step["app"]),
            application_id=self._apps[step["app"]].pk,
            title=step["conversation"],
        )
        with acting_for(self._id):
            queued = list(
                Outbox.objects.filter(user_id=self._id, done_at=None, failed_at=None).values_list(
                    "id", flat=True
                )
            )
        for work in queued:
            pipeline.read(user_id=self._id, outbox_id=work)
            pipeline.index_messages(user_id=self._id)

    def _use(self, step: Mapping[str, Any]) -> None:
        by = self._by(step["app"])
        result = pipeline.recall(
            user_id=self._id, query=step["recall"], options=RecallOptions(k=4), by=by, via=None
        )
        pipeline.count_recall(
            user_id=self._id,
            fact_ids=[UUID(str(hit.fact["id"])) for hit in result.hits],
            answer={
                "via": step["via"],
                "at": self._clock.time.isoformat(),
                "application_id": by.id,
                "conversation_id": None,
                "message_id": None,
            },
        )

    def _fact(self, step: Mapping[str, Any], status: str = Fact.Status.CURRENT) -> UUID:
        with acting_for(self._id):
            return Fact.objects.get(
                user_id=self._id,
                subject=step.get("subject", "user"),
                attribute=step["attribute"],
                value=step["value"],
                status=status,
                operation="state",
            ).pk

    def _approve(self, step: Mapping[str, Any]) -> None:
        fact_id = self._fact(step, Fact.Status.PENDING)
        pipeline.approve(user_id=self._id, fact_id=fact_id, by=self._me)

    def _reject(self, step: Mapping[str, Any]) -> None:
        fact_id = self._fact(step, Fact.Status.PENDING)
        pipeline.reject(user_id=self._id, fact_id=fact_id, by=self._me)

    def _pin(self, step: Mapping[str, Any]) -> None:
        pipeline.weigh_fact(
            user_id=self._id, fact_id=self._fact(step), weights={"pinned": True}, by=self._me
        )

    def _edit(self, step: Mapping[str, Any]) -> None:
        pipeline.edit_fact(
            user_id=self._id,
            fact_id=self._fact(step),
            value=step["to"],
            supersession=step["supersession"],
            by=self._me,
        )

    def _forget(self, step: Mapping[str, Any]) -> None:
        pipeline.erase_facts(user_id=self._id, fact_ids=[self._fact(step)], by=self._me)

    def _forget_conversation(self, step: Mapping[str, Any]) -> None:
        with acting_for(self._id):
            talk = Conversation.objects.get(user_id=self._id, external_id=step["conversation"]).pk
        pipeline.erase_conversation(user_id=self._id, conversation_id=talk, by=self._me)

    def _import(self, step: Mapping[str, Any]) -> None:
        import_id = import_pipeline.receive(
            user_id=self._id,
            content=ContentFile(step["text"].encode()),
            by=self._me,
            pasted=True,
            look=True,
        )
        work = import_pipeline.start(user_id=self._id, import_id=import_id, by=self._me)
        while self._working(import_id):
            import_pipeline.step(user_id=self._id, outbox_id=work)

    def _working(self, import_id: UUID) -> bool:
        with acting_for(self._id):
            row = importing.get(user_id=self._id, import_id=import_id)
        return row.state in importing.WORKING

    def _upkeep(self, step: Mapping[str, Any]) -> None:
        pipeline.upkeep(
            user_id=self._id,
            archive_after=timedelta(days=settings.ARCHIVE_AFTER_DAYS),
            retention=timedelta(days=settings.MESSAGE_RETENTION_DAYS),
        )
