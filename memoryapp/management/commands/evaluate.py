"""`manage.py evaluate`: how good the memory is, on seeds of our own and on public data sets."""

from __future__ import annotations

import json
import os
import secrets
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Any
from uuid import UUID, uuid4

from celery import current_app
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from memoryapp import audit, erase, extract, ingest, pipeline, providers, store
from memoryapp.context import acting_for
from memoryapp.evaluation import ephemeral, report, suites
from memoryapp.evaluation.memory import Answer, Found, Memory, Seen, Turn
from memoryapp.evaluation.metrics import NotARun, Run, Suite, compare, run_from_json
from memoryapp.evaluation.options import Options
from memoryapp.local_services.errors import StartError
from memoryapp.models import Decision, ErasureRequest, Evidence, Fact, Message, Outbox
from memoryapp.ports import ChatModel, Embedder
from memoryapp.records import Batch, Candidate, RecallOptions
from memoryapp.records import Turn as Said
from memoryapp.redact import redact

BY = audit.Actor.system("evaluate")
SECONDS_TO_READ = 600


@dataclass
class ShiftedClock:
    """A ports.Clock that shows the time at which a data set plays."""

    time: datetime

    def now(self) -> datetime:
        return self.time


class RealPerson:
    """A user of the database, through the pipeline that everybody's messages take."""

    def __init__(self, user_id: UUID, clock: ShiftedClock) -> None:
        self._id = user_id
        self._clock = clock

    def tell(self, turns: Sequence[Turn], conversation: str = "evaluation") -> None:
        if not turns:
            return
        self._clock.time = max(self._clock.time, max(t.at for t in turns) + timedelta(minutes=1))
        pipeline.accept(
            user_id=self._id,
            conversation=conversation,
            messages=[
                ingest.Incoming(role=t.role, content=t.content, sent_at=t.at)  # type: ignore[arg-type]
                for t in turns
            ],
            by=BY,
        )
        deadline = time.monotonic() + SECONDS_TO_READ
        while open_ := self._open():
            # 0 when a running app's sweep holds the work: it is read all the same.
            if not sum(pipeline.read(user_id=self._id, outbox_id=work) for work in open_):
                time.sleep(0.05)
            if time.monotonic() > deadline:
                raise RuntimeError("the messages aren't read in time")
        with acting_for(self._id):
            if Message.objects.filter(user_id=self._id, state=Message.State.FAILED).exists():
                raise RuntimeError("a message can't be read; the log says why")

    def _open(self) -> list[UUID]:
        with acting_for(self._id):
            return list(
                Outbox.objects.filter(
                    user_id=self._id, done_at__isnull=True, failed_at__isnull=True
                ).values_list("id", flat=True)
            )

    def facts(self) -> list[Seen]:
        with acting_for(self._id):
            quotes = {
                evidence.fact_id: evidence
                for evidence in Evidence.objects.filter(user_id=self._id).order_by("sent_at")
            }
            rows = Fact.objects.filter(user_id=self._id, operation="state").order_by("id")
            return [_seen(fact, quotes.get(fact.id)) for fact in rows]

    def texts(self) -> list[str]:
        with acting_for(self._id):
            found: list[str] = []
            for model, names in (
                (Message, ("content",)),
                (Fact, ("value", "statement", "scope")),
                (Evidence, ("quote",)),
                (Decision, ("value", "reason")),
                (ErasureRequest, ("what",)),
            ):
                for row in model._base_manager.filter(user_id=self._id).values_list(*names):
                    found += row
            return found

    def conflicts(self) -> int:
        with acting_for(self._id):
            return Decision.objects.filter(user_id=self._id, outcome="conflict").count()

    def ask(self, question: str, as_of: datetime | None = None) -> Answer:
        result = pipeline.recall(
            user_id=self._id, query=question, options=RecallOptions(as_of=as_of), by=BY
        )
        return Answer(
            [
                Seen(
                    subject=hit.fact["subject"],
                    attribute=hit.fact["attribute"],
                    value=hit.fact["value"],
                    scope=hit.fact["scope"],
                    polarity=hit.fact["polarity"],
                    status=hit.fact["status"],
                    statement=hit.fact["statement"],
                    quote=hit.evidence[0].quote if hit.evidence else "",
                    sent_at=max((e.sent_at for e in hit.evidence), default=None),
                )
                for hit in result.hits
            ],
            result.abstained,
        )

    def context(self, question: str, as_of: datetime | None = None) -> str:
        options = RecallOptions(as_of=as_of)
        while pipeline.index_messages(user_id=self._id):
            pass  # passages are found once they have their vectors, which the worker makes
        return pipeline.context(user_id=self._id, query=question, options=options, by=BY).context


def _seen(fact: Fact, evidence: Evidence | None) -> Seen:
    return Seen(
        subject=fact.subject,
        attribute=fact.attribute,
        value=fact.value,
        scope=fact.scope,
        polarity=fact.polarity,
        operation=fact.operation,
        status=fact.status,
        kind=fact.kind,
        sensitivity=fact.sensitivity,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        quote=evidence.quote if evidence else "",
        sent_at=evidence.sent_at if evidence else None,
        statement=fact.statement,
    )


def _candidate(candidate: Candidate) -> Seen:
    return Seen(
        subject=candidate.subject,
        attribute=candidate.attribute,
        value=candidate.value,
        scope=candidate.scope,
        polarity=candidate.polarity,
        operation=candidate.operation,
        kind=candidate.kind,
        sensitivity=candidate.sensitivity,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        quote=candidate.quote.text if candidate.quote else "",
        sent_at=candidate.sent_at,
        statement=candidate.statement,
    )


class RealMemory:
    """The memory that the settings describe, on the database that they name."""

    def __init__(self, clock: ShiftedClock) -> None:
        self._clock = clock

    @property
    def embedder(self) -> Embedder:
        return providers.embedder()

    @property
    def model(self) -> ChatModel | None:
        return providers.chat_model()

    @contextmanager
    def person(self, time_zone: str = "UTC") -> Iterator[RealPerson]:
        self._clock.time = datetime.min.replace(tzinfo=UTC)
        # Known before it is made: an interrupt may come when the row is just there.
        user_id = uuid7()
        try:
            get_user_model().objects.create_user(
                email=f"evaluate-{secrets.token_hex(8)}@evaluation.invalid",
                id=user_id,
                time_zone=time_zone,
            )
            yield RealPerson(user_id, self._clock)
        except BaseException:
            # Whatever state an interrupt left it in.
            connection.close()
            connection.connect()
            raise
        finally:
            with _undisturbed(), acting_for(user_id), suppress(store.NotFound):
                erase.erase_account(user_id=user_id, by=BY)

    def extract(self, content: str, at: datetime) -> Found:
        turn = Said(uuid4(), "user", redact(content).text, at)
        found = extract.extract(Batch(turns=[turn]), providers.extractor())
        return Found(
            [_candidate(candidate) for candidate in found.candidates],
            [request.what for request in found.forget],
        )


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C waits until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    before = [(s, signal.signal(s, lambda *_: arrived.append(1))) for s in (SIGINT, SIGTERM)]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if arrived:
        raise KeyboardInterrupt


@contextmanager
def _own_parts(extractor: str | None) -> Iterator[ShiftedClock]:
    """The clock of the data, the extractor that was asked for, and a broker in this process,
    since this process reads the messages itself."""
    clock = ShiftedClock(datetime.now(UTC))
    before = (providers.clock, settings.EXTRACTOR, current_app.conf.broker_url)
    setattr(providers, "clock", lambda: clock)  # noqa: B010  # a function, not a constant
    settings.EXTRACTOR = extractor or settings.EXTRACTOR
    current_app.conf.broker_url = "memory://localhost//"
    providers.reset()
    try:
        yield clock
    finally:
        setattr(providers, "clock", before[0])  # noqa: B010
        settings.EXTRACTOR, current_app.conf.broker_url = before[1:]
        providers.reset()


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


class Command(BaseCommand):
    help = "Measure the memory on our own seeds and on data sets in a folder; report; compare."
    requires_system_checks = ()  # there may be no database yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", help="the folder with the data sets")
        parser.add_argument(
            "--suite", action="append", choices=list(suites.SUITES), help="may be repeated"
        )
        parser.add_argument("--extractor", choices=["local", "openai"])
        parser.add_argument("--limit", type=int, help="at most so many items of each suite")
        parser.add_argument(
            "--out",
            type=Path,
            default=settings.DATA_DIR / "evaluation",
            help="the folder for the reports",
        )
        parser.add_argument("--compare", type=Path, help="the JSON of an earlier run")
        parser.add_argument("--fail-if-worse", action="store_true", help="exit with 1 then")
        parser.add_argument(
            "--utterances", type=Path, action="append", default=[], help="another such file"
        )
        parser.add_argument("--judged", type=Path, help="locomo_sample.jsonl, judged by a person")
        parser.add_argument(
            "--ephemeral",
            action="store_true",
            help="on a database of its own, as when nothing runs",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        old = self._earlier(options["compare"])
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError(_("--limit must be 1 or more."))
        try:
            data = suites.folder(options["data"])
        except NotADirectoryError:
            raise CommandError(_("--data must be a folder.")) from None
        asked = Options(
            data=data,
            out=options["out"],
            limit=options["limit"],
            utterances=options["utterances"],
            judged=options["judged"],
        )
        # Ended from outside, this must still erase the users it made.
        before = signal.signal(SIGTERM, _interrupt)
        try:
            with ExitStack() as stack:
                if options["ephemeral"] or ephemeral.nothing_runs(os.environ):
                    self.stdout.write(_("Starting a database for this run …"))
                    stack.enter_context(ephemeral.database_of_its_own())
                clock = stack.enter_context(_own_parts(options["extractor"]))
                run = self._run(options["suite"] or list(suites.SUITES), RealMemory(clock), asked)
        except StartError as error:
            raise CommandError(str(error)) from None
        finally:
            signal.signal(SIGTERM, before)
        self._report(run, old, asked, fail=options["fail_if_worse"])

    def _earlier(self, path: Path | None) -> Run | None:
        if path is None:
            return None
        try:
            return run_from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, NotARun) as error:
            raise CommandError(
                _("{path} can't be compared with: {reason}").format(path=path, reason=error)
            ) from None

    def _run(self, names: Sequence[str], memory: Memory, options: Options) -> Run:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        progress = suites.Progress(
            begins=lambda name: self.stdout.write(f"{name} …"), ended=self._print
        )
        extractor = providers.extractor()
        done = suites.run(names, memory, options, progress)
        return Run(
            started,
            f"{extractor.name} {extractor.version}",
            providers.embedder().model,
            tuple(done),
        )

    def _print(self, suite: Suite) -> None:
        self.stdout.write(report.table(suite))

    def _report(self, run: Run, old: Run | None, options: Options, *, fail: bool) -> None:
        comparison = compare(old, run) if old is not None else None
        written = report.write(run, comparison, options.out)
        if comparison is not None:
            self.stdout.write(report.differences(comparison))
        self.stdout.write(
            _("Written: {files}").format(files=", ".join(str(path) for path in written))
        )
        if fail and comparison is not None and comparison.got_worse:
            raise CommandError(_("It got worse."), returncode=1)
