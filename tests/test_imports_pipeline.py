"""Imports from the upload to the undoing."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import User
from memoryapp import erase, import_pipeline, importing, ingest, pipeline, uploads
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation, ErasureReceipt, Evidence, Import, Message, Outbox
from tests import chat, imports
from tests.notebook import log

pytestmark = pytest.mark.usefixtures("uploads_folder")

TALKS = imports.chats(
    ("b", "2025-05-01", "I live in Lisbon now, I moved there last week."),
    ("a", "2025-03-01", "I live in Porto."),
    ("c", "2025-04-01", "What is the weather like?"),
)


def rows(user: User) -> list[Message]:
    with acting_for(user.pk):
        return list(Message.objects.order_by("sent_at", "id"))


def test_the_file_is_private_and_goes_once_it_is_in(owner: User, uploads_folder: Path) -> None:
    import_id = imports.upload(owner, TALKS)
    [kept] = uploads_folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(uploads_folder.stat().st_mode) == 0o700
    with acting_for(owner.pk):
        assert not Message.objects.exists()
    imports.start(owner, import_id)
    with pytest.MonkeyPatch.context() as patch:
        _commits_run_at_once(patch)
        imports.work_on(owner)
    assert list(uploads_folder.iterdir()) == []


def _commits_run_at_once(patch: pytest.MonkeyPatch) -> None:
    # Inside a test's transaction nothing ever commits.
    patch.setattr("memoryapp.uploads.transaction.on_commit", lambda work: work())


def test_conversations_come_with_their_own_times_and_are_read(owner: User) -> None:
    found = imports.bring(owner, TALKS)
    assert found.state == Import.State.DONE
    assert found.counts == {
        "conversations": 3,
        "messages": 6,
        "skipped": {},
        "noted": {},
    }
    assert chat.current(owner, "home") == ["Lisbon"]
    assert chat.values(owner, "home", status="superseded") == ["Porto"]
    progress = imports.progress(owner, found)
    assert (progress.read, progress.total, progress.unread) == (3, 3, 0)
    assert progress.found == 1  # what was replaced isn't news
    assert rows(owner)[0].sent_at == datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
    with acting_for(owner.pk):
        titles = set(Conversation.objects.values_list("title", flat=True))
    assert titles == {"About a", "About b", "About c"}


def test_ids_of_the_export_are_kept_as_hashes_of_the_users_own(owner: User, other: User) -> None:
    imports.bring(owner, TALKS)
    imports.bring(other, TALKS)
    names: list[set[str]] = []
    for user in (owner, other):
        with acting_for(user.pk):
            names.append(
                {
                    *Conversation.objects.values_list("external_id", flat=True),
                    *[str(m.external_id) for m in Message.objects.all()],
                }
            )
    assert not names[0] & names[1]
    assert not any("b-0" in name for name in names[0])


def test_reading_goes_in_order_and_not_by_the_fast_path(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[datetime] = []
    read = pipeline.read

    def noted(*, user_id: Any, outbox_id: Any) -> int:
        with acting_for(owner.pk):
            work = Outbox.objects.get(id=outbox_id)
            first = Message.objects.filter(conversation__outbox=work.id).first()
            assert first is not None
            order.append(first.sent_at)
            assert work.not_before > work.created_at + timedelta(hours=12)
            assert work.source_import_id is not None
        return read(user_id=user_id, outbox_id=outbox_id)

    monkeypatch.setattr("memoryapp.import_pipeline.reading.pipeline.read", noted)
    imports.bring(owner, TALKS)
    assert order == sorted(order)
    assert len(order) == 3


def test_the_same_file_again_stores_nothing(owner: User) -> None:
    imports.bring(owner, TALKS)
    before = [(m.id, m.source_import_id) for m in rows(owner)]
    again = imports.bring(owner, TALKS)
    assert [(m.id, m.source_import_id) for m in rows(owner)] == before
    assert again.counts["duplicates"] == 6
    assert "messages" not in again.counts


def test_a_later_export_brings_only_what_is_new(owner: User) -> None:
    imports.bring(owner, TALKS[:1])
    later = imports.bring(owner, TALKS)
    assert (later.counts["messages"], later.counts["duplicates"]) == (4, 2)


# -- A worker that dies --------------------------------------------------------------------------


class Killed(BaseException):
    pass


@pytest.fixture
def tiny_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryapp.import_pipeline.reading.SLICE_SECONDS", 0.0)


def test_progress_is_kept_slice_by_slice(owner: User, tiny_slices: None) -> None:
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    seen = []
    for _ in range(2):
        import_pipeline.step(user_id=owner.pk, outbox_id=work)
        found = imports.row(owner, import_id)
        progress = imports.progress(owner, found)
        seen.append((found.state, progress.read, progress.total))
    assert seen == [("storing", 1, 3), ("storing", 2, 3)]
    imports.work_on(owner)
    assert imports.row(owner, import_id).state == "done"
    assert chat.current(owner, "home") == ["Lisbon"]


@pytest.mark.parametrize("place", ["ingest.accept", "pipeline.read", "importing.stored"])
def test_a_killed_worker_loses_and_doubles_nothing(
    owner: User, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    calls = 0

    def dies(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2 or place == "importing.stored":
            raise Killed
        return real(*args, **kwargs)

    module, name = place.split(".")
    target = {"ingest": ingest, "importing": importing, "pipeline": pipeline}[module]
    real = getattr(target, name)
    with monkeypatch.context() as patch:
        patch.setattr(target, name, dies)
        with pytest.raises(Killed):
            imports.work_on(owner)
    # Its hold still stands; afterwards the sweep sends the work again.
    assert not import_pipeline.step(user_id=owner.pk, outbox_id=work)
    with acting_for(owner.pk):
        Outbox.objects.filter(claimed_until__isnull=False).update(
            claimed_until=datetime(2020, 1, 1, tzinfo=UTC)
        )
    imports.work_on(owner)
    found = imports.row(owner, import_id)
    assert found.state == "done"
    assert (found.counts["conversations"], found.counts["messages"]) == (3, 6)
    assert len(rows(owner)) == 6
    assert chat.current(owner, "home") == ["Lisbon"]


def test_work_that_kills_its_worker_is_set_aside_and_can_be_undone(
    owner: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EXTRACTION_ATTEMPTS = 2
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    with monkeypatch.context() as patch:
        patch.setattr("memoryapp.import_pipeline.steps.importing.stored", _die)
        for _ in range(2):
            with pytest.raises(Killed):
                import_pipeline.step(user_id=owner.pk, outbox_id=work)
            with acting_for(owner.pk):
                Outbox.objects.filter(id=work).update(claimed_until=None)
    assert not import_pipeline.step(user_id=owner.pk, outbox_id=work)
    found = imports.row(owner, import_id)
    assert (found.state, found.error) == ("failed", "worker_lost")
    # What had come in isn't left unread: the sweep may have it at once.
    with acting_for(owner.pk):
        assert not Outbox.objects.filter(done_at=None, not_before__gt=found.ended_at).exists()
    assert imports.undo(owner, import_id).counts["messages"] == 6


def _die(**_: Any) -> None:
    raise Killed


def test_the_sweep_finds_an_import_that_nobody_holds(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = imports.start(owner, imports.upload(owner, TALKS))
    sent: list[tuple[Any, ...]] = []

    def send(*task: Any) -> bool:
        sent.append(task)
        return True

    monkeypatch.setattr("memoryapp.broker.send", send)
    with acting_for(owner.pk):
        Outbox.objects.update(not_before=datetime(2020, 1, 1, tzinfo=UTC))
    assert pipeline.sweep() == 0
    assert import_pipeline.sweep() == 1
    assert sent == [("memoryapp.tasks.import_step", str(owner.pk), str(work))]
    assert import_pipeline.sweep() == 0  # for a minute


def test_conversations_wait_for_their_hours_and_leave_the_import_done(
    owner: User, settings: Any
) -> None:
    now = datetime.now(UTC)
    settings.EXTRACTION_HOURS = f"{(now.hour + 2) % 24:02}-{(now.hour + 3) % 24:02}"
    found = imports.bring(owner, TALKS)
    assert found.state == "done"
    assert imports.progress(owner, found).unread == 6
    with acting_for(owner.pk):
        work = Outbox.objects.filter(conversation__isnull=False)
        assert {w.error for w in work} == {"hours"}
        assert all(w.not_before - now < timedelta(hours=4) for w in work)


# -- Undoing -------------------------------------------------------------------------------------


def test_undoing_leaves_what_was_known_elsewhere(owner: User) -> None:
    chat.tell(
        owner,
        chat.said("2024-01-01", "I live in Braga."),
        chat.said("2024-01-02", "I am vegetarian."),
    )
    found = imports.bring(
        owner,
        [*TALKS, *imports.chats(("d", "2025-06-01", "I'm vegetarian and I work at Acme."))],
    )
    assert chat.current(owner, "home") == ["Lisbon"]
    assert chat.current(owner, "employer") == ["Acme"]
    receipt = imports.undo(owner, found.id)
    assert isinstance(receipt, ErasureReceipt)
    assert receipt.target == "import"
    assert receipt.counts["messages"] == 8
    assert chat.current(owner, "home") == ["Braga"]
    assert chat.values(owner, "home") == ["Braga"]
    assert chat.values(owner, "employer") == []
    assert chat.current(owner, "diet") == ["vegetarian"]
    assert imports.row(owner, found.id).state == "undone"
    with acting_for(owner.pk):
        left = Message.objects.filter(source_import_id=found.id)
        assert set(left.values_list("content", flat=True)) == {""}
        assert not Evidence.objects.filter(message__in=left).exists()
        assert "About d" not in Conversation.objects.values_list("title", flat=True)
    assert [e.object for e in log(owner, "import.erase")] == [f"import:{found.id}"]
    with pytest.raises(importing.NotNow):
        imports.undo(owner, found.id)


def test_what_was_undone_does_not_come_back_with_the_same_file(owner: User) -> None:
    imports.undo(owner, imports.bring(owner, TALKS).id)
    again = imports.bring(owner, TALKS)
    assert chat.facts(owner) == []
    assert again.counts["duplicates"] == 6


def test_undoing_half_way_stops_the_work(owner: User, tiny_slices: None) -> None:
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    import_pipeline.step(user_id=owner.pk, outbox_id=work)
    imports.undo(owner, import_id)
    assert not import_pipeline.step(user_id=owner.pk, outbox_id=work)
    assert [m.content for m in rows(owner)] == ["", ""]
    assert chat.read_all(owner) == 0


def test_undoing_between_two_transactions_of_a_step_stops_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    advance = importing.advance

    def then_undone(**kwargs: Any) -> None:
        advance(**kwargs)
        if kwargs["position"] == 2:
            imports.undo(owner, import_id)

    monkeypatch.setattr("memoryapp.import_pipeline.steps.importing.advance", then_undone)
    assert not import_pipeline.step(user_id=owner.pk, outbox_id=work)
    assert imports.row(owner, import_id).state == "undone"
    assert [m.content for m in rows(owner)] == [""] * 4


def test_an_upload_that_was_not_started_is_just_removed(
    owner: User, uploads_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = imports.upload(owner, TALKS)
    _commits_run_at_once(monkeypatch)
    assert imports.undo(owner, import_id) is None
    assert list(uploads_folder.iterdir()) == []
    with pytest.raises(importing.NotFound):
        imports.row(owner, import_id)


# -- What can't be, and what is left -------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\x00\x01\x02 no text at all", "unknown_format"),
        (b'{"invoices": [1, 2]}', "unknown_format"),
        (b"PK\x03\x04 and then nothing", "broken_archive"),
        (b"A letter to somebody. It is long.\nIt is no list.\n", "unknown_format"),
    ],
)
def test_what_is_no_export_is_refused_and_dropped(
    owner: User, content: bytes, code: str, uploads_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commits_run_at_once(monkeypatch)
    import_id = imports.upload(owner, content)
    found = imports.row(owner, import_id)
    assert (found.state, found.error) == ("refused", code)
    assert list(uploads_folder.iterdir()) == []
    with pytest.raises(importing.NotNow):
        imports.start(owner, import_id)


def test_too_much_is_refused_before_it_is_kept(
    owner: User, settings: Any, uploads_folder: Path
) -> None:
    settings.IMPORT_MAX_MB = 1
    with pytest.raises(uploads.TooLarge):
        imports.upload(owner, b"x" * (uploads.MIB + 1))
    assert not uploads_folder.exists() or list(uploads_folder.iterdir()) == []
    with acting_for(owner.pk):
        assert not Import.objects.exists()


def test_nothing_comes_in_while_memory_is_paused(owner: User) -> None:
    from memoryapp.models import MemorySettings

    import_id = imports.upload(owner, TALKS)
    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, paused=True)
    with pytest.raises(importing.NotNow, match="paused"):
        imports.start(owner, import_id)
    assert imports.row(owner, import_id).state == "ready"


def test_an_abandoned_upload_goes_with_the_nightly_work(
    owner: User, uploads_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commits_run_at_once(monkeypatch)
    old, new = imports.upload(owner, TALKS), imports.upload(owner, TALKS)
    begun = imports.upload(owner, TALKS)
    imports.start(owner, begun)
    with acting_for(owner.pk):
        Import.objects.filter(id__in=[old, begun]).update(
            created_at=datetime.now(UTC) - timedelta(days=1, minutes=1)
        )
    assert import_pipeline.tidy(user_id=owner.pk) == 1
    with acting_for(owner.pk):
        assert set(Import.objects.values_list("id", flat=True)) == {new, begun}
    assert len(list(uploads_folder.iterdir())) == 2


def test_an_erased_account_leaves_no_upload(
    owner: User, uploads_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commits_run_at_once(monkeypatch)
    imports.upload(owner, TALKS)
    with acting_for(owner.pk):
        erase.erase_account(user_id=owner.pk, by=Actor.user(owner))
    assert list(uploads_folder.iterdir()) == []


def test_another_users_import_is_not_there(owner: User, other: User) -> None:
    import_id = imports.upload(owner, TALKS)
    for call in (imports.start, imports.undo, imports.row):
        with pytest.raises(importing.NotFound):
            call(other, import_id)
    with pytest.raises(importing.NotFound):
        imports.row(owner, uuid4())
    with acting_for(owner.pk):
        work = Outbox.objects.filter(source_import_id=import_id).first()
    assert work is not None
    assert not import_pipeline.step(user_id=other.pk, outbox_id=work.id)


def test_no_word_of_the_file_is_in_the_log(owner: User, caplog: pytest.LogCaptureFixture) -> None:
    found = imports.bring(owner, TALKS)
    imports.undo(owner, found.id)
    events = [e for action in ("import.start", "import.end", "import.erase", "messages.add")
              for e in log(owner, action)]  # fmt: skip
    assert len(events) >= 4
    said = " ".join(f"{e.object} {e.details}" for e in events) + caplog.text
    assert not any(word in said for word in ("Porto", "Lisbon", "About", "upload"))
