"""The Celery app as the processes see it."""

from __future__ import annotations

import threading

from celery import current_app

from memoryapp.celery import app


def test_every_scheduled_task_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled == {
        "memoryapp.tasks.sweep_outbox",
        "memoryapp.tasks.consolidate_everyone",
        "memoryapp.tasks.note_heads",
    }
    assert scheduled <= set(app.tasks)


def test_tasks_sent_from_any_thread_go_to_our_broker() -> None:
    # The web server answers in threads, where the app that is current elsewhere isn't.
    names: list[str] = []
    thread = threading.Thread(target=lambda: names.append(current_app.main))
    thread.start()
    thread.join()
    assert names == ["memoryapp"]
